package object

import "bytes"

// Whole reports whether an object keeps all of what it was made from: a Table may have
// no more than the metadata in its rows.
func (k Kind) Whole(o *Object) bool {
	raw := o.Packed()
	if raw == nil || raw[0] != '{' {
		return raw != nil
	}
	kind := jsonNode(raw).Member("kind")
	return kind != nil && kind.Text() == k.Name
}

// Document is an object of the kind in JSON, as the apiserver would write it, out of
// the bytes that it keeps; none where it keeps none.
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
