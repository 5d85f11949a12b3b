package grid

import (
	"strconv"
	"strings"

	"watchglass/internal/detail/text"
)

// textScript collects the steps of a text for the page's painter. Texts contain no control
// characters other than tabs.
type textScript struct {
	script
	rows int
}

var _ TextPainter = (*textScript)(nil)

func (s *textScript) Length(rows int) {
	s.rows = rows
	s.script.Length(rows)
}

func (s *textScript) Place(slot, index int) {
	s.step("place", strconv.Itoa(slot), strconv.Itoa(index), strconv.Itoa(s.rows))
}

func (s *textScript) Line(slot int, l Line) {
	args := append(make([]string, 0, 9+len(l.Spans)), "line", strconv.Itoa(slot), l.Look, text.Visible(l.Gutter), l.Action, l.Value, l.Click, l.Of, l.Open)
	for _, span := range l.Spans {
		args = append(args, strings.ReplaceAll(span.Look, betweenParts, "")+betweenParts+text.Visible(span.Text))
	}
	s.step(args...)
}
