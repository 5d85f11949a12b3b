package timeline

import (
	"cmp"
	"slices"
)

// MostRows is how many entries a list has: the newest.
const MostRows = 2000

// Row is an entry as a list shows it.
type Row struct {
	Number                          int // distinguishes the entry from all others of its Timeline
	At                              int64
	Class                           Class
	Resource, Kind, Namespace, Name string
	Owner, Node, Words              string
}

// Newest are the newest entries that no rule folds.
type Newest struct {
	read  int
	knows int // the Timeline's learnt: owners are in rows
	until int64
	rows  []*Row // sorted, the newest last
}

// Rows returns the entries, the oldest first. They must not be changed.
func (n *Newest) Rows() []*Row { return n.rows }

// Read adds what has been read since the last call, keeps so many, and reports whether that changes
// them. Entries later than a moment, in unix milliseconds, are none, unless that is 0.
func (n *Newest) Read(t *Timeline, most int, until int64) (changed bool) {
	if n.until != until || n.knows != t.learnt {
		*n, changed = Newest{until: until, knows: t.learnt}, true
	}
	for ; n.read < t.count; n.read++ {
		e := t.entry(n.read + 1)
		if e == nil || e.rule != 0 || until != 0 && e.At > until {
			continue
		}
		n.rows, changed = append(n.rows, e.row()), true
		if len(n.rows) >= 4*most {
			n.trim(most)
		}
	}
	if changed {
		n.trim(most)
	}
	return changed
}

// trim keeps the newest.
func (n *Newest) trim(most int) {
	slices.SortFunc(n.rows, func(a, b *Row) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Number, b.Number)) })
	n.rows = slices.Clone(n.rows[max(len(n.rows)-most, 0):])
}

func (e *Entry) row() *Row {
	o := e.Of
	return &Row{Number: e.number, At: e.At, Class: e.Class(), Resource: o.Resource, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Owner: o.Owner, Node: o.Node, Words: e.Words}
}
