package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Value is a part of an object's JSON. The zero Value means absent; null counts as absent.
type Value struct{ is any }

// Part is an object within a document whose members are read only when they are asked for.
type Part interface {
	// Member returns a member as encoding/json decodes it, or as a Part; nil if it is absent.
	Member(name string) any
	// Names returns the names of all members, in no order.
	Names() []string
}

// wholePart is a Part that can be read at once.
type wholePart interface{ Any() any }

// Parse reads a document. Its numbers keep their text.
func Parse(doc []byte) (Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var v Value
	if err := decoder.Decode(&v.is); err != nil {
		return Value{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Value{}, errors.New("unexpected data after the document")
	}
	return v, nil
}

// Of returns a value as encoding/json decodes it, with numbers as json.Number, or a Part.
func Of(is any) Value { return Value{is} }

// At follows a path of names.
//
//go:noinline
func (v Value) At(path ...string) Value {
	for _, name := range path {
		v = v.member(name)
	}
	return v
}

func (v Value) member(name string) Value {
	switch is := v.is.(type) {
	case map[string]any:
		return Value{is[name]}
	case Part:
		return Value{is.Member(name)}
	}
	return Value{}
}

// Get follows a path with dots. It and the functions below are not inlined, since they are
// called in hundreds of places.
//
//go:noinline
func (v Value) Get(path string) Value {
	if members, ok := v.is.(map[string]any); ok && members[path] != nil {
		return Value{members[path]} // in an entry of a keyed table, the whole path is the name
	}
	if path == "" {
		return v
	}
	for more := true; more; {
		var name string
		name, path, more = strings.Cut(path, ".")
		v = v.member(name)
	}
	return v
}

// TextAt returns the text at a path with dots.
//
//go:noinline
func (v Value) TextAt(path string) string { return v.Get(path).Text() }

// ListAt returns the elements of the list at a path with dots.
//
//go:noinline
func (v Value) ListAt(path string) []Value { return v.Get(path).List() }

// Exists reports whether the value is present. An empty text or list is present.
//
//go:noinline
func (v Value) Exists() bool { return v.is != nil }

// Text returns a scalar as in JSON, without quotes; "" for anything else.
//
//go:noinline
func (v Value) Text() string {
	switch is := v.is.(type) {
	case string:
		return is
	case json.Number:
		return is.String()
	case bool:
		return strconv.FormatBool(is)
	}
	return ""
}

// Int returns a whole number; 0 if the value is not one.
//
//go:noinline
func (v Value) Int() int64 {
	number, _ := v.is.(json.Number)
	n, err := number.Int64()
	if err != nil {
		return 0
	}
	return n
}

// Bool reports whether the value is true.
func (v Value) Bool() bool {
	is, _ := v.is.(bool)
	return is
}

// List returns the elements of a list.
//
//go:noinline
func (v Value) List() []Value {
	elements, _ := v.is.([]any)
	out := make([]Value, len(elements))
	for i, e := range elements {
		out[i] = Value{e}
	}
	return out
}

// Find returns the first element of a list that has a text as one of its members; absent if there is
// none.
//
//go:noinline
func (v Value) Find(name, text string) Value {
	elements, _ := v.is.([]any)
	for _, e := range elements {
		if (Value{e}).member(name).Text() == text {
			return Value{e}
		}
	}
	return Value{}
}

// Keys returns the keys of a map, sorted.
//
//go:noinline
func (v Value) Keys() []string {
	if p, ok := v.is.(Part); ok {
		names := p.Names()
		slices.Sort(names)
		return names
	}
	members, _ := v.is.(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

// Len returns the number of members or elements.
//
//go:noinline
func (v Value) Len() int {
	switch is := v.is.(type) {
	case map[string]any:
		return len(is)
	case []any:
		return len(is)
	case Part:
		return len(is.Names())
	}
	return 0
}

// Any returns the value as encoding/json decodes it, with numbers as json.Number.
func (v Value) Any() any { return whole(v.is) }

// whole reads all of a Part, and of those in a list.
func whole(is any) any {
	switch is := is.(type) {
	case wholePart:
		return is.Any()
	case Part:
		members := make(map[string]any)
		for _, name := range is.Names() {
			members[name] = whole(is.Member(name))
		}
		return members
	case []any:
		for i, e := range is {
			if _, ok := e.(Part); ok {
				is = slices.Clone(is)
				for ; i < len(is); i++ {
					is[i] = whole(is[i])
				}
				break
			}
		}
		return is
	}
	return is
}
