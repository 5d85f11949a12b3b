package detail

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
)

// Value is a piece of an object's JSON. The zero Value is what is not there; null
// is not there either.
type Value struct{ is any }

// ParseValue reads a document. Its numbers keep their text.
func ParseValue(doc []byte) (Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var v Value
	if err := decoder.Decode(&v.is); err != nil {
		return Value{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Value{}, errors.New("there is more behind the document")
	}
	return v, nil
}

// At goes down a path of names.
//
//go:noinline
func (v Value) At(path ...string) Value {
	for _, name := range path {
		members, _ := v.is.(map[string]any)
		v = Value{members[name]}
	}
	return v
}

// Exists reports whether there is something, an empty text or list included.
//
//go:noinline
func (v Value) Exists() bool { return v.is != nil }

// Text is a scalar as JSON has it, without quotes; of all else it is empty.
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

// Int is a whole number, or 0.
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

// Bool is true where the value is.
func (v Value) Bool() bool {
	is, _ := v.is.(bool)
	return is
}

// List are the elements of a list.
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

// Keys are the names in a map, sorted.
//
//go:noinline
func (v Value) Keys() []string {
	members, _ := v.is.(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

// Len is how many members or elements there are.
//
//go:noinline
func (v Value) Len() int {
	switch is := v.is.(type) {
	case map[string]any:
		return len(is)
	case []any:
		return len(is)
	}
	return 0
}

// Any is the value as encoding/json has it, with numbers as json.Number.
func (v Value) Any() any { return v.is }
