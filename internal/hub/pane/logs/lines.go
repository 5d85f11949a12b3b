package logs

import (
	"time"

	"watchglass/internal/detail/log"
)

// lines holds the text that was read, and the view of it that the options ask for.
type lines struct {
	store      *log.Store
	view       *log.View
	filter     string     // the one that applies, while the one that is typed is wrong
	wrong      *log.Wrong // what is wrong in the one that is typed
	search     log.Term
	fields     *log.Fields // counted for completing; nil if they are not
	completing *log.Complete
	left       bool // there are lines that step has not looked at
	age        int  // grows with each query
	sought     int  // the number of the last seek
	found      *log.Found
}

// reset drops all lines.
func (l *lines) reset() {
	l.store = log.NewStore(log.Default)
	l.view, l.left = log.NewView(l.store), false
}

// ask applies another query to the lines. While a filter is invalid, what can be understood of it
// applies, or the one before it, and the document says what is wrong.
func (l *lines) ask(o log.Options) {
	q := log.Query{Columns: o.Columns, Raw: o.Raw, From: max(o.From, 0), To: max(o.To, 0)}
	q.Filter, l.filter, l.wrong = log.ParseFilter(l.filter, o.Filter)
	l.search, l.found = log.ParseTerm(o.Search), nil
	q.Search = l.search.Line
	l.view.Ask(q)
	l.fields = nil
	l.age++
}

// complete sets what the filter is to be completed with.
func (l *lines) complete(c *log.Complete) {
	if !c.Same(l.completing) {
		l.completing, l.fields = c, nil
	}
}

// step inserts new lines in their places, and does so much work to filter and search them.
func (l *lines) step(now time.Time, work int) {
	l.store.Merge(now)
	l.left = l.view.Step(work)
}

// head returns the head of a document, with the offset of the window.
func (l *lines) head(o log.Options) log.Head {
	if l.completing != nil && l.fields == nil && !l.left {
		l.fields = l.view.Fields(l.completing.Field)
	}
	count, rows, waiting := l.view.Count()
	h := log.Head{
		Seq: o.Seq, Age: l.age, Rows: rows, Lines: count, Gone: l.view.Gone(), Paused: l.view.Paused(), Waiting: waiting, Held: l.store.Len(),
		Received: l.store.Received(), Dropped: l.store.Dropped(), Busy: l.left, Hits: l.view.Hits(), Wrong: l.wrong, Astray: l.search.Wrong,
		Found: l.seek(o.Seek), Offset: o.Offset, Levels: l.view.Levels(), Fields: l.fields,
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
