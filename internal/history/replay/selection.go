package replay

import (
	"strings"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
	"watchglass/internal/query"
	"watchglass/internal/wire"
)

// selection is the objects of a stream that a request selects, and their encoding.
type selection struct {
	kind      object.Kind
	namespace string
	name      string
	labels    query.Selector
	fields    []field
	metadata  bool
	decoder   *object.Decoder // nil until it is needed
}

// field is a term of a field selector.
type field struct {
	path  query.Path
	value string
	not   bool
}

// selected returns the selection of a request.
func selected(q wire.Request, about history.Stream) (*selection, *wire.Status) {
	s := &selection{kind: kindOf(about), name: q.Name, metadata: q.Encoding == wire.EncodingMetadata}
	if about.Namespace == "" && about.Namespaced {
		s.namespace = q.Namespace
	}
	var err error
	if q.LabelSelector != "" {
		if s.labels, err = query.ParseSelector(q.LabelSelector); err != nil {
			return nil, refusal(400, wire.ReasonBadRequest, "invalid label selector: "+err.Error())
		}
	}
	for term := range strings.SplitSeq(q.FieldSelector, ",") {
		if term == "" {
			continue
		}
		path, value, ok := strings.Cut(term, "=")
		f := field{value: strings.TrimPrefix(value, "=")}
		path, f.not = strings.CutSuffix(path, "!")
		if !f.not && path == "metadata.name" {
			s.name = f.value
			continue
		}
		if f.path, err = query.ParsePath("{." + path + "}"); err != nil || !ok {
			return nil, refusal(400, wire.ReasonBadRequest, "invalid field selector "+q.FieldSelector)
		}
		s.fields = append(s.fields, f)
	}
	return s, nil
}

func kindOf(s history.Stream) object.Kind {
	return object.Kind{Group: s.Group, Version: s.Version, Resource: s.Resource, Name: s.Kind, Namespaced: s.Namespaced}
}

// has reports whether an object is selected.
func (s *selection) has(key string, payload []byte) bool {
	namespace, name, namespaced := strings.Cut(key, "/")
	if !namespaced {
		namespace, name = "", key
	}
	switch {
	case s.namespace != "" && s.namespace != namespace, s.name != "" && s.name != name:
		return false
	case s.labels == nil && s.fields == nil:
		return true
	}
	o := s.decode(payload)
	if o == nil || s.labels != nil && !s.labels.Matches(o.Labels()) {
		return false
	}
	for _, f := range s.fields {
		text := ""
		s.kind.Find(o, f.path, func(found string) { text = found })
		if (text == f.value) == f.not {
			return false
		}
	}
	return true
}

// decode decodes an object; nil if it can't be read.
func (s *selection) decode(payload []byte) *object.Object {
	if s.decoder == nil {
		s.decoder = object.NewDecoder(s.kind, true)
	}
	o, err := s.decoder.Decode(payload)
	if err != nil {
		return nil
	}
	return o
}

// encode returns an object in the requested encoding. An unreadable object is unchanged: the tab reports
// that it can't be read.
func (s *selection) encode(payload []byte) []byte {
	if !s.metadata {
		return payload
	}
	o := s.decode(payload)
	if o == nil {
		return payload
	}
	doc, err := s.kind.Document(o)
	if err != nil {
		return payload
	}
	out := []byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":`)
	err = encoded.Members(doc, func(key string, value []byte) error {
		if key == "metadata" {
			out = append(out, value...)
		}
		return nil
	})
	if err != nil {
		return payload
	}
	return append(out, '}')
}

// change returns a change as the request sees it: an object that becomes selected is added, and one that
// no longer is selected is deleted. The type is 0 if it is selected neither before nor after.
func (s *selection) change(c history.Change) (wire.EventType, []byte) {
	was, is := c.Before != nil && s.has(c.Key, c.Before), c.After != nil && s.has(c.Key, c.After)
	switch {
	case was && is:
		return wire.Modified, s.encode(c.After)
	case is:
		return wire.Added, s.encode(c.After)
	case was:
		return wire.Deleted, s.encode(c.Before)
	}
	return 0, nil
}
