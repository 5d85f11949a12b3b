package detail

import (
	"slices"
	"time"

	"watchglass/internal/detail/diff"
	"watchglass/internal/document"
	"watchglass/internal/object"
)

// ChangesOptions are the options of the changes tab: two versions to compare.
type ChangesOptions struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Revisions are two numbers of revisions to compare, "13,14", or one to compare with the one before.
	Revisions string `json:"revisions,omitempty"`
}

// Changes is the history of an object as the tab has seen it.
type Changes struct {
	Since    int64     `json:"since,omitempty"` // since when changes are remembered, in unix milliseconds like all times here; 0 if unknown
	Deleted  bool      `json:"deleted,omitempty"`
	Gone     int64     `json:"gone,omitempty"` // when the object was seen to be deleted; 0 if that was not seen
	Secret   bool      `json:"secret,omitempty"`
	Versions []Version `json:"versions,omitempty"` // newest first
	// Revisions are those of a workload; nil for other kinds.
	Revisions *Revisions `json:"revisions,omitempty"`
	// Compared is the difference between the two requested versions.
	Compared *Comparison `json:"compared,omitempty"`
}

// Version is one version of the object, with its changes from the version before.
type Version struct {
	Version string `json:"version"`
	At      int64  `json:"at,omitempty"`    // when it arrived; 0 if it was there at the start
	Since   int64  `json:"since,omitempty"` // it was changed between then and At, and so may others have been
	Comparison
}

// Comparison is the difference between two versions.
type Comparison struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Lost says that only the table row of one version is kept. Fields then covers only its
	// columns and metadata.
	Lost   bool    `json:"lost,omitempty"`
	Fields []Field `json:"fields,omitempty"`
	// Noise counts further fields whose changes mean nothing by themselves.
	Noise int `json:"noise,omitempty"`
	// More counts further fields beyond the maximum.
	More int `json:"more,omitempty"`
	// Short says that the versions are too large: only a part of them was compared.
	Short bool `json:"short,omitempty"`
}

// Field is a field that differs.
type Field struct {
	Path   string    `json:"path"`
	Kind   diff.Kind `json:"kind"`
	Before string    `json:"before,omitempty"`
	After  string    `json:"after,omitempty"`
}

// fieldsMost is the maximum number of fields reported for one change.
const fieldsMost = 100

// Comparer compares versions of one kind and caches the results. It is for one goroutine.
type Comparer struct {
	kind object.Kind
	done map[[2]*object.Object]Comparison
}

// NewComparer returns a Comparer with an empty cache.
func NewComparer(kind object.Kind) *Comparer {
	return &Comparer{kind: kind, done: make(map[[2]*object.Object]Comparison)}
}

// Versions returns the recorded versions of an object, the newest first, each with its changes.
func (c *Comparer) Versions(seen []Observation) []Version {
	var out []Version
	done := make(map[[2]*object.Object]Comparison, len(seen))
	for i := len(seen) - 1; i >= 0; i-- {
		v := Version{Version: seen[i].Object.Version()}
		if !seen[i].At.IsZero() {
			v.At = seen[i].At.UnixMilli()
		}
		if !seen[i].Since.IsZero() {
			v.Since = seen[i].Since.UnixMilli()
		}
		if i > 0 {
			v.Comparison = c.Compare(seen[i-1], seen[i])
			done[[2]*object.Object{seen[i-1].Object, seen[i].Object}] = v.Comparison
		}
		out = append(out, v)
	}
	c.done = done // drops the results for versions that are no longer kept
	return out
}

// Compare returns the difference between two versions. Rows of a Table have only metadata; for
// these it compares the columns and the metadata. There the generation counts, since it shows
// that the spec has changed.
func (c *Comparer) Compare(from, to Observation) Comparison {
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
	out.compare(before, after)
	return out
}

// compare adds what differs between two values.
func (c *Comparison) compare(before, after document.Value) {
	changes, whole := diff.Objects(before.Any(), after.Any())
	c.add(changes)
	c.Short = !whole
}

// add adds changes, and counts those that are noise or too many.
func (c *Comparison) add(changes []diff.Change) {
	for _, change := range changes {
		switch {
		case change.Noise() && !(c.Lost && change.Path() == "metadata.generation"):
			c.Noise++
		case len(c.Fields) >= fieldsMost:
			c.More++
		default:
			f := Field{Path: change.Path(), Kind: change.Kind}
			f.Before, f.After = change.Printed()
			c.Fields = append(c.Fields, f)
		}
	}
}

// cellsChanged returns the columns whose cells differ between two rows.
func cellsChanged(from, to Observation) (fields []Field) {
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

// cellText returns a cell for comparison. It writes an age as an instant, since ages always
// differ. It returns false for an instant that is known only from an age.
func cellText(c object.Cell) (text string, ok bool) {
	switch {
	case c.Approximate():
		return "", false
	case c.At != 0 && c.Kind == object.AgeCell:
		return time.Unix(c.At, 0).UTC().Format(time.RFC3339), true
	}
	return string(c.Append(nil, time.Unix(c.At, 0))), true
}

func metadataOf(v document.Value) document.Value {
	if meta := v.At("metadata"); meta.Exists() {
		return document.Of(map[string]any{"metadata": meta.Any()})
	}
	return document.Value{}
}

// body returns what is kept of a version: all of it, or only its metadata.
func (c *Comparer) body(o *object.Object) document.Value {
	doc, err := c.kind.Document(o)
	if err != nil || doc == nil {
		return document.Value{}
	}
	v, err := document.Parse(doc)
	if err != nil {
		return document.Value{}
	}
	return v
}
