package logs

import (
	"time"

	"watchglass/internal/detail/log"
)

// lines holds the text that was read, and the view of it that the options ask for.
type lines struct {
	store  *log.Store
	view   *log.View
	filter log.Term // the last valid one, with the error of the present one
	search log.Term
	left   bool // there are lines that step has not looked at
	age    int  // grows with each query
	sought int  // the number of the last seek
	found  *log.Found
}

// reset drops all lines.
func (l *lines) reset() {
	l.store = log.NewStore(log.Default)
	l.view, l.left = log.NewView(l.store), false
}

// ask applies another query to the lines. While a filter is invalid, the one before it
// applies, and the document says what is wrong.
func (l *lines) ask(o log.Options) {
	if next := log.ParseTerm(o.Filter); next.Wrong == nil {
		l.filter = next
	} else {
		l.filter.Wrong = next.Wrong
	}
	l.search, l.found = log.ParseTerm(o.Search), nil
	l.view.Ask(log.Query{Filter: l.filter.Line, Invert: l.filter.Invert, Search: l.search.Line, Columns: o.Columns})
	l.age++
}

// step inserts new lines in their places, and filters and searches so many bytes of them.
func (l *lines) step(now time.Time, bytes int) {
	l.store.Merge(now)
	l.left = l.view.Step(bytes)
}

// head returns the head of a document, with the offset of the window.
func (l *lines) head(o log.Options) log.Head {
	count, rows, waiting := l.view.Count()
	h := log.Head{
		Seq: o.Seq, Age: l.age, Rows: rows, Lines: count, Gone: l.view.Gone(), Waiting: waiting, Held: l.store.Len(),
		Received: l.store.Received(), Dropped: l.store.Dropped(), Busy: l.left, Hits: l.view.Hits(), Wrong: l.filter.Wrong, Astray: l.search.Wrong,
		Found: l.seek(o.Seek), Offset: o.Offset,
	}
	if o.Follow {
		h.Offset = rows - o.Limit
	}
	h.Offset = max(min(h.Offset, rows-1), 0)
	return h
}

// seek goes to the next hit if s is a new request, and returns the hit that it went to last.
func (l *lines) seek(s *log.Seek) *log.Found {
	if s != nil && s.Seq != l.sought {
		l.sought = s.Seq
		hit, position := l.view.Seek(s.From, s.Back)
		l.found = &log.Found{Seq: s.Seq, Hit: hit, Position: position}
	}
	if l.found == nil || l.found.Hit < 0 {
		return l.found
	}
	at := *l.found
	at.Row = l.view.Row(at.Position)
	return &at
}
