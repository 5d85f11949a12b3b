package compare

import (
	"slices"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/internal/sorting"
	"watchglass/web/route"
)

// sides returns the names of the objects as they are on screen.
func (t *Tab) sides() (left, right route.Object) {
	left, right = t.host.Marked(), t.this()
	if t.host.Address().Flip {
		left, right = right, left
	}
	return left, right
}

// flipped returns a row as it is on screen, whichever side the marked object is on.
func (t *Tab) flipped(r detail.FieldPair) detail.FieldPair {
	if !t.host.Address().Flip {
		return r
	}
	swap := func(k diff.Kind) diff.Kind {
		switch k {
		case diff.Added:
			return diff.Removed
		case diff.Removed:
			return diff.Added
		}
		return k
	}
	r.Kind, r.Left, r.Right = swap(r.Kind), r.Right, r.Left
	r.Lines = slices.Clone(r.Lines)
	for i := range r.Lines {
		r.Lines[i].Kind = swap(r.Lines[i].Kind)
	}
	for i := 0; i < len(r.Lines); i++ { // what is removed comes first
		from := i
		for i < len(r.Lines) && r.Lines[i].Kind != "" {
			i++
		}
		sorting.StableBy(r.Lines[from:i], func(a, b diff.Line) int { return -strings.Compare(string(a.Kind), string(b.Kind)) })
	}
	return r
}
