package view

import (
	"cmp"
	"slices"
	"strings"

	"watchglass/internal/object"
)

// Sight returns a function that reports whether an object is on screen, by its key: whether its row is in the window
// that was sent last, or among some more before and after it. If the rows are in order of their keys, all keys between
// the objects beside them count, since their rows would appear there, unless the filter hides most of them. Groups show
// no objects. The function can be called from any goroutine.
func (v *View) Sight(more int) func(key string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	rows := v.near(more)
	if r, ok := v.room(rows); ok {
		return r.has
	}
	keys := make(map[string]bool, len(rows))
	for _, o := range rows {
		keys[o.Key()] = true
	}
	return func(key string) bool { return keys[key] }
}

// near returns the rows in the window that was sent last, and some more before and after it.
func (v *View) near(more int) []*object.Object {
	if v.sent.Group != "" || v.shape.Columns == nil {
		return nil
	}
	from := max(v.sent.Offset-more, 0)
	return v.lines().rows.Objects(from, v.sent.Offset+len(v.sent.Rows)+more-from)
}

// room is what lies between two objects in the order of namespaces and names.
type room struct {
	after, before name
	open          bool // nothing is after it
}

// name is the namespace and the name of an object. The zero value is before all others.
type name struct{ namespace, name string }

// spacing is the most objects per row that a room may hold. With more, most objects that come would not match.
const spacing = 2

// room returns the room around rows, up to the objects beside them. It is not ok if the rows are in another order, if
// few of the objects between them match, or if there are no others: then any number of objects may come.
func (v *View) room(rows []*object.Object) (r room, ok bool) {
	all := &v.byKey
	if len(rows) == 0 || !slices.IsSortedFunc(rows, all.Compare) {
		return r, false
	}
	first, one := all.Index(rows[0])
	last, two := all.Index(rows[len(rows)-1])
	if r.open = last == all.Len()-1; !one || !two || last-first >= spacing*len(rows) || first == 0 && r.open {
		return r, false
	}
	if first > 0 {
		r.after = nameOf(all.At(first - 1))
	}
	if !r.open {
		r.before = nameOf(all.At(last + 1))
	}
	return r, true
}

func nameOf(o *object.Object) name { return name{o.Namespace(), o.Name()} }

// nameIn returns the name in a key.
func nameIn(key string) name {
	if namespace, bare, ok := strings.Cut(key, "/"); ok {
		return name{namespace, bare}
	}
	return name{"", key}
}

func (r *room) has(key string) bool {
	n := nameIn(key)
	return n.compare(r.after) > 0 && (r.open || n.compare(r.before) < 0)
}

// compare compares as a list without a sort order does.
func (n name) compare(o name) int {
	return cmp.Or(strings.Compare(n.namespace, o.namespace), strings.Compare(n.name, o.name))
}
