package object

import "watchglass/internal/query"

// Find calls found for each text at a path in an object of the kind. There is none if the
// object has no packed bytes.
func (k Kind) Find(o *Object, path query.Path, found func(text string)) {
	raw := o.Packed()
	var root query.Node
	switch m, ok := MessageOf(k.APIVersion(), k.Name); {
	case raw == nil:
		return
	case raw[0] == '{':
		root = jsonNode(raw)
	case ok:
		root = messageNode{m, raw}
	default:
		return
	}
	path.Find(root, func(n query.Node) { found(n.Text()) })
}
