package log

import (
	"unsafe"

	"watchglass/internal/detail/text"
	"watchglass/internal/query"
)

// Query is what the view filters, searches and wraps by.
type Query struct {
	Filter, Search *query.Line // nil if not set
	Invert         bool        // the filter shows the lines that do not match
	Columns        int         // where lines wrap; 0 for no wrapping
}

// View shows the lines of a store that match a filter, in rows. Rows count from the first one
// that is kept.
type View struct {
	store   *Store
	query   Query
	entries deque[entry]
	hits    deque[uint64] // positions of lines that match the search
	next    uint64        // the position of the first line that was not yet looked at
	gone    uint64        // rows dropped since the last Ask
	until   uint64        // lines from here on are not shown
	text    []byte        // scratch
	spans   []Span
}

// entry is a line, with the number of rows up to and including it.
type entry struct{ position, rows uint64 }

const always = ^uint64(0)

// NewView returns a View that shows all of a store. A store has at most one view.
func NewView(s *Store) *View { return &View{store: s, until: always} }

// Ask changes the query. Step then builds the new rows.
func (v *View) Ask(q Query) {
	v.query = q
	v.entries.truncate(0)
	v.hits.truncate(0)
	v.next, v.gone = 0, 0
}

// Pause stops or resumes the view.
func (v *View) Pause(on bool) {
	switch {
	case !on:
		v.until = always
	case v.until == always:
		v.until = v.store.End()
		v.store.Freeze()
	}
}

// Step looks at new lines of about the given number of bytes, and reports whether there are
// more.
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

// forget drops lines that are no longer in the store, or have moved.
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

// look adds a line if the filter shows it.
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

// plain returns the text of a line. It is valid until the next call, or until lines are added.
func (v *View) plain(r *record) string {
	line := v.store.bytes(r)
	if r.flags&isCoded != 0 {
		v.text, v.spans = decode(v.text[:0], v.spans[:0], line)
		line = v.text
	}
	return unsafe.String(unsafe.SliceData(line), len(line))
}

// shown returns the number of entries that are shown.
func (v *View) shown() int {
	if v.until == always {
		return v.entries.len()
	}
	return v.entries.search(func(e *entry) bool { return e.position >= v.until })
}

// rowsBefore returns the number of rows before an entry.
func (v *View) rowsBefore(i int) uint64 {
	if i == 0 {
		return v.gone
	}
	return v.entries.at(i - 1).rows
}

// Count returns how many lines and rows are shown, and how many lines are pending behind a
// pause.
func (v *View) Count() (lines, rows, waiting int) {
	lines = v.shown()
	return lines, int(v.rowsBefore(lines) - v.gone), v.entries.len() - lines
}

// Gone returns how many rows were dropped since the last Ask. The remaining rows have moved up
// by that many.
func (v *View) Gone() uint64 { return v.gone }

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
	i := v.entries.search(func(e *entry) bool { return e.position >= position })
	return int(v.rowsBefore(i) - v.gone)
}

// Held returns how many bytes the view takes.
func (v *View) Held() int { return v.entries.bytes() + v.hits.bytes() }
