package log

import (
	"bytes"
	"unsafe"

	"watchglass/internal/detail/log/line"
	"watchglass/internal/detail/text"
	"watchglass/internal/query"
)

// Query is what the view filters, searches and wraps by.
type Query struct {
	Filter  *Filter     // nil for all lines
	Search  *query.Line // nil if not set
	Columns int         // where lines wrap; 0 for no wrapping
	Raw     bool        // lines are shown as they are, and traces are not folded
	// From and To are the times, in nanoseconds, that lines are from and before; 0 for any.
	From, To int64
}

// within reports whether a line is of the time that is asked for.
func (q *Query) within(r *record) bool {
	return q.From == 0 && q.To == 0 || r.time >= q.From && (q.To == 0 || r.time < q.To) && r.time > 0
}

// View shows the lines of a store that match a filter, in rows. Rows count from the first one
// that is kept. A line that continues another is folded under it.
type View struct {
	store   *Store
	query   Query
	entries deque[entry]
	hits    deque[uint64]   // positions of lines that match the search
	next    uint64          // the position of the first line that was not yet looked at
	gone    entry           // the rows and lines dropped since the last Ask
	until   uint64          // lines from here on are not shown
	apart   bool            // pending lines continue lines before them, and were not folded
	open    map[uint64]bool // the expanded lines, by id
	forced  map[uint64]bool // positions of lines that are shown because of one that continues them
	looked  uint64          // lines looked at so far
	work    int             // done since Step began
	heads   []uint64        // by source, the position after the last line that continues no other; 0 if unknown

	text  []byte // scratch
	both  []byte
	spans []Span
	line  row
	shaper
}

// entry is a line, with the number of rows and lines up to and including it.
type entry struct{ position, rows, lines uint64 }

const always = ^uint64(0)

// NewView returns a View that shows all of a store. A store has at most one view.
func NewView(s *Store) *View {
	return &View{store: s, until: always, forced: make(map[uint64]bool)}
}

// Ask changes the query. Step then builds the new rows.
func (v *View) Ask(q Query) {
	if q.Columns != v.query.Columns || q.Raw != v.query.Raw {
		for p := v.store.First(); p < v.store.End(); p++ {
			v.store.at(p).rows = 0
		}
	}
	v.query = q
	v.rewind(v.store.First(), v.store.End())
	v.store.shown.reset() // the finest buckets again
	clear(v.forced)
	v.gone = entry{}
}

// Pause stops or resumes the view.
func (v *View) Pause(on bool) {
	switch {
	case !on && v.until != always:
		from := v.until
		if v.until = always; v.apart {
			v.apart = false
			v.rewind(from, v.store.End())
		}
	case on && v.until == always:
		v.until = v.store.End()
		v.store.Freeze()
	}
}

// Paused reports whether the view is paused.
func (v *View) Paused() bool { return v.until != always }

// perLine is the work for a line besides that for its bytes.
const perLine = 32

// Step looks at new lines for about so much work, and reports whether there are more. Work counts bytes, each as
// often as it is read: what is in the lines decides how many of them a step takes, and not how long it takes.
func (v *View) Step(work int) (more bool) {
	v.forget()
	for v.work = 0; v.next < v.store.End(); {
		if v.work >= work {
			return true
		}
		r := v.store.at(v.next)
		v.work += int(r.size) + perLine
		v.next++
		v.looked++
		v.addIfShown(v.next-1, r)
	}
	return false
}

// forget drops lines that are no longer in the store, or have moved.
func (v *View) forget() {
	p, first := v.store.Changed(), v.store.First()
	if p < v.next {
		v.rewind(p, v.store.End())
	}
	for v.entries.len() > 0 && v.entries.at(0).position < first {
		v.gone = *v.entries.at(0)
		v.entries.shift()
	}
	for v.hits.len() > 0 && *v.hits.at(0) < first {
		v.hits.shift()
	}
	for at := range v.forced {
		if at >= p || at < first {
			delete(v.forced, at)
		}
	}
	v.next = max(v.next, first)
}

// rewind forgets and uncounts all lines from a position on, with the lines that those continue. Step
// looks at them again. No line from end on has been looked at.
func (v *View) rewind(p, end uint64) {
	p = v.store.unbroken(max(p, v.store.First()), end)
	v.entries.truncate(v.entries.search(func(e *entry) bool { return e.position >= p }))
	v.hits.truncate(v.hits.search(func(h *uint64) bool { return *h >= p }))
	for at := p; at < end; at++ {
		v.store.uncount(v.store.at(at))
	}
	clear(v.heads)
	v.next = min(v.next, p)
}

// addIfShown adds a line if the filter shows it.
func (v *View) addIfShown(p uint64, r *record) {
	switch {
	case r.is(isNote):
		if v.query.within(r) {
			v.push(p, r)
		}
		return
	case r.is(isMore):
		v.lookMore(p, r)
		return
	}
	v.setHead(r.source, p)
	matches, counts := v.match(r, nil)
	if counts {
		v.store.count(r)
	}
	if matches || v.forced[p] {
		v.push(p, r)
	}
}

// match reports whether a line is shown, if it is no note, and whether it would be if the filter said
// nothing of levels. Head is the line that it continues, if it does: its time counts.
func (v *View) match(r, head *record) (matches, counts bool) {
	dated := head
	if dated == nil {
		dated = r
	}
	switch {
	case !v.query.within(dated):
		return false, false
	case v.query.Filter == nil:
		return true, true
	}
	row := v.row(r, head)
	matches, counts = v.query.Filter.match(row)
	v.work += row.work()
	return matches, counts
}

// push adds an entry.
func (v *View) push(p uint64, r *record) {
	v.store.show(r)
	last := v.before(v.entries.len())
	v.entries.push(entry{p, last.rows + uint64(v.height(p, r)), last.lines + 1})
	if v.query.Search != nil && v.query.Search.In(v.plain(r)) {
		v.hit(p)
	}
}

// hit adds a line to those that match the search, unless it is there already.
func (v *View) hit(p uint64) {
	at := v.hits.search(func(h *uint64) bool { return *h >= p })
	if at < v.hits.len() && *v.hits.at(at) == p {
		return
	}
	v.hits.push(p)
	for i := v.hits.len() - 1; i > at; i-- {
		*v.hits.at(i) = *v.hits.at(i - 1)
	}
	*v.hits.at(at) = p
}

// entry returns the index of the entry of a line, and whether it has one.
func (v *View) entry(p uint64) (i int, ok bool) {
	i = v.entries.search(func(e *entry) bool { return e.position >= p })
	return i, i < v.entries.len() && v.entries.at(i).position == p
}

// height returns how many rows a line takes, with what is expanded below it.
func (v *View) height(p uint64, r *record) (rows int) {
	if v.open[r.id()] && !r.is(isNote|isMore) {
		text := v.plain(r)
		v.readLine(text)
		for _, b := range v.branches(text) {
			rows += v.rowsOf(b.text)
		}
		v.folded(p, func(_ uint64, r *record) { rows += v.heightOf(r) })
	}
	return rows + v.heightOf(r)
}

// heightOf returns how many rows a line takes without what is expanded below it.
func (v *View) heightOf(r *record) int {
	if v.query.Columns <= 0 || v.fits(v.store.bytes(r)) {
		return 1
	}
	if r.rows == 0 {
		shown, _ := v.shown(r)
		r.rows = uint16(v.rowsOf(shown))
	}
	return int(r.rows)
}

// mostAdded is more than a line can grow when it is shown with its fields. JSON only shrinks.
const mostAdded = 40

// fits reports whether a line takes one row, without looking closely: it may also do so otherwise.
func (v *View) fits(line []byte) bool {
	room := v.query.Columns - len(line)
	return (room >= mostAdded || room >= 0 && len(line) > 0 && line[0] == '{') && bytes.IndexByte(line, '\t') < 0
}

func (v *View) rowsOf(shown string) int {
	v.work += len(shown)
	return text.Rows(shown, v.query.Columns)
}

// readLine reads a line for shape, branches and opens.
func (v *View) readLine(text string) {
	v.read(text)
	v.work += v.parsed.Work()
}

// shown returns what is shown of a line without what is expanded, and its looks, valid until the
// next call.
func (v *View) shown(r *record) (string, []Span) {
	v.spans = v.spans[:0]
	line := v.plain(r)
	if !v.shapes(r) {
		return line, v.spans
	}
	v.readLine(line)
	return v.shape(line, v.spans)
}

// shapes reports whether a line is shown as message and fields, and not as it is.
func (v *View) shapes(r *record) bool {
	return !v.query.Raw && !r.is(isNote|isMore) && r.ending != cut
}

// Expand sets which lines are expanded, by their ids.
func (v *View) Expand(ids []uint64) {
	next, before := make(map[uint64]bool, len(ids)), v.open
	same := 0
	for _, id := range ids {
		if next[id] = true; before[id] {
			same++
		}
	}
	if v.open = next; same == len(ids) && same == len(before) {
		return
	}
	more, last := uint64(0), v.gone.rows // modulo 2^64, since there may be fewer
	for i := range v.entries.len() {
		e := v.entries.at(i)
		rows := e.rows - last
		last = e.rows
		if r := v.store.at(e.position); before[r.id()] != next[r.id()] {
			more += uint64(v.height(e.position, r)) - rows
		}
		e.rows += more
	}
}

// id identifies a line as long as it is kept, wherever it moves.
func (r *record) id() uint64 { return uint64(r.at)<<32 | uint64(uint32(r.time>>10)) }

// plain returns the text of a line. It is valid until the next call, or until lines are added.
func (v *View) plain(r *record) string {
	line := v.store.bytes(r)
	if r.is(isCoded) {
		v.text, v.spans = decode(v.text[:0], v.spans[:0], line)
		line = v.text
		v.work += len(line)
	}
	return shared(line)
}

// shared returns bytes as a string, which changes with them.
func shared(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// shows reports whether the filter shows a line.
func (v *View) shows(p uint64, r *record) bool {
	switch {
	case r.is(isNote):
		return v.query.within(r)
	case v.query.Filter == nil && v.query.within(r) && v.query.From == 0 && v.query.To == 0:
		return true
	}
	head, ok := p, false
	var first *record
	if r.is(isMore) {
		if head, ok = v.store.headOf(p, r); !ok {
			return false
		}
		first = v.store.at(head)
	}
	if p < v.next {
		_, shown := v.entry(head)
		if _, alone := v.entry(p); shown || alone {
			return true
		}
		return false
	}
	matches, _ := v.match(r, first)
	return matches
}

// visible returns the number of entries that are shown.
func (v *View) visible() int {
	if v.until == always {
		return v.entries.len()
	}
	return v.entries.search(func(e *entry) bool { return e.position >= v.until })
}

// before returns the rows and lines before an entry.
func (v *View) before(i int) entry {
	if i == 0 {
		return v.gone
	}
	return *v.entries.at(i - 1)
}

// Count returns how many lines and rows are shown, and how many lines are pending behind a
// pause.
func (v *View) Count() (lines, rows, waiting int) {
	n := v.visible()
	last, all := v.before(n), v.before(v.entries.len())
	return int(last.lines - v.gone.lines), int(last.rows - v.gone.rows), int(all.lines - last.lines)
}

// Levels returns how many lines there are of each level, whatever the filter says of levels. Lines
// that continue others do not count.
func (v *View) Levels() [line.Levels]int { return v.store.counts }

// Gone returns how many rows were dropped since the last Ask. The remaining rows have moved up
// by that many.
func (v *View) Gone() uint64 { return v.gone.rows }

// Hits returns the number of shown lines that match the search.
func (v *View) Hits() int {
	if v.until == always {
		return v.hits.len()
	}
	return v.hits.search(func(h *uint64) bool { return *h >= v.until })
}

// Seek returns the ordinal and position of the next hit after a position, or of the one before
// it, wrapping at the ends; -1 if there is none.
func (v *View) Seek(from uint64, back bool) (hit int, position uint64) {
	n := v.Hits()
	if n == 0 {
		return -1, 0
	}
	if back {
		hit = (v.hits.search(func(h *uint64) bool { return *h >= from }) - 1 + n) % n
	} else {
		hit = v.hits.search(func(h *uint64) bool { return *h > from }) % n
	}
	return hit, *v.hits.at(hit)
}

// Row returns the first row of the line at a position, or of the next line shown after it.
func (v *View) Row(position uint64) int {
	i, _ := v.entry(position)
	return int(v.before(i).rows - v.gone.rows)
}

// Held returns how many bytes the view takes.
func (v *View) Held() int { return v.entries.bytes() + v.hits.bytes() }
