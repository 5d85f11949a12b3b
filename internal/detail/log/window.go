package log

import (
	"slices"
	"strings"

	"watchglass/internal/detail/log/line"
	"watchglass/internal/detail/text"
)

const (
	// mostColumns is how much of a line is shown without wrapping.
	mostColumns = 2000
	// mostMarks is the maximum number of marks in a line.
	mostMarks = 200
	// beyondMarked is how far behind what is shown of a line marks are searched, in bytes: one may begin before.
	beyondMarked = 256
)

// Row is a row on the screen: a line or a part of one.
type Row struct {
	Position uint64
	ID       uint64 // of the line, to expand it; the same for all of its rows
	Time     int64
	Source   int
	Level    line.Level
	Part     int // index among the parts of a wrapped line
	Kind     Kind
	Note     bool
	Bad      bool // a note about a problem
	Goes     bool // the line was too long and continues in the next one
	Opens    bool // there is more to the line than is shown
	Open     bool // it is shown in the rows below
	More     int  // bytes that are not shown
	Folded   int  // lines that continue this one and are not shown
	Spans    []Run
}

// Kind says what a row shows.
type Kind uint8

// The kinds of rows.
const (
	LineRow   Kind = iota // a line
	BranchRow             // a field of an expanded line
	TraceRow              // a line that continues an expanded line
)

// Run is a piece of a row with one look.
type Run struct {
	Text  string
	Style Style
	Hit   bool
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
	from := v.gone.rows + uint64(offset)
	w := window{view: v, limit: limit, rows: make([]Row, 0, limit)}
	for i := v.entries.search(func(e *entry) bool { return e.rows > from }); !w.full(); i++ {
		if before := v.before(i).rows; before < from {
			w.skip = int(from - before)
		}
		w.entry(i)
		w.skip = 0
	}
	return w.rows
}

// window collects rows.
type window struct {
	view  *View
	limit int
	skip  int // rows of the entry that are not wanted
	rows  []Row
}

func (w *window) full() bool { return len(w.rows) == w.limit }

// entry adds the rows of an entry: its line and, if that is expanded, its fields and what it folds.
func (w *window) entry(i int) {
	v := w.view
	e := v.entries.at(i)
	r := v.store.at(e.position)
	row := Row{Position: e.position, ID: r.id(), Time: r.time, Source: int(r.source), Level: r.level(), Note: r.is(isNote), Bad: r.is(isBad)}
	row.Folded = int(e.lines - v.before(i).lines - 1)
	heads := !r.is(isNote | isMore)
	row.Open = v.open[row.ID] && heads
	shown, looks := v.shown(r)
	if heads && !v.shapes(r) {
		v.readLine(shown)
	}
	row.Opens = row.Folded > 0 || heads && v.opens()
	w.add(row, shown, looks, r.ending == cut)
	if !row.Open {
		return
	}
	row.Kind, row.Folded = BranchRow, 0
	v.spans = v.spans[:0]
	for _, b := range v.branches(v.plain(r)) { // which was read
		w.add(row, b.text, b.spans, false)
	}
	row.Kind = TraceRow
	v.folded(e.position, func(p uint64, r *record) {
		v.spans = v.spans[:0]
		if height := v.heightOf(r); w.full() || w.skip >= height {
			w.skip -= height
			return
		}
		row.Position, row.Time = p, r.time
		text := v.plain(r) // which sets the spans
		w.add(row, text, v.spans, r.ending == cut)
	})
}

// add adds the rows of a text, wrapped.
func (w *window) add(row Row, shown string, looks []Span, goes bool) {
	wrap := w.view.query.Columns
	if w.full() {
		return
	}
	if skip := w.view.rowsOf(shown); w.skip >= skip {
		w.skip -= skip
		return
	}
	rest, columns, until := shown, wrap, len(shown)
	if columns <= 0 {
		columns = mostColumns
		n, _ := text.Break(shown, 0, columns)
		until = min(until, n+beyondMarked)
	}
	pieces := w.view.pieces(shown, looks, until)
	for at := 0; !w.full(); row.Part++ {
		n, _ := text.Break(rest, 0, columns)
		if wrap > 0 {
			n = text.BreakWords(rest, wrap)
		}
		if row.Part >= w.skip {
			row.Spans = cutOut(pieces, at, at+n)
			if wrap <= 0 {
				row.More = len(rest) - n
			}
			row.Goes = goes && n == len(rest)
			w.rows = append(w.rows, row)
		}
		if at, rest = at+n, rest[n:]; rest == "" || wrap <= 0 {
			break
		}
	}
	w.skip = 0
}

// span is a piece of a line; it ends before byte end.
type span struct {
	end  int
	look Style
	hit  bool
	text string
}

// marked returns what is marked in a line: what was searched for, or else what the filter is about.
func (v *View) marked(line string) (marks [][]int) {
	if v.query.Search != nil {
		return v.query.Search.Find(line, mostMarks)
	}
	if v.query.Filter == nil {
		return nil
	}
	for _, l := range v.query.Filter.marks {
		marks = append(marks, l.Find(line, mostMarks)...)
	}
	for i := range marks {
		for ; i > 0 && marks[i][0] < marks[i-1][0]; i-- { // there are few
			marks[i], marks[i-1] = marks[i-1], marks[i]
		}
	}
	n, end := 0, 0
	for _, m := range marks {
		if m[0] >= end { // it does not overlap with the one before
			marks[n], n, end = m, n+1, m[1]
		}
	}
	return marks[:n]
}

// pieces splits a line by look and by marks, which are searched up to a byte.
func (v *View) pieces(line string, looks []Span, until int) []span {
	line = strings.Clone(line)
	marks := v.marked(line[:until])
	ends := make([]int, 0, len(looks)+2*len(marks)+1)
	for _, s := range looks {
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
		for look < len(looks) && looks[look].End <= from {
			look++
		}
		for mark < len(marks) && marks[mark][1] <= from {
			mark++
		}
		s := span{end: end, text: line[from:end], hit: mark < len(marks) && marks[mark][0] <= from}
		if look < len(looks) {
			s.look = looks[look].Style
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
			out = append(out, Run{Text: shown, Style: s.look, Hit: s.hit})
		}
		start = s.end
	}
	return out
}
