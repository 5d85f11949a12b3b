//go:build !js

package api

import (
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"watchglass/internal/demo/store"
	"watchglass/internal/object/encoded"
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
	for f := encoded.FieldsOf(raw); f.Next(); {
		switch {
		case f.Number != int(path[0]):
		case len(path) > 1:
			text = fieldText(f.Bytes, path[1:])
		case f.Bytes != nil:
			text = string(f.Bytes)
		case f.Num > 0:
			text = strconv.FormatUint(f.Num, 10)
		}
	}
	return text
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
	for f := encoded.FieldsOf(o.Raw); f.Next(); {
		if f.Number != 1 {
			continue
		}
		for meta := encoded.FieldsOf(f.Bytes); meta.Next(); {
			if meta.Number == labelsField {
				set[fieldText(meta.Bytes, []int32{1})] = fieldText(meta.Bytes, []int32{2})
			}
		}
	}
	return set
}
