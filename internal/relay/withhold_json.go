//go:build !js

package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"watchglass/internal/object/encoded"
)

// maxLists is how deep lists may nest.
const maxLists = 4

// outline is a JSON object whose kind has been read.
type outline struct {
	about
	items []byte
}

// outlineOf reads the kind of an object. An object without a kind has the inherited one. An
// object with two kinds is refused, since readers may choose either.
func outlineOf(obj []byte, inherited about) (d outline, err error) {
	said := 0
	err = encoded.Members(obj, func(key string, value []byte) error {
		switch key {
		case "apiVersion":
			d.apiVersion = textOf(value)
		case "kind":
			d.kind = textOf(value)
			said++
		case "items":
			if value[0] == '[' {
				d.items = value
			}
		case "data", "stringData":
			d.values = true
		}
		return nil
	})
	if said == 0 {
		d.kind, d.apiVersion = inherited.kind, inherited.apiVersion
	}
	switch {
	case err != nil:
	case said > 1, d.kind == "":
		err = fmt.Errorf("%w: an object without a kind", encoded.ErrMalformed)
	case d.kind == "Table": // a real Table was split into rows before
		err = fmt.Errorf("%w: a Table for an object", encoded.ErrMalformed)
	case d.kind == "ConfigMap":
		d.name, err = nameInJSON(obj)
	}
	return d, err
}

// nameInJSON is nameIn for JSON.
func nameInJSON(obj []byte) (name string, err error) {
	err = encoded.Members(obj, func(key string, value []byte) error {
		if key != "metadata" || value[0] != '{' {
			return nil
		}
		return encoded.Members(value, func(key string, value []byte) error {
			if key == "name" && !strings.HasPrefix(name, helmRelease) {
				name = textOf(value)
			}
			return nil
		})
	})
	return name, err
}

// textOf reads a JSON string. It returns "" for any other value.
func textOf(value []byte) (text string) {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	_ = json.Unmarshal(value, &text)
	return text
}

// json appends an object in JSON, without what is withheld.
func (w *withhold) json(dst, obj []byte) ([]byte, error) {
	return w.nested(dst, obj, about{kind: w.kindless}, 0)
}

// nested appends an object that may be the item of a list, and then need not name its kind.
func (w *withhold) nested(dst, obj []byte, inherited about, lists int) ([]byte, error) {
	d, err := outlineOf(obj, inherited)
	if err != nil {
		return dst, err
	}
	if r := w.rules(d.about); r != nil {
		return w.rebuildJSON(dst, obj, r)
	}
	item, isList := strings.CutSuffix(d.kind, "List")
	switch {
	case isList && d.items != nil:
		if lists++; lists > maxLists {
			return dst, fmt.Errorf("%w: lists in lists", encoded.ErrMalformed)
		}
		return w.itemsJSON(dst, obj, about{apiVersion: d.apiVersion, kind: item}, lists)
	case w.managedFields || !bytes.Contains(obj, []byte("managedFields")):
		return append(dst, obj...), nil
	}
	return rewrite(dst, obj, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
		if key != "metadata" || len(value) == 0 || value[0] != '{' {
			return append(dst, value...), true, nil
		}
		dst, err := rewrite(dst, value, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
			return append(dst, value...), key != "managedFields", nil
		})
		return dst, true, err
	})
}

// itemsJSON appends a list that stands in place of an object. What is withheld is removed from
// each item.
func (w *withhold) itemsJSON(dst, list []byte, item about, lists int) ([]byte, error) {
	return rewrite(dst, list, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
		if key != "items" || value[0] != '[' {
			return append(dst, value...), true, nil
		}
		dst, err := rewriteElements(dst, value, func(dst, value []byte) ([]byte, error) {
			if value[0] != '{' {
				return append(dst, value...), nil
			}
			return w.nested(dst, value, item, lists)
		})
		return dst, true, err
	})
}

// rebuildJSON appends the fields of an object that its rules let pass.
func (w *withhold) rebuildJSON(dst, obj []byte, r *rules) ([]byte, error) {
	return rewrite(dst, obj, func(dst []byte, key string, value []byte) (out []byte, passing bool, err error) {
		what := r.byName[key]
		switch {
		case what == 0, what == asManaged && !w.managedFields:
			return dst, false, nil
		case what == passes, what == outside, string(value) == "null":
			return append(dst, value...), true, nil
		case what == asManaged:
			out, err = w.managedJSON(dst, value)
		case what == asFields:
			out, err = fieldsJSON(dst, value, "", 0)
		case value[0] != '{':
			out = append(dst, `""`...)
		case what == asMetadata:
			out, err = w.rebuildJSON(dst, value, metadataRules)
		case what == keysPass:
			out, err = mapJSON(dst, value, func(string, string) bool { return false })
		case what == asNotes:
			out, err = mapJSON(dst, value, notePasses)
		}
		return out, true, err
	})
}

// mapJSON appends a map. Values that do not pass become empty.
func mapJSON(dst, obj []byte, passing func(key, value string) bool) ([]byte, error) {
	return rewrite(dst, obj, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
		if passing(key, textOf(value)) {
			return append(dst, value...), true, nil
		}
		return append(dst, `""`...), true, nil
	})
}

func (w *withhold) managedJSON(dst, list []byte) ([]byte, error) {
	return rewriteElements(dst, list, func(dst, entry []byte) ([]byte, error) {
		return w.rebuildJSON(dst, entry, managedRules)
	})
}

// maxFields is how deep a FieldsV1 may nest. A Secret's is less deep.
const maxFields = 16

// fieldsJSON appends the names of fields in a FieldsV1, and nothing else in it. parent is the
// field that it describes.
func fieldsJSON(dst, obj []byte, parent string, depth int) ([]byte, error) {
	if depth > maxFields {
		return dst, fmt.Errorf("%w: fields in fields", encoded.ErrMalformed)
	}
	return rewrite(dst, obj, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
		switch {
		case key != "." && !strings.HasPrefix(key, "f:") && !listed(parent):
			return dst, false, nil
		case value[0] != '{':
			return append(dst, "{}"...), true, nil
		}
		dst, err := fieldsJSON(dst, value, key, depth+1)
		return dst, true, err
	})
}

// rewrite appends a JSON object. f appends the new value of each member, and reports whether the
// member is kept.
func rewrite(dst, obj []byte, f func(dst []byte, key string, value []byte) ([]byte, bool, error)) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	err := encoded.Members(obj, func(key string, value []byte) error {
		at := len(dst)
		if !first {
			dst = append(dst, ',')
		}
		dst = append(encoded.AppendString(dst, key), ':')
		out, wanted, err := f(dst, key, value)
		if dst = out; !wanted {
			dst = dst[:at]
			return err
		}
		first = false
		return err
	})
	return append(dst, '}'), err
}

// rewriteElements appends a JSON array with what f appends for each element.
func rewriteElements(dst, list []byte, f func(dst, value []byte) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '[')
	first := true
	err := encoded.Elements(list, func(value []byte) (err error) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst, err = f(dst, value)
		return err
	})
	return append(dst, ']'), err
}

// row appends a row of a Table: its cells, and its object without what is withheld.
func (w *withhold) row(dst, row []byte) ([]byte, error) {
	return rewrite(dst, row, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
		switch key {
		case "cells":
			return append(dst, value...), true, nil
		case "object":
			if string(value) == "null" {
				return dst, false, nil
			}
			dst, err := w.json(dst, value)
			return dst, true, err
		}
		return dst, false, nil
	})
}
