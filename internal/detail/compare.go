package detail

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/detail/diff"
	"watchglass/internal/document"
	"watchglass/internal/wire"
)

// CompareOptions are the options of the Compare tab.
type CompareOptions struct {
	// With is the object to compare with; without a name there is none. Context is the context of
	// its cluster; "" is that of the open object.
	With    Ref    `json:"with,omitzero"`
	Context string `json:"context,omitempty"`
	// Whole names the fields whose values are wanted in full.
	Whole []string `json:"whole,omitempty"`
	// Places asks for the namespaces with an object of the same kind and name.
	Places bool `json:"places,omitempty"`
}

// ObjectPair is two objects side by side. The left one is the one that is compared with; the right
// one is the open object.
type ObjectPair struct {
	Left  Side `json:"left"`
	Right Side `json:"right"`
	// Known says that both objects are known. Otherwise there are no rows.
	Known  bool        `json:"known,omitempty"`
	Rows   []FieldPair `json:"rows,omitempty"`
	Folded []FieldPair `json:"folded,omitempty"` // those that always differ
	Equal  int         `json:"equal,omitempty"`  // how many values are the same
	// More and MoreFolded count further fields beyond the maximum.
	More       int `json:"more,omitempty"`
	MoreFolded int `json:"moreFolded,omitempty"`
	// Short says that the objects are too large: only a part of them was compared.
	Short  bool `json:"short,omitempty"`
	Secret bool `json:"secret,omitempty"` // one of them is a Secret, whose values are withheld
	// Places are the namespaces with an object of the same kind and name, if they were asked for.
	Places *Places `json:"places,omitempty"`
}

// Side is one of the two objects.
type Side struct {
	Kind    string       `json:"kind,omitempty"`
	Version string       `json:"version,omitempty"`
	State   State        `json:"state,omitempty"`
	Said    *wire.Status `json:"said,omitempty"` // why it is not live
}

// Places are namespaces, sorted.
type Places struct {
	Names []string     `json:"names,omitempty"`
	More  int          `json:"more,omitempty"` // further ones
	State State        `json:"state"`
	Said  *wire.Status `json:"said,omitempty"`
}

// FieldPair is a field of two objects. An Added one is only right, a Removed one only left.
type FieldPair struct {
	Path  string    `json:"path"`
	Kind  diff.Kind `json:"kind"` // SameNow, or as in package diff
	Left  string    `json:"left,omitempty"`
	Right string    `json:"right,omitempty"`
	// Lines is set instead for texts of several lines.
	Lines []diff.Line `json:"lines,omitempty"`
	Cut   bool        `json:"cut,omitempty"`  // some of it is left out; Whole would show it
	Over  bool        `json:"over,omitempty"` // it is too long to show in full
	// At is when the field last changed while both were watched, in unix milliseconds.
	At int64 `json:"at,omitempty"`
}

// SameNow is the kind of a field that differed a moment ago.
const SameNow diff.Kind = "same"

// The maxima of a document.
const (
	rowsMost   = 300
	foldedMost = 50
	cutMost    = 1 << 10  // bytes of a value
	wholeMost  = 64 << 10 // of a value that is wanted in full
	bytesMost  = 512 << 10
	pathMost   = 400
	linesMost  = 60 // lines of a text
)

// SideBySide compares two objects field by field. It returns only what is in the objects: the rows
// and the numbers.
func SideBySide(left, right document.Value, whole []string) ObjectPair {
	out, room, effort := ObjectPair{Known: true}, bytesMost, diff.Most
	equal, complete := diff.Walk(left.Any(), right.Any(), func(c diff.Change) {
		switch folds := alwaysDiffers(c); {
		case folds && len(out.Folded) == foldedMost:
			out.MoreFolded++
		case folds:
			out.Folded = append(out.Folded, twoSided(c, nil, &effort))
		case len(out.Rows) == rowsMost || room < 0:
			out.More++
		default:
			row := twoSided(c, whole, &effort)
			room -= row.size()
			out.Rows = append(out.Rows, row)
		}
	})
	out.Equal, out.Short = equal, !complete
	out.Secret = diff.IsSecret(left.Any()) || diff.IsSecret(right.Any())
	return out
}

// identity are the fields of the metadata that differ between any two objects.
var identity = []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "selfLink", "name", "namespace"}

// alwaysDiffers reports whether a field says nothing about how two objects differ: who they are,
// their versions and when something happened to them. A field of the spec never does.
func alwaysDiffers(c diff.Change) bool {
	s := c.Steps
	if len(s) < 2 {
		return false
	}
	last := s[len(s)-1]
	switch {
	case s[0].Key == "metadata" && slices.Contains(identity, s[1].Key):
		return true
	case s[0].Key == "metadata" && len(s) == 3 && s[1].Key == "annotations":
		return last.Key == diff.LastApplied // it repeats the object
	case s[0].Key == "metadata" && len(s) == 4 && s[1].Key == "ownerReferences":
		return last.Key == "uid"
	case s[0].Key == "status":
		return last.Key == "observedGeneration" || !last.Item && isTime(c.Before) && isTime(c.After)
	}
	return false
}

// isTime reports whether a value is a time. A time on one side only is a difference: something happened to one object
// and never to the other.
func isTime(v any) bool {
	text, ok := v.(string)
	if !ok {
		return false
	}
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// twoSided returns a row for a change.
func twoSided(c diff.Change, whole []string, effort *diff.Effort) FieldPair {
	row := FieldPair{Path: c.Path(), Kind: c.Kind}
	if len(row.Path) > pathMost {
		row.Path = diff.Cut(row.Path, pathMost)
	}
	most, lines := cutMost, linesMost
	full := slices.Contains(whole, row.Path)
	if full {
		most, lines = wholeMost, wholeMost
	}
	a, was := c.Before.(string)
	b, is := c.After.(string)
	if was && is && strings.Contains(a+b, "\n") {
		all := diff.Lines(a, b, full, effort)
		row.Lines = cutLines(all, lines, max(most, 4*cutMost))
		row.Cut = len(row.Lines) < len(all) || slices.ContainsFunc(row.Lines, func(l diff.Line) bool { return l.Skip > 0 })
	} else {
		left, right := c.Values()
		row.Left, row.Right = cutPair(left, right, most)
		row.Cut = row.Left != left || row.Right != right
	}
	row.Over = full && row.Cut
	return row
}

// cutLines returns the first lines, up to a number and a size.
func cutLines(all []diff.Line, most, bytes int) []diff.Line {
	for i := range all {
		if bytes -= len(all[i].Text) + 16; i == most || bytes < 0 {
			if i == 0 {
				return []diff.Line{{Kind: all[0].Kind, Text: diff.Cut(all[0].Text, cutMost)}, {Skip: len(all) - 1}}
			}
			return append(all[:i:i], diff.Line{Skip: len(all) - i})
		}
	}
	return all
}

// cutPair shortens two values to where they begin to differ.
func cutPair(a, b string, most int) (string, string) {
	if len(a) <= most && len(b) <= most {
		return a, b
	}
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(at-most/4, 0)
	return cutFrom(a, from, most), cutFrom(b, from, most)
}

// cutFrom returns a part of a text.
func cutFrom(s string, from, most int) string {
	if from = min(from, len(s)); from == 0 {
		return diff.Cut(s, most)
	}
	for from < len(s) && s[from]&0xC0 == 0x80 { // within a character
		from++
	}
	return "… " + diff.Cut(s[from:], most)
}

// size returns how many bytes of text there are in a row.
func (p FieldPair) size() int {
	n := len(p.Path) + len(p.Left) + len(p.Right)
	for _, l := range p.Lines {
		n += len(l.Text) + 16
	}
	return n
}

// Same reports whether two rows show the same values.
func (p FieldPair) Same(other FieldPair) bool {
	return p.Kind == other.Kind && p.Left == other.Left && p.Right == other.Right && slices.Equal(p.Lines, other.Lines)
}
