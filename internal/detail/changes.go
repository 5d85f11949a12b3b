package detail

import (
	"watchglass/internal/detail/diff"
	"watchglass/internal/object"
)

// ChangesOptions are those of the tab with the changes: two versions to compare.
type ChangesOptions struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Changes is what the tab has seen happen to an object.
type Changes struct {
	Since    int64     `json:"since,omitempty"` // the tab looks, in unix milliseconds, as all times here
	Gone     int64     `json:"gone,omitempty"`  // the object is
	Secret   bool      `json:"secret,omitempty"`
	Versions []Version `json:"versions,omitempty"` // newest first
	// Compared is what differs between the two versions that were asked for.
	Compared *Comparison `json:"compared,omitempty"`
}

// Version is one version of the object, and what changed to make it.
type Version struct {
	Version string `json:"version"`
	At      int64  `json:"at,omitempty"` // that it came; none of what was there at first
	Comparison
}

// Comparison is what differs between two versions.
type Comparison struct {
	From   string  `json:"from,omitempty"`
	To     string  `json:"to,omitempty"`
	Lost   bool    `json:"lost,omitempty"` // of one of them no more than its row is kept
	Fields []Field `json:"fields,omitempty"`
	// Noise is how many more fields there are, which say nothing by themselves.
	Noise int `json:"noise,omitempty"`
	// More is how many are not told, of too many.
	More int `json:"more,omitempty"`
}

// Field is one that differs.
type Field struct {
	Path   string    `json:"path"`
	Kind   diff.Kind `json:"kind"`
	Before string    `json:"before,omitempty"`
	After  string    `json:"after,omitempty"`
}

// fieldsMost is how many fields are told of one change.
const fieldsMost = 100

// Comparer compares versions of one kind. It keeps what it has compared, and is for one
// goroutine.
type Comparer struct {
	kind object.Kind
	done map[[2]*object.Object]Comparison
}

// NewComparer has compared nothing.
func NewComparer(kind object.Kind) *Comparer {
	return &Comparer{kind: kind, done: make(map[[2]*object.Object]Comparison)}
}

// Versions are what is kept of an object, the newest first, each with what it changed.
func (c *Comparer) Versions(seen []Seen) []Version {
	var out []Version
	done := make(map[[2]*object.Object]Comparison, len(seen))
	for i := len(seen) - 1; i >= 0; i-- {
		v := Version{Version: seen[i].Object.Version()}
		if !seen[i].At.IsZero() {
			v.At = seen[i].At.UnixMilli()
		}
		if i > 0 {
			pair := [2]*object.Object{seen[i-1].Object, seen[i].Object}
			v.Comparison = c.Compare(pair[0], pair[1])
			done[pair] = v.Comparison
		}
		out = append(out, v)
	}
	c.done = done // what is not kept any more is let go
	return out
}

// Compare tells what differs between two versions.
func (c *Comparer) Compare(from, to *object.Object) Comparison {
	if known, ok := c.done[[2]*object.Object{from, to}]; ok {
		return known
	}
	out := Comparison{From: from.Version(), To: to.Version()}
	before, after := c.body(from), c.body(to)
	if !before.Exists() || !after.Exists() {
		out.Lost = true
		return out
	}
	for _, change := range diff.Objects(before.Any(), after.Any()) {
		switch {
		case change.Noise():
			out.Noise++
		case len(out.Fields) == fieldsMost:
			out.More++
		default:
			f := Field{Path: change.Path(), Kind: change.Kind}
			f.Before, f.After = change.Printed()
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// body is all of a version, if it is kept.
func (c *Comparer) body(o *object.Object) Value {
	if !c.kind.Whole(o) {
		return Value{}
	}
	doc, err := c.kind.Document(o)
	if err != nil {
		return Value{}
	}
	v, err := ParseValue(doc)
	if err != nil {
		return Value{}
	}
	return v
}
