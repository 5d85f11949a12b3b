package object

import (
	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
	"watchglass/internal/query"
)

// Find calls found for each text at a path in an object of the kind. There is none if the
// object has no packed bytes.
func (k Kind) Find(o *Object, path query.Path, found func(text string)) {
	path.Find(k.node(o.Packed()), func(n tree.Node) { found(n.Text()) })
}

// node returns an object of the kind from its packed bytes; absent if there are none, or the schema does not know the kind.
func (k Kind) node(raw []byte) tree.Node {
	if len(raw) > 0 && raw[0] == '{' {
		return tree.FromJSON(raw)
	}
	if m, ok := schema.Of(k.APIVersion(), k.Name); ok && raw != nil {
		return tree.FromMessage(m, raw)
	}
	return tree.Node{}
}

// Root returns an object of the kind from a payload that a Decoder decodes; absent if that is malformed or of another
// kind. Of a row of a Table it is the object in the row.
func (k Kind) Root(payload []byte) tree.Node {
	if !encoded.IsProtobuf(payload) {
		if _, doc, err := encoded.Row(payload); err == nil {
			return tree.FromJSON(doc)
		}
		return tree.Node{}
	}
	apiVersion, kind, raw, err := encoded.Open(payload)
	if err != nil || string(kind) != k.Name || string(apiVersion) != k.APIVersion() {
		return tree.Node{}
	}
	m, ok := schema.Of(k.APIVersion(), k.Name)
	if !ok {
		return tree.Node{}
	}
	return tree.FromMessage(m, raw)
}

// Spec returns the bytes of the spec in a payload of an object of the kind; nil if it has none in protobuf. It
// does not look into the spec, so it is quick.
func (k Kind) Spec(payload []byte) []byte {
	if spec := k.Root(payload).Get("spec"); !spec.IsJSON() {
		return spec.Raw()
	}
	return nil
}

// Parts returns an object for document.Of: nil if the object has no packed bytes.
func (k Kind) Parts(o *Object) (any, error) {
	raw := o.Packed()
	root := k.node(raw)
	switch {
	case raw == nil:
		return nil, nil
	case root.IsJSON() && root.Exists():
		return tree.Decode(root)
	case root.IsJSON():
		return nil, ErrKind
	}
	p, err := tree.NewPart(root, tree.Member{Name: "kind", Node: tree.FromText(k.Name)}, tree.Member{Name: "apiVersion", Node: tree.FromText(k.APIVersion())})
	if err != nil {
		return nil, err
	}
	return p, nil
}
