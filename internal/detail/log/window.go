package log

import (
	"slices"
	"strings"

	"watchglass/internal/detail/text"
)

const (
	// mostColumns is how much of a line is shown without wrapping.
	mostColumns = 2000
	// mostMarks is the maximum number of marks in a line.
	mostMarks = 200
)

// Row is a row on the screen: a line or a part of one.
type Row struct {
	Position uint64
	Time     int64
	Source   int
	Part     int // index among the parts of a wrapped line
	Note     bool
	Bad      bool // a note about a problem
	Goes     bool // the line was too long and continues in the next one
	More     int  // bytes that are not shown
	Spans    []Run
}

// Run is a piece of a row with one look.
type Run struct {
	Text string
	Look Look
	Hit  bool
}

// Text returns the text of the row.
func (r Row) Text() string {
	var b strings.Builder
	for _, s := range r.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Window returns at most limit shown rows, beginning with the row at offset.
func (v *View) Window(offset, limit int) []Row {
	_, total, _ := v.Count()
	offset, limit = max(offset, 0), min(limit, total-offset)
	if limit <= 0 || offset >= total {
		return nil
	}
	from := v.gone + uint64(offset)
	out := make([]Row, 0, limit)
	for i := v.entries.search(func(e *entry) bool { return e.rows > from }); len(out) < limit; i++ {
		skip := 0
		if before := v.rowsBefore(i); before < from {
			skip = int(from - before)
		}
		out = v.rows(out, limit, v.entries.at(i).position, skip)
	}
	return out
}

// rows appends the rows of a line, skipping the first ones.
func (v *View) rows(out []Row, limit int, position uint64, skip int) []Row {
	r := v.store.at(position)
	row := Row{Position: position, Time: r.time, Source: int(r.source), Note: r.flags&isNote != 0, Bad: r.flags&isBad != 0}
	v.spans = v.spans[:0]
	line := v.plain(r)
	pieces := v.pieces(line)
	rest, columns := line, v.query.Columns
	if columns <= 0 {
		columns = mostColumns
	}
	for at := 0; len(out) < limit; row.Part++ {
		n, _ := text.Break(rest, 0, columns)
		if row.Part >= skip {
			row.Spans = cutOut(pieces, at, at+n)
			if v.query.Columns <= 0 {
				row.More = len(rest) - n
			}
			row.Goes = r.ending == cut && n == len(rest)
			out = append(out, row)
		}
		if at, rest = at+n, rest[n:]; rest == "" || v.query.Columns <= 0 {
			break
		}
	}
	return out
}

// span is a piece of a line; it ends before byte end.
type span struct {
	end  int
	look Look
	hit  bool
	text string
}

// pieces splits a line by look and by marks.
func (v *View) pieces(line string) []span {
	line = strings.Clone(line)
	marks, find := [][]int(nil), v.query.Search
	if find == nil && !v.query.Invert {
		find = v.query.Filter
	}
	if find != nil {
		marks = find.Find(line, mostMarks)
	}
	ends := make([]int, 0, len(v.spans)+2*len(marks)+1)
	for _, s := range v.spans {
		ends = append(ends, s.End)
	}
	for _, m := range marks {
		ends = append(ends, m...)
	}
	ends = append(ends, len(line))
	slices.Sort(ends)
	var out []span
	from, look, mark := 0, 0, 0
	for _, end := range slices.Compact(ends) {
		if end == from {
			continue
		}
		for look < len(v.spans) && v.spans[look].End <= from {
			look++
		}
		for mark < len(marks) && marks[mark][1] <= from {
			mark++
		}
		s := span{end: end, text: line[from:end], hit: mark < len(marks) && marks[mark][0] <= from}
		if look < len(v.spans) {
			s.look = v.spans[look].Look
		}
		out, from = append(out, s), end
	}
	return out
}

// cutOut returns the part of a line between two bytes, with tabs expanded.
func cutOut(all []span, from, to int) (out []Run) {
	column, start := 0, 0
	for _, s := range all {
		if a, b := max(from, start), min(to, s.end); a < b {
			var shown string
			shown, column = text.Expand(s.text[a-start:b-start], column)
			out = append(out, Run{Text: shown, Look: s.look, Hit: s.hit})
		}
		start = s.end
	}
	return out
}
