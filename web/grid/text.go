package grid

import (
	"slices"
	"strconv"

	"watchglass/internal/detail/text"
)

// Span is a piece of a line that looks one way. A look is classes of the style
// sheet, or nothing.
type Span struct{ Text, Look string }

// Line is one row of a long text. All rows are of one height: who wraps breaks a
// line into several.
type Line struct {
	Gutter string // a number, a pod
	Spans  []Span
	Look   string // of the whole row
	// Action and Value are what a click on the gutter means, if it means anything.
	Action, Value string
}

func (l Line) equal(other Line) bool {
	return l.Gutter == other.Gutter && l.Look == other.Look && l.Action == other.Action && l.Value == other.Value && slices.Equal(l.Spans, other.Spans)
}

// TextPainter does to the page what it is told, at the latest at Paint. Slots are
// the row elements.
type TextPainter interface {
	// Length makes the text as long as so many rows.
	Length(rows int)
	// Place puts a slot, which is made if it is the next one, where a row is.
	Place(slot, index int)
	// Line shows a line in a slot.
	Line(slot int, l Line)
	// Hide shows nothing in a slot.
	Hide(slot int)
	Paint()
}

// Text keeps what the painter has painted of a long text.
type Text struct {
	painter TextPainter
	length  int
	rows    []textRow
}

// textRow is a row element.
type textRow struct {
	shown bool
	index int
	line  Line
}

// NewText returns a text that has painted nothing.
func NewText(p TextPainter) *Text { return &Text{painter: p, length: -1} }

// Show paints the lines of a text of so many, from the offset on.
func (t *Text) Show(total, offset int, lines []Line) {
	defer t.painter.Paint()
	if total != t.length {
		t.length = total
		t.painter.Length(total)
	}
	n := max(len(t.rows), len(lines))
	if n == 0 {
		return
	}
	for len(t.rows) < n {
		t.rows = append(t.rows, textRow{index: -1})
	}
	used := make([]bool, n)
	for i, l := range lines {
		at := (offset + i) % n
		used[at] = true
		t.paint(at, offset+i, l)
	}
	for at := range t.rows {
		if !used[at] && t.rows[at].shown {
			t.rows[at].shown = false
			t.painter.Hide(at)
		}
	}
}

// paint brings one slot up to a line. What a hidden one shows is kept.
func (t *Text) paint(at, index int, l Line) {
	r := &t.rows[at]
	fresh := r.index < 0
	if !r.shown || r.index != index {
		t.painter.Place(at, index)
		r.shown, r.index = true, index
	}
	if fresh || !r.line.equal(l) {
		t.painter.Line(at, l)
		r.line = l
		r.line.Spans = slices.Clone(l.Spans)
	}
}

// Width is how many columns spans take.
func Width(spans []Span) int {
	column := 0
	for _, s := range spans {
		_, column = text.Expand(s.Text, column)
	}
	return column
}

// Wrap breaks spans into rows of so many columns; of what is no letter, or too wide
// by itself, a row has one. Tabs become spaces, so that they stand as they stood.
func Wrap(spans []Span, columns int) [][]Span {
	rows := [][]Span{nil}
	if columns <= 0 {
		return [][]Span{spans}
	}
	column := 0
	for _, s := range spans {
		for rest := s.Text; rest != ""; {
			n, _ := text.Break(rest, column, columns)
			if n > 0 {
				var shown string
				shown, column = text.Expand(rest[:n], column)
				last := len(rows) - 1
				rows[last] = append(rows[last], Span{shown, s.Look})
			}
			if rest = rest[n:]; rest != "" {
				rows, column = append(rows, nil), 0
			}
		}
	}
	return rows
}

// Clip is what fits of spans into so many columns, for rows that are too long to be
// drawn; it says in a last span how much is left out.
func Clip(spans []Span, columns int) []Span {
	column := 0
	for i, s := range spans {
		n, end := text.Break(s.Text, column, columns)
		if n == len(s.Text) {
			column = end
			continue
		}
		out := append(slices.Clone(spans[:i]), Span{s.Text[:n], s.Look})
		left := len(s.Text) - n
		for _, more := range spans[i+1:] {
			left += len(more.Text)
		}
		return append(out, Span{" … " + strconv.Itoa(left) + " more bytes", "note"})
	}
	return spans
}
