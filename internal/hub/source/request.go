package source

import (
	"slices"
	"strings"

	"watchglass/internal/detail/related"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Selection selects objects of a kind. The zero Selection selects all of them.
type Selection struct {
	Namespace string
	Labels    string   // a label selector
	Fields    string   // a field selector
	Metadata  bool     // only the metadata of the objects
	Paths     []string // added columns
}

// Request names the source of all objects of a kind in a namespace. Rows of a Table come
// with whole objects where a date or an extra column needs them.
func Request(kind object.Kind, namespace string, extras ...object.Extra) wire.Request {
	r := wire.Request{Group: kind.Group, Version: kind.Version, Resource: kind.Resource, Namespace: namespace}
	switch {
	case kind.Printed():
	case kind.Printing().Body, slices.ContainsFunc(extras, object.Extra.NeedsBody):
		r.Encoding = wire.EncodingWhole
	default:
		r.Encoding = wire.EncodingTable
	}
	return r
}

// Whole names the source of all objects of a kind in a namespace, with their bodies.
func Whole(kind object.Kind, namespace string) wire.Request {
	r := Request(kind, namespace)
	if r.Encoding == wire.EncodingTable {
		r.Encoding = wire.EncodingWhole
	}
	return r
}

// One names the source of a single object, with its body.
func One(kind object.Kind, namespace, name string) wire.Request {
	r := Whole(kind, namespace)
	r.FieldSelector = related.ByName + name
	return r
}

// Selected names the source of a selection.
func Selected(kind object.Kind, s Selection) wire.Request {
	if name, ok := strings.CutPrefix(s.Fields, related.ByName); ok && !s.Metadata {
		return One(kind, s.Namespace, name)
	}
	r := Request(kind, s.Namespace)
	if r.LabelSelector, r.FieldSelector = s.Labels, s.Fields; s.Metadata {
		r.Encoding = wire.EncodingMetadata
	}
	return r
}
