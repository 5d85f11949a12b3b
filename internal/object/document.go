package object

import "bytes"

// Whole reports whether an object keeps everything it was decoded from: the rows of a Table may
// contain only the metadata.
func (k Kind) Whole(o *Object) bool {
	raw := o.Packed()
	if raw == nil || raw[0] != '{' {
		return raw != nil
	}
	kind := jsonNode(raw).Member("kind")
	return kind != nil && kind.Text() == k.Name
}

// Document returns an object of the kind in JSON, as the apiserver would write it, from its
// packed bytes; nil if it has none.
func (k Kind) Document(o *Object) ([]byte, error) {
	raw := o.Packed()
	if raw == nil || raw[0] == '{' {
		return bytes.Clone(raw), nil
	}
	m, ok := MessageOf(k.APIVersion(), k.Name)
	if !ok {
		return nil, ErrKind
	}
	doc := AppendString(append(AppendString([]byte(`{"kind":`), k.Name), `,"apiVersion":`...), k.APIVersion())
	doc, err := m.appendMembers(doc, raw, 0)
	return append(doc, '}'), err
}
