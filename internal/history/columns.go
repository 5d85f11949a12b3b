package history

import (
	"bytes"

	"watchglass/internal/object"
)

// columns returns the columns of the source's rows; nil if its objects are no rows, or there was none yet.
func (in *Input) columns() []byte {
	if in.Kind.Printed() {
		return nil
	}
	return in.Decoder.Table()
}

// layoutOf returns the layout of the rows that a source holds; 0 if it has none.
func (in *Input) layoutOf(held Objects) (layout uint16) {
	if in.Kind.Printed() {
		return 0
	}
	for _, o := range held.List() {
		layout = max(layout, o.Layout())
	}
	return layout
}

// relaid makes the stream's columns those of the input, and reports whether they changed. What was remembered is
// dropped then, also on disk: its rows can't be read with these columns, nor does a script lead from one layout to
// another.
func (in *Input) relaid(at int64) bool {
	t, columns := in.stream, in.columns()
	if columns == nil || bytes.Equal(columns, t.about.Columns) {
		return false
	}
	first := t.about.Columns == nil
	if t.about.Columns = columns; first {
		return false
	}
	t.reset()
	t.known = at
	t.forgotten++
	return true
}

// notedRelaid reports whether a change is part of a new list with other columns, of which nothing can be recorded: the
// object before is a row of other columns than those of the stream. The list ends what is dropped.
func (in *Input) notedRelaid(at int64, before, after *object.Object) bool {
	if after != nil && after.Layout() > in.layout && in.relaid(at) {
		in.layout = after.Layout()
		in.settle()
	}
	if before == nil || before.Layout() >= in.layout || in.Kind.Printed() {
		return false
	}
	in.stream.known = at
	return true
}
