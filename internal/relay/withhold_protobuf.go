//go:build !js

package relay

import (
	"bytes"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object"
)

// The fields of metadata that matter for objects that are not rebuilt. Metadata is field 1 of
// every kind.
var (
	fieldMetadata      = protowire.Number(object.FieldNumber("v1", "Secret", "metadata"))
	fieldName          = protowire.Number(object.FieldNumber("v1", "Secret", "metadata.name"))
	fieldManagedFields = protowire.Number(object.FieldNumber("v1", "Secret", "metadata.managedFields"))
)

// magic begins every protobuf object.
var magic = []byte("k8s\x00")

// envelope is a protobuf object with its kind.
type envelope struct{ typeMeta, raw []byte }

func openEnvelope(payload []byte) (e envelope, err error) {
	body, ok := bytes.CutPrefix(payload, magic)
	if !ok {
		return e, fmt.Errorf("%w: no protobuf envelope", object.ErrMalformed)
	}
	err = eachField(body, func(f field) error {
		switch f.number {
		case 1:
			e.typeMeta = f.value
		case 2:
			e.raw = f.value
		}
		return nil
	})
	if err == nil && (e.typeMeta == nil || e.raw == nil) {
		err = fmt.Errorf("%w: an empty envelope", object.ErrMalformed)
	}
	return e, err
}

// field is a field of a message. value is set if its type is bytes; raw is the whole field.
type field struct {
	number     protowire.Number
	typ        protowire.Type
	value, raw []byte
}

// eachField calls f with every field of a message, until f returns an error.
func eachField(msg []byte, f func(field) error) error {
	for len(msg) > 0 {
		number, typ, n := protowire.ConsumeTag(msg)
		if n < 0 {
			return fmt.Errorf("%w: %v", object.ErrMalformed, protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(number, typ, msg[n:])
		if size < 0 {
			return fmt.Errorf("%w: %v", object.ErrMalformed, protowire.ParseError(size))
		}
		var value []byte
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(msg[n:])
		}
		if err := f(field{number, typ, value, msg[:n+size]}); err != nil {
			return err
		}
		msg = msg[n+size:]
	}
	return nil
}

// appendBytes appends a field of type bytes.
func appendBytes(dst []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), value)
}

// typeMetaOf returns a kind in protobuf.
func typeMetaOf(apiVersion, kind string) []byte {
	return appendBytes(appendBytes(nil, 1, []byte(apiVersion)), 2, []byte(kind))
}

// aboutProtobuf reads the kind of an object. An object with two kinds is refused, since readers
// may choose either.
func aboutProtobuf(typeMeta []byte) (a about, err error) {
	a.values = true // in other groups the number of such a field is unknown
	said := 0
	err = eachField(typeMeta, func(f field) error {
		switch f.number {
		case 1:
			a.apiVersion = string(f.value)
		case 2:
			a.kind = string(f.value)
			said++
		}
		return nil
	})
	if err == nil && (said != 1 || a.kind == "") {
		err = fmt.Errorf("%w: an object without a kind", object.ErrMalformed)
	}
	return a, err
}

// protobuf appends an object with its envelope, without what is withheld.
func (w *withhold) protobuf(dst []byte, e envelope) ([]byte, error) {
	a, err := aboutProtobuf(e.typeMeta)
	switch {
	case err != nil:
		return dst, err
	case strings.HasSuffix(a.kind, "List"): // its items would not be inspected
		return dst, fmt.Errorf("%w: a %s for an object", object.ErrMalformed, a.kind)
	case a.kind == "ConfigMap":
		a.name = nameIn(e.raw)
	}
	if r := w.rules(a); r != nil {
		w.obj, err = w.rebuild(w.obj[:0], e.raw, r)
	} else {
		w.obj, err = w.leaveManaged(w.obj[:0], e.raw)
	}
	if err != nil {
		return dst, err
	}
	return appendBytes(appendBytes(append(dst, magic...), 1, e.typeMeta), 2, w.obj), nil
}

// nameIn returns the name of an object. A malformed object has none, and is refused later.
func nameIn(msg []byte) (name string) {
	_ = eachField(msg, func(f field) error {
		if f.number != fieldMetadata {
			return nil
		}
		return eachField(f.value, func(f field) error {
			if f.number == fieldName && f.value != nil {
				name = string(f.value)
			}
			return nil
		})
	})
	return name
}

// leaveManaged appends a message without managedFields, unless they were requested.
func (w *withhold) leaveManaged(dst, msg []byte) ([]byte, error) {
	if w.managedFields {
		return append(dst, msg...), nil
	}
	err := eachField(msg, func(f field) error {
		if f.number != fieldMetadata {
			dst = append(dst, f.raw...)
			return nil
		}
		w.meta = w.meta[:0]
		err := eachField(f.value, func(f field) error {
			if f.number != fieldManagedFields {
				w.meta = append(w.meta, f.raw...)
			}
			return nil
		})
		dst = appendBytes(dst, f.number, w.meta)
		return err
	})
	return dst, err
}

// rebuild appends the fields of a message that its rules let pass.
func (w *withhold) rebuild(dst, msg []byte, r *rules) ([]byte, error) {
	err := eachField(msg, func(f field) error {
		what := r.byNumber[f.number]
		if what == passes && (f.typ == protowire.BytesType || f.typ == protowire.VarintType) {
			dst = append(dst, f.raw...)
			return nil
		}
		if what == passes || what == 0 || f.typ != protowire.BytesType {
			return nil
		}
		if what == asManaged && !w.managedFields {
			return nil
		}
		value, err := w.rebuilt(f.value, what)
		dst = appendBytes(dst, f.number, value)
		return err
	})
	return dst, err
}

// rebuilt returns the rebuilt value of a field.
func (w *withhold) rebuilt(value []byte, what rule) ([]byte, error) {
	switch what {
	case asMetadata:
		return w.rebuild(nil, value, metadataRules)
	case asManaged:
		return w.rebuild(nil, value, managedRules)
	case asFields:
		return fieldsProtobuf(value)
	}
	key, note, err := mapEntry(value)
	if what == keysPass || !notePasses(string(key), string(note)) {
		note = nil
	}
	return appendBytes(appendBytes(nil, 1, key), 2, note), err
}

// mapEntry reads an entry of a map.
func mapEntry(entry []byte) (key, value []byte, err error) {
	err = eachField(entry, func(f field) error {
		switch f.number {
		case 1:
			key = f.value
		case 2:
			value = f.value
		}
		return nil
	})
	return key, value, err
}

// fieldsProtobuf rebuilds a FieldsV1, which is JSON in its field 1.
func fieldsProtobuf(msg []byte) (out []byte, err error) {
	err = eachField(msg, func(f field) error {
		if f.number != 1 || f.value == nil {
			return nil
		}
		names, err := fieldsJSON(nil, f.value, "", 0)
		out = appendBytes(out, 1, names)
		return err
	})
	return out, err
}
