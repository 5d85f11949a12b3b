//go:build !js

package api

import (
	"encoding/json"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"watchglass/internal/demo/store"
)

// selector matches objects. It extracts the fields it needs from the encoded object and decodes
// nothing else.
type selector struct {
	kind   *Kind
	labels labels.Selector // nil for all
	fields fields.Selector
}

// newSelector returns an error that names a field the kind does not support.
func newSelector(k *Kind, l labels.Selector, f fields.Selector) (selector, error) {
	s := selector{kind: k}
	if l != nil && !l.Empty() {
		s.labels = l
	}
	if f == nil || f.Empty() {
		return s, nil
	}
	for _, r := range f.Requirements() {
		_, known := k.Fields[r.Field]
		switch {
		case known, r.Field == "metadata.name", r.Field == "metadata.namespace":
		case len(k.Fields) > 0:
			return s, fmt.Errorf("field label not supported: %s", r.Field)
		default:
			return s, fmt.Errorf("%q is not a known field selector: only %q, %q", r.Field, "metadata.name", "metadata.namespace")
		}
	}
	s.fields = f
	return s, nil
}

// all reports whether the selector matches everything.
func (s selector) all() bool { return s.labels == nil && s.fields == nil }

func (s selector) matches(o *store.Object) bool {
	if o == nil {
		return false
	}
	if s.fields != nil {
		for _, r := range s.fields.Requirements() {
			if (s.field(o, r.Field) == r.Value) != (r.Operator != "!=") {
				return false
			}
		}
	}
	return s.labels == nil || s.labels.Matches(s.labelsOf(o))
}

func (s selector) field(o *store.Object, name string) string {
	switch name {
	case "metadata.name":
		return o.Name
	case "metadata.namespace":
		return o.Namespace
	}
	f := s.kind.Fields[name]
	switch text := fieldText(o.Raw, f.Path); {
	case text == "":
		return f.Default
	case f.Default == "false":
		return "true"
	default:
		return text
	}
}

// fieldText returns the string or number at the end of a path.
func fieldText(raw []byte, path []int32) (text string) {
	eachField(raw, func(number protowire.Number, value []byte, varint uint64) {
		switch {
		case number != protowire.Number(path[0]):
		case len(path) > 1:
			text = fieldText(value, path[1:])
		case value != nil:
			text = string(value)
		case varint > 0:
			text = strconv.FormatUint(varint, 10)
		}
	})
	return text
}

// eachField calls f for each field of a message that was encoded here.
func eachField(raw []byte, f func(number protowire.Number, value []byte, varint uint64)) {
	for len(raw) > 0 {
		number, typ, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return
		}
		raw = raw[n:]
		switch typ {
		case protowire.BytesType:
			value, size := protowire.ConsumeBytes(raw)
			f(number, value, 0)
			n = size
		case protowire.VarintType:
			value, size := protowire.ConsumeVarint(raw)
			f(number, nil, value)
			n = size
		default:
			n = protowire.ConsumeFieldValue(number, typ, raw)
		}
		if n < 0 {
			return
		}
		raw = raw[n:]
	}
}

// labelsField is the number of the labels within the metadata, which is field 1.
const labelsField = 11

func (s selector) labelsOf(o *store.Object) labels.Set {
	if s.kind.New == nil {
		var object struct {
			Metadata struct{ Labels map[string]string }
		}
		_ = json.Unmarshal(o.Raw, &object) // it was made here
		return object.Metadata.Labels
	}
	set := labels.Set{}
	eachField(o.Raw, func(number protowire.Number, meta []byte, _ uint64) {
		if number != 1 {
			return
		}
		eachField(meta, func(number protowire.Number, entry []byte, _ uint64) {
			if number == labelsField {
				set[fieldText(entry, []int32{1})] = fieldText(entry, []int32{2})
			}
		})
	})
	return set
}
