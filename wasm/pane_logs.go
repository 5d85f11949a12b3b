package main

import (
	"context"
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/log"
	"watchglass/internal/object"
)

const (
	// mostStreams is how many logs are read at once.
	mostStreams = 50
	// logPace is how often the page is told of lines that came by themselves.
	logPace = 100 * time.Millisecond
	// logStep is how many bytes of lines are looked at, at once, for what is asked.
	logStep = 1 << 20
	// pieceBytes is how much of a file the page gets at once.
	pieceBytes = 1 << 20
	// mostCopied is how much is copied at most.
	mostCopied = 4 << 20
)

// logsPane reads the logs of a pod, or of the pods of an owner.
type logsPane struct {
	ctx   context.Context
	desk  *desk
	focus *focus

	asked    log.Options
	begun    bool // options were taken
	store    *log.Store
	view     *log.View
	crew     *crew // the pods
	streams  map[string]*logStream
	more     int // streams that there is no place for
	age      int // of what is asked of the view
	news     bool
	loose    bool      // streams have to be looked after
	due      time.Time // and at the latest then
	told     time.Time
	waking   bool
	filter   log.Term
	search   log.Term
	found    *log.Found
	sought   int
	saving   *log.Saving
	piece    *log.Piece // that the page waits for
	taken    log.Take
	received uint64 // lines, when the page was last told
}

func newLogsPane(ctx context.Context, d *desk, f *focus) pane {
	p := &logsPane{ctx: ctx, desk: d, focus: f, streams: make(map[string]*logStream)}
	p.crew = newCrew(d, f)
	return p
}

// object tells of another version of the object.
func (p *logsPane) object(o *object.Object, body func() (detail.Value, error)) {
	p.crew.object(o, body)
	p.loose = true
}

// option takes what the page asks.
func (p *logsPane) option(raw json.RawMessage) {
	var next log.Options
	if raw != nil && json.Unmarshal(raw, &next) != nil {
		return
	}
	before := p.asked
	p.asked = next
	if !p.begun || !next.Same(before) {
		p.restart()
		before = log.Options{}
	}
	if next.Cleared != before.Cleared {
		p.store.Clear()
	}
	if next.Filter != before.Filter || next.Search != before.Search || next.Columns != before.Columns {
		p.ask()
	}
	p.view.Pause(next.Paused)
	p.news, p.told = true, time.Time{} // what was asked for is in a hurry
	if next.Take != nil && *next.Take != p.taken {
		p.take(*next.Take)
	}
}

// restart reads other logs.
func (p *logsPane) restart() {
	p.closeStreams()
	p.begun = true
	p.store = log.NewStore(log.Default)
	p.view = log.NewView(p.store)
	p.saving, p.received, p.loose = nil, 0, true
	p.ask()
}

// ask asks something else of the lines that are held. What is wrong with a filter is
// told, and the one before stays.
func (p *logsPane) ask() {
	if next := log.ParseTerm(p.asked.Filter); next.Wrong == nil {
		p.filter = next
	} else {
		p.filter.Wrong = next.Wrong
	}
	p.search, p.found = log.ParseTerm(p.asked.Search), nil
	p.view.Ask(log.Query{Filter: p.filter.Line, Invert: p.filter.Invert, Search: p.search.Line, Columns: p.asked.Columns})
	p.age++
}

// turn looks after the streams, and returns what there is to show.
func (p *logsPane) turn(now time.Time) []byte {
	if !p.begun {
		return nil
	}
	p.tend(now)
	if p.piece != nil {
		doc := p.piece.Append(nil)
		p.piece = nil
		p.desk.stir()
		return doc
	}
	if wait := p.told.Add(logPace).Sub(now); wait > 0 {
		p.wake(wait)
		return nil
	}
	p.store.Merge(now)
	busy := p.view.Step(logStep)
	if busy {
		p.wake(time.Millisecond) // the browser's turn
		p.news = true
	}
	if !p.news && !p.fresh() {
		return nil
	}
	p.news, p.told = false, now
	doc, err := p.document(busy).Mark(nil)
	if err != nil {
		return nil // of our own structs: it does not happen
	}
	return doc
}

// fresh reports whether the sources say something else, or lines came.
func (p *logsPane) fresh() bool {
	n := p.store.Received()
	fresh := n != p.received
	p.received = n
	return fresh
}

// wake has the desk look again after a while.
func (p *logsPane) wake(after time.Duration) {
	if p.waking {
		return
	}
	p.waking = true
	time.AfterFunc(after, func() {
		p.desk.post(p.ctx, func() { p.waking = false })
	})
}

// document is what the page is told.
func (p *logsPane) document(busy bool) *log.Document {
	lines, rows, waiting := p.view.Count()
	d := &log.Document{Head: log.Head{
		Seq: p.asked.Seq, Age: p.age, Rows: rows, Lines: lines, Gone: p.view.Gone(), Waiting: waiting,
		Held: p.store.Len(), Dropped: p.store.Dropped(), Busy: busy, Hits: p.view.Hits(),
		Wrong: p.filter.Wrong, Astray: p.search.Wrong, Received: p.store.Received(), More: p.more, Said: p.crew.said(), Pods: p.crew.count(),
	}}
	d.Found = p.seek()
	d.Offset = p.asked.Offset
	if p.asked.Follow {
		d.Offset = rows - p.asked.Limit
	}
	d.Offset = max(min(d.Offset, rows-1), 0)
	d.Window = p.view.Window(d.Offset, p.asked.Limit)
	var places []int
	d.Sources, places = p.states()
	for i := range d.Window {
		d.Window[i].Source = places[d.Window[i].Source]
	}
	return d
}

// seek goes to a line that the search has found.
func (p *logsPane) seek() *log.Found {
	if s := p.asked.Seek; s != nil && s.Seq != p.sought {
		p.sought = s.Seq
		hit, position := p.view.Seek(s.From, s.Back)
		p.found = &log.Found{Seq: s.Seq, Hit: hit, Position: position}
	}
	if p.found == nil || p.found.Hit < 0 {
		return p.found
	}
	at := *p.found
	at.Row = p.view.Row(at.Position)
	return &at
}

// take makes the piece of a file, or of what is copied, that the page asks for.
func (p *logsPane) take(t log.Take) {
	p.taken = t
	p.piece = &log.Piece{Seq: t.Seq, Number: t.Number}
	if t.Copy {
		text, whole := p.view.Lines(t.From, t.To, t.Export, mostCopied)
		p.piece.Text, p.piece.Last = text, true
		if !whole {
			p.piece.Lost = 1
		}
		return
	}
	if t.Number == 0 {
		p.saving = p.view.Save(t.Export)
	}
	if p.saving == nil {
		p.piece.Last = true
		return
	}
	text, more := p.saving.Next(nil, pieceBytes)
	p.piece.Text, p.piece.Last, p.piece.Lost = text, !more, p.saving.Lost
}

func (p *logsPane) close() {
	p.closeStreams()
	p.crew.close()
}

func (p *logsPane) closeStreams() {
	for _, s := range p.streams {
		s.stop()
	}
	clear(p.streams)
}

// tend opens the streams that there should be, and lets go of those of pods that went.
func (p *logsPane) tend(now time.Time) {
	if changed := p.crew.tend(now); !changed && !p.loose && (p.due.IsZero() || now.Before(p.due)) {
		return
	}
	p.loose, p.news, p.more, p.due = false, true, 0, time.Time{}
	open := 0
	for _, s := range p.streams {
		if s.reading() {
			open++
		}
	}
	wanted := make(map[string]bool)
	for _, m := range p.crew.members() {
		for _, c := range m.chosen(p.asked.Container) {
			key := m.uid + "/" + c.name
			wanted[key] = true
			s := p.streams[key]
			read := s != nil && s.reading()
			if !read && open >= mostStreams && (s == nil || c.running) {
				p.more++
				continue
			}
			if s == nil {
				if s = newLogStream(p, m, c); s == nil {
					p.more++
					continue
				}
				p.streams[key] = s
			}
			if s.tell(now, c); !read && s.reading() {
				open++
			}
		}
	}
	p.part(now, wanted)
}

// part lets go of the streams of pods that went, and of their sources once there is
// nothing of them.
func (p *logsPane) part(now time.Time, wanted map[string]bool) {
	for key, s := range p.streams {
		if wanted[key] {
			continue
		}
		if s.leave(now); !s.reading() && s.source.Empty() {
			s.source.Leave()
			delete(p.streams, key)
		}
	}
}

// states are the sources that are the crew's, or that there is something of, in the
// order of their numbers, and places where among them each number is.
func (p *logsPane) states() (out []log.State, places []int) {
	all := p.store.Sources()
	streams := make([]*logStream, len(all))
	for _, s := range p.streams {
		streams[s.source.Number()] = s
	}
	places = make([]int, len(all))
	for i, s := range all {
		st := streams[i]
		if places[i] = len(out); st == nil || st.left && !st.reading() && s.Empty() {
			continue
		}
		out = append(out, log.State{Pod: s.Pod, Container: s.Container, Lines: s.Lines(), Dropped: s.Dropped().Lines, State: st.state, Said: st.said})
	}
	return out, places
}
