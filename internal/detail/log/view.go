package log

import (
	"unsafe"

	"watchglass/internal/detail/text"
	"watchglass/internal/query"
)

// Query is what is asked of the lines.
type Query struct {
	Filter, Search *query.Line // nil if for nothing
	Invert         bool        // the filter shows what it does not find
	Columns        int         // where lines wrap; 0 if they do not
}

// View are the lines of a store that a filter lets through, in rows. Rows are counted
// from the first that is held.
type View struct {
	store   *Store
	query   Query
	entries deque[entry]
	hits    deque[uint64] // positions of lines that the search found
	next    uint64        // the position of the first line that was not looked at
	gone    uint64        // rows that went, since it was last asked something else
	until   uint64        // lines from here on are not shown
	text    []byte        // scratch
	spans   []Span
}

// entry is a line, and how many rows there were with it.
type entry struct{ position, rows uint64 }

const always = ^uint64(0)

// NewView shows all of a store, which no other view does.
func NewView(s *Store) *View { return &View{store: s, until: always} }

// Ask asks something else. What is shown then comes of Step.
func (v *View) Ask(q Query) {
	v.query = q
	v.entries.truncate(0)
	v.hits.truncate(0)
	v.next, v.gone = 0, 0
}

// Pause has the view stand still, or go on.
func (v *View) Pause(on bool) {
	switch {
	case !on:
		v.until = always
	case v.until == always:
		v.until = v.store.End()
		v.store.Freeze()
	}
}

// Step looks at new lines, of about so many bytes, and reports whether there are more.
func (v *View) Step(bytes int) (more bool) {
	v.forget()
	for ; v.next < v.store.End(); v.next++ {
		if bytes <= 0 {
			return true
		}
		r := v.store.at(v.next)
		bytes -= int(r.size) + 32
		v.look(r)
	}
	return false
}

// forget lets go of lines that are no more there, or no more where they were.
func (v *View) forget() {
	if p := v.store.Changed(); p < v.next {
		v.entries.truncate(v.entries.search(func(e *entry) bool { return e.position >= p }))
		v.hits.truncate(v.hits.search(func(h *uint64) bool { return *h >= p }))
		v.next = p
	}
	first := v.store.First()
	for v.entries.len() > 0 && v.entries.at(0).position < first {
		v.gone = v.entries.at(0).rows
		v.entries.shift()
	}
	for v.hits.len() > 0 && *v.hits.at(0) < first {
		v.hits.shift()
	}
	v.next = max(v.next, first)
}

// look takes in a line, if it is one to show.
func (v *View) look(r *record) {
	line := v.plain(r)
	if v.query.Filter != nil && r.flags&isNote == 0 && v.query.Filter.In(line) == v.query.Invert {
		return
	}
	rows := v.gone
	if n := v.entries.len(); n > 0 {
		rows = v.entries.at(n - 1).rows
	}
	v.entries.push(entry{v.next, rows + uint64(text.Rows(line, v.query.Columns))})
	if v.query.Search != nil && v.query.Search.In(line) {
		v.hits.push(v.next)
	}
}

// plain is the text of a line, until the next is asked for or lines are added.
func (v *View) plain(r *record) string {
	line := v.store.bytes(r)
	if r.flags&isCoded != 0 {
		v.text, v.spans = decode(v.text[:0], v.spans[:0], line)
		line = v.text
	}
	return unsafe.String(unsafe.SliceData(line), len(line))
}

// shown is how many of the entries are.
func (v *View) shown() int {
	if v.until == always {
		return v.entries.len()
	}
	return v.entries.search(func(e *entry) bool { return e.position >= v.until })
}

// rowsBefore is how many rows there are before an entry.
func (v *View) rowsBefore(i int) uint64 {
	if i == 0 {
		return v.gone
	}
	return v.entries.at(i - 1).rows
}

// Count is how many lines and rows are shown, and how many lines wait behind a pause.
func (v *View) Count() (lines, rows, waiting int) {
	lines = v.shown()
	return lines, int(v.rowsBefore(lines) - v.gone), v.entries.len() - lines
}

// Gone is how many rows went since it was last asked something else: by so many those
// that stay have moved.
func (v *View) Gone() uint64 { return v.gone }

// Hits is how many lines that are shown the search has found.
func (v *View) Hits() int {
	if v.until == always {
		return v.hits.len()
	}
	return v.hits.search(func(h *uint64) bool { return *h >= v.until })
}

// Seek is the next line that the search has found from a position on, or the one
// before it, as which of them; beyond the last comes the first. It is -1 if there is none.
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

// Row is in which row the line at a position begins, or the next one after it.
func (v *View) Row(position uint64) int {
	i := v.entries.search(func(e *entry) bool { return e.position >= position })
	return int(v.rowsBefore(i) - v.gone)
}

// Held is how many bytes the view takes.
func (v *View) Held() int { return v.entries.bytes() + v.hits.bytes() }
