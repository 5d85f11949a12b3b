package past

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/breath"
	"watchglass/internal/history"
	"watchglass/internal/history/recording"
	"watchglass/internal/hub/loop"
	"watchglass/internal/port"
)

// Files are the files that a page opens and saves. Only the loop may call its methods.
type Files struct {
	past      *Past
	last      uint32         // ID of the file opened last; IDs grow
	reading   *reading       // the file being read; nil: none
	published *publishedFile // nil: there is none, or it has been shown
	saving    *saving        // nil: none
	look      loop.Latest    // the last preview
}

// NewFiles returns the files of the page whose past it is. End ends them.
func NewFiles(p *Past) *Files { return &Files{past: p} }

// reading is a file being read. Its pieces arrive while Read reads them.
type reading struct {
	ctx    context.Context
	cancel func()
	more   chan struct{} // capacity 1: pieces have arrived

	mu     sync.Mutex
	pieces [][]byte
	last   bool
}

func newReading(ctx context.Context) *reading {
	ctx, cancel := context.WithCancel(ctx)
	return &reading{ctx: ctx, cancel: cancel, more: make(chan struct{}, 1)}
}

// add adds a piece. Any goroutine may call it.
func (r *reading) add(piece []byte, last bool) {
	r.mu.Lock()
	r.pieces, r.last = append(r.pieces, piece), last
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// Read waits for a piece.
func (r *reading) Read(into []byte) (int, error) {
	for {
		n, last := r.available(into)
		switch {
		case n > 0:
			return n, nil
		case last:
			return 0, io.EOF
		}
		select {
		case <-r.more:
		case <-r.ctx.Done():
			return 0, errStopped
		}
	}
}

// available reads what has arrived.
func (r *reading) available(into []byte) (n int, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n == 0 && len(r.pieces) > 0 {
		n = copy(into, r.pieces[0])
		if r.pieces[0] = r.pieces[0][n:]; len(r.pieces[0]) == 0 {
			r.pieces = r.pieces[1:]
		}
	}
	return n, r.last && len(r.pieces) == 0
}

// saving is a file being saved.
type saving struct {
	id     uint32
	cancel func()
	acks   chan struct{} // the page's acknowledgements of pieces
}

// Window is the maximum number of unacknowledged pieces.
const Window = 4

// OnPiece handles a piece of a file that the page opens, or the acknowledgement of a piece of the file that
// it saves.
func (f *Files) OnPiece(m port.Piece) {
	if s := f.saving; s != nil && s.id == m.ID {
		select {
		case s.acks <- struct{}{}:
		default: // more than were sent
		}
		return
	}
	if m.Published {
		f.askPublished(m.ID)
		return
	}
	if m.ID > f.last && (m.Last || len(m.Data) > 0) {
		f.endReading()
		f.published = nil
		f.last, f.reading = m.ID, newReading(f.past.Own().Ctx)
		f.read(f.reading, m.ID)
	}
	if f.reading == nil || m.ID != f.last {
		return // the file has ended
	}
	if m.Error != "" {
		f.endReading()
		return
	}
	f.reading.add(m.Data, m.Last)
}

// read reads a file in its own goroutine, and then makes the page show it.
func (f *Files) read(r *reading, id uint32) {
	c := f.past.Own()
	c.Start(func() {
		record, err := recording.Read(r, newBreather(r.ctx, c.Rest).pause)
		c.Post(r.ctx, func() {
			if f.reading != r {
				return // canceled, or replaced by another file
			}
			f.endReading()
			if err != nil {
				f.past.host.Send(port.Piece{ID: id, Last: true, Error: err.Error()})
				return
			}
			f.play(record)
		})
	})
}

func (f *Files) play(t *recording.Recording) {
	f.past.Play(t, &port.Recorded{
		Cluster: t.Cluster, User: t.User, From: t.From, To: t.To, Version: t.Version, Release: t.Apiserver, Damage: t.Damage,
		Altered: strings.Join(t.Altered, ", "), LeftOut: strings.Join(t.LeftOut, ","), Unnamed: t.Unnamed,
	})
}

// endReading stops reading the file.
func (f *Files) endReading() {
	if f.reading != nil {
		f.reading.cancel()
		f.reading = nil
	}
}

// StopSaving cancels saving a file that the page no longer wants.
func (f *Files) StopSaving(id uint32) {
	if f.saving != nil && f.saving.id == id {
		f.saving.cancel()
	}
}

// End cancels everything when the page is gone.
func (f *Files) End() {
	f.endReading()
	if f.saving != nil {
		f.saving.cancel()
	}
	f.look.End()
}

// span is the part of history that a file covers.
type span struct {
	ID      uint32            `json:"id"`   // of the file
	From    time.Time         `json:"from"` // zero: the beginning of history
	To      time.Time         `json:"to"`   // zero: now
	Choices recording.Choices `json:"choices"`
	Page    string            `json:"page"` // the page's address
}

// of reads the arguments of a request, and limits the span to a record.
func (s *span) of(t history.Record, ask port.Ask) error {
	if err := ask.Read(s); err != nil {
		return err
	}
	from, to := t.Span()
	if s.From.Before(from) {
		s.From = from
	}
	if s.To.IsZero() || s.To.After(to) {
		s.To = to
	}
	if len(t.Streams()) == 0 {
		return errors.New("there is no history yet")
	}
	if s.From.After(s.To) { // a recording that has just begun: the history's end is up to a second old
		s.From = s.To
	}
	return nil
}

// recordWithLogs is a record with the logs in a page's memory.
type recordWithLogs struct {
	history.Record
	logs []history.Log
}

// Logs is history.Logged's.
func (l recordWithLogs) Logs() []history.Log { return l.logs }

// record returns the history, with the current logs of the page's open tabs. A recording has its own logs.
func (f *Files) record() history.Record {
	record := f.past.host.Cluster().Record()
	if _, ok := record.(history.Logged); ok {
		return record
	}
	longest := make(map[string]history.Log)
	for _, l := range f.past.host.Logs() {
		if id := recording.LogID(l); longest[id].Text == nil || len(longest[id].Text) < len(l.Text) {
			longest[id] = l
		}
	}
	return recordWithLogs{record, slices.Collect(maps.Values(longest))}
}

// Preview answers what a file would contain. The page's next preview cancels it.
func (f *Files) Preview(ask port.Ask) {
	c, record, ctx := f.past.Own(), f.record(), f.look.Begin(f.past.Own().Ctx)
	var s span
	if err := s.of(record, ask); err != nil {
		f.past.host.Send(ask.Answer(nil, err))
		return
	}
	c.Start(func() {
		f.past.host.Send(ask.Answer(recording.Look(record, s.From, s.To, s.Choices, newBreather(ctx, c.Rest).pause)))
	})
}

// saveAnswer is the answer once a file has been sent.
type saveAnswer struct {
	Dropped int `json:"dropped,omitempty"` // objects and changes that could not be read
}

// Save sends a file in pieces, and answers once all are sent.
func (f *Files) Save(ask port.Ask) {
	c, record := f.past.Own(), f.record()
	var s span
	if err := s.of(record, ask); err != nil || f.saving != nil {
		if err == nil {
			err = errors.New("a recording is already being saved")
		}
		f.past.host.Send(ask.Answer(nil, err))
		return
	}
	ctx, cancel := context.WithCancel(c.Ctx)
	one := &saving{id: s.ID, cancel: cancel, acks: make(chan struct{}, Window)}
	f.saving = one
	h := f.header(s)
	c.Start(func() {
		defer cancel()
		dropped, err := f.send(newBreather(ctx, c.Rest), one, record, h, s.Choices)
		c.Post(c.Ctx, func() {
			f.saving = nil
			end := port.Piece{ID: one.id, Last: true}
			if err != nil {
				end.Error = err.Error()
			}
			f.past.host.Send(end)
			f.past.host.Send(ask.Answer(saveAnswer{dropped}, err))
		})
	})
}

var errStopped = errors.New("stopped")

// send sends the pieces of a file, no faster than the page acknowledges them. Any goroutine may call it.
func (f *Files) send(b *breather, s *saving, record history.Record, h recording.Header, c recording.Choices) (dropped int, err error) {
	sent := 0
	return recording.Write(record, h, c, func(piece []byte) error {
		if piece == nil {
			return b.pause()
		}
		if sent++; sent > Window {
			select {
			case <-s.acks:
			case <-b.ctx.Done():
				return errStopped
			}
		}
		f.past.host.Send(port.Piece{ID: s.id, Data: piece})
		return b.pause()
	})
}

// breather pauses a long calculation regularly, so that the loop and the page are not held up.
type breather struct {
	breath.Breath
	ctx context.Context
}

// busyFor is the time between two pauses.
const busyFor = 24 * time.Millisecond

func newBreather(ctx context.Context, rest breath.Rest) *breather {
	return &breather{breath.Breath{For: busyFor, Rest: rest}, ctx}
}

// pause pauses if one is due. It returns an error if the calculation is canceled.
func (b *breather) pause() error {
	if b.Take(); b.ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// header returns the header of a file that the page saves.
func (f *Files) header(s span) recording.Header {
	c := f.past.Own()
	h := recording.Header{Cluster: c.Context, User: c.UserName(), From: s.From, To: s.To, Page: s.Page}
	if w := c.Client.Link().Welcome; w != nil {
		h.Cluster, h.Apiserver, h.Version = w.Context, w.Release, w.Version
	}
	if about := f.past.about; about != nil { // part of a recording: the same cluster
		h.Cluster, h.User, h.Apiserver, h.Version = about.Cluster, about.User, about.Release, about.Version
	}
	if t, ok := f.past.host.Cluster().Record().(*recording.Recording); ok {
		h.Altered, h.LeftOut, h.Unnamed = t.Altered, t.LeftOut, t.Unnamed
	}
	return h
}
