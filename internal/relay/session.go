//go:build !js

package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Conn is the WebSocket to the tab. Read returns one message. Write is called by several
// goroutines, one at a time, and must not keep msg.
type Conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, msg []byte) error
}

// session is one tab's connection.
type session struct {
	options Options
	conn    Conn
	window  window
	ctx     context.Context
	end     context.CancelCauseFunc
	silence *time.Timer // ends the session if the tab is silent

	announces bool         // the tab knows KindLarge; set before anything large is written
	queues    bool         // the tab knows KindQueued
	pauses    bool         // the tab knows KindPaused
	credited  atomic.Int64 // unix nanoseconds of the last credit

	writing sync.Mutex

	mu      sync.Mutex
	streams map[uint32]*stream
	running sync.WaitGroup
}

// ErrProtocol ends the connection of a tab that violates the protocol.
var ErrProtocol = errors.New("the tab broke the protocol")

var errGone = errors.New("the tab has been silent too long")

// Serve relays for one tab until the connection or the context ends. When it returns, all
// streams have ended.
func Serve(ctx context.Context, conn Conn, o Options) error {
	if o.HelloWithin == 0 {
		o.HelloWithin = 10 * time.Second
	}
	if o.RevokeWithin == 0 {
		o.RevokeWithin = 30 * time.Second
	}
	if o.Proves == nil {
		o.Proves = func(string) bool { return true }
	}
	if o.Admit == nil {
		o.Admit = func() error { return nil }
	}
	o.unlimited()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &session{options: o, conn: conn, window: window{max: wire.ConnWindow}, streams: make(map[uint32]*stream)}
	s.credited.Store(time.Now().UnixNano())
	s.ctx, s.end = context.WithCancelCause(ctx)
	defer s.running.Wait()
	defer s.end(nil)
	// A timer of its own, since every goroutine that writes may be waiting for the tab to read.
	s.silence = time.AfterFunc(wire.GoneAfter, func() { s.end(errGone) })
	defer s.silence.Stop()
	if err := s.hello(); err != nil {
		return err
	}
	s.running.Go(s.beat)
	s.running.Go(s.checkRights)
	return s.read()
}

// hello waits for the tab's first message, answers it, and opens the early stream that it
// names.
func (s *session) hello() error {
	ctx, cancel := context.WithTimeout(s.ctx, s.options.HelloWithin)
	defer cancel()
	msg, err := s.conn.Read(ctx)
	if err != nil {
		return fmt.Errorf("wait for hello: %w", err)
	}
	if len(msg) > wire.MaxControl {
		return fmt.Errorf("%w: a hello of %d bytes", ErrProtocol, len(msg))
	}
	h, err := wire.ParseHello(msg)
	if err != nil {
		s.control(wire.JSONFrame(wire.KindEnd, 0, wire.End{Status: proxyStatus(wire.ReasonMalformed, "%v", err)}))
		return fmt.Errorf("%w: %v", ErrProtocol, err)
	}
	if !s.options.Proves(h.Proof) {
		s.control(wire.JSONFrame(wire.KindEnd, 0, wire.End{Status: &wire.Status{
			Origin: wire.FromProxy, Code: http.StatusUnauthorized, Reason: wire.ReasonUnauthorized, Message: "the page lacks the proof of its session: reload it",
		}}))
		return fmt.Errorf("%w: a hello without the session's proof", ErrProtocol)
	}
	if err := s.options.Admit(); err != nil {
		return err
	}
	s.announces, s.queues, s.pauses = h.Large, h.Queue, h.Pause
	welcome := s.options.Welcome
	welcome.V, welcome.EarlyRequest = wire.Version, s.early(h)
	s.control(wire.JSONFrame(wire.KindWelcome, 0, welcome))
	s.options.Upstream.retry() // somebody opened the page
	if welcome.EarlyRequest != nil {
		return s.open(wire.EarlyStream, *welcome.EarlyRequest)
	}
	return nil
}

// early returns the request for the resource that a hello names, or nil if only the server
// knows that resource.
func (s *session) early(h wire.Hello) *wire.Request {
	kind, ok := object.Builtin(h.Early)
	if h.Early == "" || !ok {
		return nil
	}
	namespace := ""
	if kind.Namespaced {
		namespace = s.options.Namespace
	}
	r := wire.InitialWatch(kind.Group, kind.Version, kind.Resource, namespace)
	return &r
}

// read handles the tab's frames until the connection ends.
func (s *session) read() error {
	for {
		msg, err := s.conn.Read(s.ctx)
		if err != nil {
			if cause := context.Cause(s.ctx); cause != nil {
				return cause
			}
			return fmt.Errorf("read from the tab: %w", err)
		}
		s.hear()
		if err := s.handle(msg); err != nil {
			return fmt.Errorf("%w: %v", ErrProtocol, err)
		}
	}
}

func (s *session) handle(msg []byte) error {
	if len(msg) > wire.MaxControl {
		return fmt.Errorf("a frame of %d bytes", len(msg))
	}
	f, err := wire.ParseFrame(msg)
	if err != nil {
		return err
	}
	switch f.Kind {
	case wire.KindBeat:
		return nil
	case wire.KindOpen:
		var r wire.Request
		if err := f.JSON(&r); err != nil {
			return err
		}
		return s.open(f.Stream, r)
	case wire.KindCredit:
		n, err := f.Credit()
		if err != nil {
			return err
		}
		s.credited.Store(time.Now().UnixNano())
		if st := s.stream(f.Stream); st != nil {
			st.credit(n)
		}
		return nil
	case wire.KindClose:
		if st := s.stream(f.Stream); st != nil {
			st.cancel(errClosed)
		}
		return nil
	}
	return fmt.Errorf("%w: kind %d from the tab", wire.ErrFrame, f.Kind)
}

func (s *session) stream(id uint32) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[id]
}

// open starts a stream. Using a number twice violates the protocol. A stream too many is
// refused by the goroutine that reads, so a tab that does not read refusals cannot send more
// requests, and one that repeats what was refused is slowed.
func (s *session) open(id uint32, r wire.Request) error {
	full, err := s.start(id, r)
	if full != nil {
		s.slow(s.ctx)
		s.control(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: full}))
	}
	return err
}

// slow makes a refused request wait if there have been many.
func (s *session) slow(ctx context.Context) {
	if s.options.Slow != nil {
		s.options.Slow(ctx)
	}
}

func (s *session) start(id uint32, r wire.Request) (full *wire.Status, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.streams[id]; ok || id == 0 {
		return nil, fmt.Errorf("stream %d is open", id)
	}
	if len(s.streams) >= wire.MaxStreams {
		return proxyStatus(wire.ReasonTooManyRequests, "a connection can have at most %d streams", wire.MaxStreams), nil
	}
	if r.Counts() && !s.options.MayList() || r.Verb == wire.Review && !s.options.MayReview() {
		return tooManyWaiting(), nil
	}
	if r.Now {
		s.options.Upstream.retry()
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	st := newStream(s, id, r, cancel)
	s.streams[id] = st
	s.running.Go(func() {
		defer cancel(nil)
		st.run(ctx)
		s.mu.Lock()
		delete(s.streams, id)
		s.mu.Unlock()
		s.window.credit(st.window.drain())
	})
	return nil, nil
}

// beat sends heartbeats with the age of each stream, the places of those that wait, the pauses of those whose right is
// not confirmed and, once, the request to leave.
func (s *session) beat() {
	pauseSent := false // the last frame of pauses had some
	ticker := time.NewTicker(wire.BeatEvery)
	defer ticker.Stop()
	drain := s.options.Drain.beginning()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-drain:
			s.control(s.options.Drain.frame())
			drain = nil
		case now := <-ticker.C:
			s.endUnread(now)
			if queued := s.queued(); s.queues && len(queued) > 0 {
				s.control(wire.QueuedFrame(queued))
			}
			if paused := s.paused(now); s.pauses && (pauseSent || len(paused) > 0) {
				pauseSent = len(paused) > 0
				s.control(wire.PausedFrame(paused))
			}
			s.control(wire.BeatFrame(s.ages(now)))
		}
	}
}

func (s *session) ages(now time.Time) []wire.Age {
	s.mu.Lock()
	defer s.mu.Unlock()
	ages := make([]wire.Age, 0, len(s.streams))
	for id, st := range s.streams {
		ages = append(ages, wire.Age{Stream: id, Age: st.age(now)})
	}
	return ages
}

// paused returns the streams that are paused until their right is confirmed, and for how long they have been.
func (s *session) paused(now time.Time) (all []wire.Age) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, st := range s.streams {
		if since := st.right.overdue(now); since > 0 {
			all = append(all, wire.Age{Stream: id, Age: since})
		}
	}
	return all
}

func (s *session) hear() { s.silence.Reset(wire.GoneAfter) }

// control sends a frame that needs no credit.
func (s *session) control(frame []byte) { s.write(s.ctx, frame) }

// write sends one message. If it is larger than a batch, write announces it to a tab that knows
// announcements, since nothing else is sent before the tab has all of it, not even a heartbeat. If the
// connection fails, it ends the
// session before it returns: the apiserver did not fail the stream, and its Record must say so.
// Streams alternate frame by frame, since each writes one at a time.
func (s *session) write(ctx context.Context, msg []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	messages := [][]byte{msg}
	if s.announces && len(msg) > wire.BatchBytes {
		messages = [][]byte{wire.LargeFrame(len(msg)), msg}
	}
	for _, m := range messages {
		// The session's context, not the stream's: a message that is cut in half ends the
		// connection.
		if err := s.conn.Write(s.ctx, m); err != nil {
			err = fmt.Errorf("write to the tab: %w", err)
			s.end(err)
			return err
		}
	}
	return nil
}
