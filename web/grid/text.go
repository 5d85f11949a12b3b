package grid

import (
	"slices"
	"strconv"

	"watchglass/internal/detail/text"
)

// Span is a piece of a line in one look: CSS classes, or "".
type Span struct{ Text, Look string }

// Line is a row of a long text. All rows have one height, so wrapping breaks a line into several.
type Line struct {
	Gutter string // a line number or a pod
	Spans  []Span
	Look   string // of the whole row
	// Action and Value are what a click on the gutter does, if anything; Click and Of what one on the
	// text does.
	Action, Value string
	Click, Of     string
	// Open is "true" or "false" if a click on the text expands the row, or collapses it.
	Open string
}

func (l Line) equal(other Line) bool {
	return l.Gutter == other.Gutter && l.Look == other.Look && l.Action == other.Action && l.Value == other.Value && l.Click == other.Click && l.Of == other.Of && l.Open == other.Open && slices.Equal(l.Spans, other.Spans)
}

// TextPainter changes the page, by the time Paint returns. Slots are the row elements.
type TextPainter interface {
	// Length sets the number of rows in the text.
	Length(rows int)
	// Place moves a slot to a row; the next new slot is created.
	Place(slot, index int)
	// Line shows a line in a slot.
	Line(slot int, l Line)
	// Hide clears a slot.
	Hide(slot int)
	Paint()
}

// Text keeps track of what has been painted of a long text.
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

// NewText returns a text with nothing painted.
func NewText(p TextPainter) *Text { return &Text{painter: p, length: -1} }

// Show paints lines from an offset on; total is the number of lines in the text.
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

// paint paints a line into a slot. What a hidden slot shows is remembered.
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

// Width returns how many columns spans take.
func Width(spans []Span) int {
	column := 0
	for _, s := range spans {
		_, column = text.Expand(s.Text, column)
	}
	return column
}

// Wrap breaks spans into rows of so many columns. Anything wider than a row gets one of its own.
// Tabs become spaces, so that the text stays aligned.
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

// Clip returns what fits of spans into so many columns, for rows too long to draw. A last span
// says how much was left out.
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
