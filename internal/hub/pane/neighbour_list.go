package pane

import (
	"slices"
	"strings"

	"watchglass/internal/detail/related"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
)

// neighbourList is one list of neighbours, or the part of a longer list that is needed.
type neighbourList struct {
	*source.Feed
	need    related.Need
	kind    object.Kind
	shared  bool                      // it is the list of all objects that some view holds
	indexed map[string]*object.Object // what the index has of it, by key
}

// newNeighbourList leases the needed objects: from the list of all objects, if share is set
// and some view holds it, else from a list of their own.
func newNeighbourList(h Host, kind object.Kind, need related.Need, share bool) *neighbourList {
	l := &neighbourList{need: need, kind: kind, indexed: make(map[string]*object.Object)}
	var lease *source.Lease
	if share {
		lease = h.LeaseHeld(kind)
	}
	if l.shared = lease != nil; !l.shared {
		lease = h.Lease(kind, source.Selection{Namespace: need.Namespace, Fields: need.Fields, Metadata: need.OwnersOnly})
	}
	decoder := lease.Decoder().(*object.Decoder)
	l.Feed = source.Follow(lease, func(o *object.Object) bool { return l.needs(decoder, o) }, h.RequestUpdate)
	return l
}

// needs reports whether an object of the list is needed.
func (l *neighbourList) needs(decoder *object.Decoder, o *object.Object) bool {
	if l.need.Namespace != "" && o.Namespace() != l.need.Namespace || l.need.OwnersOnly && !o.Owned() {
		return false
	}
	if name, ok := strings.CutPrefix(l.need.Fields, related.ByName); ok {
		return o.Name() == name
	}
	if node, ok := strings.CutPrefix(l.need.Fields, related.OnNode); ok && l.shared {
		columns := decoder.Columns()
		i := slices.IndexFunc(columns, func(c object.Column) bool { return c.Name == "Node" })
		return i >= 0 && o.Cell(columns, i).Text == node
	}
	return true
}

// read drains at most so many changes and returns their number, and those that concern the
// index. Before of each is the version that the index has, since the mailbox may have merged
// several changes.
func (l *neighbourList) read(most int) (read int, out []related.Change) {
	if most <= 0 {
		return 0, nil
	}
	decoder := l.Decoder()
	columns := decoder.Columns()
	changes := l.Drain(most)
	for _, c := range changes {
		before, after := l.indexed[c.Key], c.Now
		if after != nil && !l.needs(decoder, after) {
			after = nil
		}
		switch {
		case after != nil:
			l.indexed[c.Key] = after
		case before == nil:
			continue
		default:
			delete(l.indexed, c.Key)
		}
		out = append(out, related.Change{Kind: l.kind, Columns: columns, Before: before, After: after, OwnersOnly: l.need.OwnersOnly})
	}
	return len(changes), out
}

// reset reads all objects of the list again, for an index that has none of them.
func (l *neighbourList) reset() {
	clear(l.indexed)
	l.Refill()
}

// length returns how many objects the list costs: all of them if the list is its
// own, else those that it reads.
func (l *neighbourList) length() int {
	if !l.shared {
		return l.Store().Len()
	}
	return len(l.indexed) + l.Pending()
}
