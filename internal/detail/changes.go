package detail

import (
	"slices"
	"time"

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
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Lost says that of one of them no more than its row is kept: Fields are those of its
	// columns and metadata alone.
	Lost   bool    `json:"lost,omitempty"`
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
			v.Comparison = c.Compare(seen[i-1], seen[i])
			done[[2]*object.Object{seen[i-1].Object, seen[i].Object}] = v.Comparison
		}
		out = append(out, v)
	}
	c.done = done // what is not kept any more is let go
	return out
}

// Compare returns what differs between two versions. Of rows of a Table, which have no more
// than metadata, these are the columns and the metadata; there the generation counts, since
// it tells that the spec is another.
func (c *Comparer) Compare(from, to Seen) Comparison {
	if known, ok := c.done[[2]*object.Object{from.Object, to.Object}]; ok {
		return known
	}
	out := Comparison{From: from.Object.Version(), To: to.Object.Version()}
	before, after := c.body(from.Object), c.body(to.Object)
	out.Lost = !c.kind.Whole(from.Object) || !c.kind.Whole(to.Object)
	if out.Lost {
		out.Fields = cellsChanged(from, to)
		before, after = metadataOf(before), metadataOf(after)
	}
	if !before.Exists() || !after.Exists() {
		return out
	}
	for _, change := range diff.Objects(before.Any(), after.Any()) {
		switch {
		case change.Noise() && !(out.Lost && change.Path() == "metadata.generation"):
			out.Noise++
		case len(out.Fields) >= fieldsMost:
			out.More++
		default:
			f := Field{Path: change.Path(), Kind: change.Kind}
			f.Before, f.After = change.Printed()
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// cellsChanged returns the columns in which two rows differ.
func cellsChanged(from, to Seen) (fields []Field) {
	for i, column := range to.Columns {
		at := slices.IndexFunc(from.Columns, func(c object.Column) bool { return c.Name == column.Name })
		if at < 0 {
			continue
		}
		before, was := cellText(from.Object.Cell(from.Columns, at))
		after, is := cellText(to.Object.Cell(to.Columns, i))
		if was && is && before != after {
			fields = append(fields, Field{Path: column.Name, Kind: diff.Changed, Before: before, After: after})
		}
	}
	return fields
}

// cellText returns a cell for comparison: an instant as such, since ages differ all the time.
// Of one that is known from its age alone there is none.
func cellText(c object.Cell) (text string, ok bool) {
	switch {
	case c.Approximate():
		return "", false
	case c.At != 0 && c.Kind == object.AgeCell:
		return time.Unix(c.At, 0).UTC().Format(time.RFC3339), true
	}
	return string(c.Append(nil, time.Unix(c.At, 0))), true
}

func metadataOf(v Value) Value {
	if meta := v.At("metadata"); meta.Exists() {
		return Value{map[string]any{"metadata": meta.Any()}}
	}
	return Value{}
}

// body is what is kept of a version: all of it, or its metadata.
func (c *Comparer) body(o *object.Object) Value {
	doc, err := c.kind.Document(o)
	if err != nil || doc == nil {
		return Value{}
	}
	v, err := ParseValue(doc)
	if err != nil {
		return Value{}
	}
	return v
}
