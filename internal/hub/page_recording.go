package hub

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"watchglass/internal/breath"
	"watchglass/internal/history"
	"watchglass/internal/history/recording"
	"watchglass/internal/port"
)

// files are the files that a page opens and saves. Its methods are for the loop.
type files struct {
	page    *Page
	last    uint32    // the file that was opened last; the page counts them
	reading *reading  // the file that is being read; nil: none
	saving  *saving   // nil: none
	endLook func()    // ends the last preview
	since   time.Time // when a recording was begun; zero: none is
}

// reading is a file that is being read: its pieces as they come.
type reading struct {
	ctx    context.Context
	cancel func()
	more   chan struct{} // holds one: pieces have come

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
		n, last := r.take(into)
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

// take takes what has come.
func (r *reading) take(into []byte) (n int, last bool) {
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

// saving is a file that is being saved.
type saving struct {
	id      uint32
	cancel  func()
	painted chan struct{} // the page has taken a piece
}

// windowOfPieces is how many pieces are sent before the page has taken the first.
const windowOfPieces = 4

// onPiece handles a piece of a file that the page opens, or that it has taken a piece of the file that it
// saves.
func (f *files) onPiece(m port.Piece) {
	if s := f.saving; s != nil && s.id == m.ID {
		select {
		case s.painted <- struct{}{}:
		default: // more than were sent
		}
		return
	}
	if m.ID > f.last && (m.Last || len(m.Data) > 0) {
		f.endReading()
		f.last, f.reading = m.ID, newReading(f.page.own().ctx)
		f.read(f.reading, m.ID)
	}
	if f.reading == nil || m.ID != f.last {
		return // of a file that has ended
	}
	if m.Error != "" {
		f.endReading()
		return
	}
	f.reading.add(m.Data, m.Last)
}

// read reads a file in a goroutine of its own, and lets the page show it.
func (f *files) read(r *reading, id uint32) {
	c := f.page.own()
	c.start(func() {
		tape, err := recording.Read(r, c.breather(r.ctx).pause)
		c.post(r.ctx, func() {
			if f.reading != r {
				return // given up, perhaps for another file
			}
			f.endReading()
			if err != nil {
				f.page.port.Send(port.Piece{ID: id, Last: true, Error: err.Error()})
				return
			}
			f.page.play(tape, &port.Recorded{Cluster: tape.Cluster, User: tape.User, From: tape.From, To: tape.To, Version: tape.Version, Damage: tape.Damage})
		})
	})
}

// endReading ends the file that is being read.
func (f *files) endReading() {
	if f.reading != nil {
		f.reading.cancel()
		f.reading = nil
	}
}

// close ends a file that the page no longer wants.
func (f *files) close(id uint32) {
	if f.saving != nil && f.saving.id == id {
		f.saving.cancel()
	}
}

// end ends all, since the page is gone.
func (f *files) end() {
	f.endReading()
	if f.saving != nil {
		f.saving.cancel()
	}
	if f.endLook != nil {
		f.endLook()
	}
}

// span is which part of the history a file is of.
type span struct {
	ID      uint32            `json:"id"`   // of the file
	From    time.Time         `json:"from"` // zero: all that is remembered
	To      time.Time         `json:"to"`   // zero: now
	Choices recording.Choices `json:"choices"`
	Page    string            `json:"page"` // the address that is shown
}

// of reads the arguments of a question about a part of a tape.
func (s *span) of(t history.Tape, args json.RawMessage) error {
	if err := arguments(args, s); err != nil {
		return err
	}
	from, to := t.Span()
	if s.From.Before(from) {
		s.From = from
	}
	if s.To.IsZero() || s.To.After(to) {
		s.To = to
	}
	if s.To.Before(s.From) || len(t.Streams()) == 0 {
		return errors.New("there is no history yet")
	}
	return nil
}

// logged is a tape with the logs that a page has in memory.
type logged struct {
	history.Tape
	logs []history.Log
}

// Logs is history.Logged's.
func (l logged) Logs() []history.Log { return l.logs }

// tape returns what is remembered, with the logs of the page's open tabs, as they are now. A recording has
// its own.
func (f *files) tape() history.Tape {
	tape := f.page.cluster.tape()
	if _, ok := tape.(history.Logged); ok {
		return tape
	}
	longest := make(map[string]history.Log)
	for _, o := range f.page.objects {
		reader, ok := o.pane.(interface{ Logs() []history.Log })
		if !ok || o.cluster != f.page.cluster {
			continue
		}
		for _, l := range reader.Logs() {
			if id := recording.LogID(l); longest[id].Text == nil || len(longest[id].Text) < len(l.Text) {
				longest[id] = l
			}
		}
	}
	return logged{tape, slices.Collect(maps.Values(longest))}
}

// preview answers what a file would have. Another preview of the page ends it.
func (f *files) preview(ask port.Ask) {
	if f.endLook != nil {
		f.endLook()
	}
	c, tape := f.page.own(), f.tape()
	ctx, cancel := context.WithCancel(c.ctx)
	f.endLook = cancel
	c.start(func() {
		defer cancel()
		f.page.reply(ask, func(args json.RawMessage) (any, error) {
			var s span
			if err := s.of(tape, args); err != nil {
				return nil, err
			}
			return recording.Look(tape, s.From, s.To, s.Choices, c.breather(ctx).pause)
		})
	})
}

// saved is the answer when a file has been sent.
type saved struct {
	Dropped int `json:"dropped,omitempty"` // objects and changes that could not be read
}

// save sends a file in pieces, and answers when it has sent all.
func (f *files) save(ask port.Ask) {
	c, tape := f.page.own(), f.tape()
	var s span
	if err := s.of(tape, ask.Args); err != nil || f.saving != nil {
		if err == nil {
			err = errors.New("a recording is already being saved")
		}
		f.page.reply(ask, func(json.RawMessage) (any, error) { return nil, err })
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	one := &saving{id: s.ID, cancel: cancel, painted: make(chan struct{}, windowOfPieces)}
	f.saving = one
	h := f.header(s)
	c.start(func() {
		defer cancel()
		dropped, err := f.send(ctx, one, tape, h, s.Choices)
		c.post(c.ctx, func() {
			f.saving = nil
			end := port.Piece{ID: one.id, Last: true}
			if err != nil {
				end.Error = err.Error()
			}
			f.page.port.Send(end)
			f.page.reply(ask, func(json.RawMessage) (any, error) { return saved{dropped}, err })
		})
	})
}

var errStopped = errors.New("stopped")

// send sends the pieces of a file, no faster than the page takes them.
func (f *files) send(ctx context.Context, s *saving, tape history.Tape, h recording.Header, c recording.Choices) (dropped int, err error) {
	b, sent := f.page.cluster.breather(ctx), 0
	return recording.Write(tape, h, c, func(piece []byte) error {
		if piece == nil {
			return b.pause()
		}
		if sent++; sent > windowOfPieces {
			select {
			case <-s.painted:
			case <-ctx.Done():
				return errStopped
			}
		}
		f.page.port.Send(port.Piece{ID: s.id, Data: piece})
		return b.pause()
	})
}

// breather lets a long calculation pause, so that the loop and the page are not held up.
type breather struct {
	breath.Breath
	ctx context.Context
}

// busyFor is how long a calculation goes on without a pause.
const busyFor = 12 * time.Millisecond

func (l *loop) breather(ctx context.Context) *breather {
	return &breather{breath.Breath{For: busyFor, Rest: l.rest}, ctx}
}

// pause pauses if the last one was a while ago. It returns an error when the calculation is no longer
// wanted.
func (b *breather) pause() error {
	if b.Take(); b.ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// begin notes that what happens from now on is to be saved, and answers since when.
func (f *files) begin(json.RawMessage) (any, error) {
	f.since = time.Now().UTC()
	return f.since, nil
}

// stop forgets that.
func (f *files) stop(json.RawMessage) (any, error) {
	f.since = time.Time{}
	return nil, nil
}

// header returns what a file of the page says of itself.
func (f *files) header(s span) recording.Header {
	c := f.page.own()
	h := recording.Header{Cluster: c.context, User: c.user.name, From: s.From, To: s.To, Page: s.Page}
	if w := c.client.Link().Welcome; w != nil {
		h.Cluster, h.Apiserver, h.Version = w.Context, w.Release, w.Version
	}
	if about := f.page.past.about; about != nil { // a part of a recording is one of the same cluster
		h.Cluster, h.User, h.Apiserver, h.Version = about.Cluster, about.User, "", about.Version
	}
	return h
}
