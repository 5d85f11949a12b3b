package history

import (
	"bytes"

	"watchglass/internal/object"
)

// columns returns the columns of the source's rows; nil if its objects are no rows, or there was none yet.
func (f *Input) columns() []byte {
	if f.Kind.Printed() {
		return nil
	}
	return f.Decoder.Table()
}

// layoutOf returns the layout of the rows that a source holds; 0 if it has none.
func (f *Input) layoutOf(held Objects) (layout uint16) {
	if f.Kind.Printed() {
		return 0
	}
	for _, o := range held.List() {
		layout = max(layout, o.Layout())
	}
	return layout
}

// relaid makes the stream's columns those of the feed, and reports whether they changed. What was remembered is
// dropped then, also on disk: its rows can't be read with these columns, nor does a script lead from one layout to
// another.
func (f *Input) relaid(at int64) bool {
	t, columns := f.stream, f.columns()
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
func (f *Input) notedRelaid(at int64, before, after *object.Object) bool {
	if after != nil && after.Layout() > f.layout && f.relaid(at) {
		f.layout = after.Layout()
		f.settle()
	}
	if before == nil || before.Layout() >= f.layout || f.Kind.Printed() {
		return false
	}
	f.stream.known = at
	return true
}
