//go:build !js

package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Conn is the WebSocket to the tab. Read returns one message; Write may be
// called by several goroutines, one after the other; it keeps nothing of msg.
type Conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, msg []byte) error
}

// Upstream is the apiserver as one user reaches it. The credentials are in the
// transport, where no request can touch them.
type Upstream struct {
	Base      *url.URL
	Transport http.RoundTripper
	// Heard is when any byte last came from it, answers to pings included.
	Heard func() time.Time
	// Retry, if set, has what failed on the way to it tried again at the next request.
	Retry func()
}

func (u Upstream) retry() {
	if u.Retry != nil {
		u.Retry()
	}
}

// Options of a session.
type Options struct {
	Upstream Upstream
	// Welcome is what the tab is told first; the protocol's own fields are
	// filled in here.
	Welcome wire.Welcome
	// Namespace, if set, is the only one that an early stream asks for.
	Namespace string
	// HelloWithin is how long a new connection may wait to say hello; 10 s.
	HelloWithin time.Duration
	// Proves decides whether a hello comes from the page of the session; none: every one
	// does.
	Proves func(proof string) bool
	// Admit is called once a hello is proven, and says why the connection ends all the same;
	// none: it never does.
	Admit func() error
	// RevokeWithin is how long a watch or a log may outlive the right to it; 30 s.
	RevokeWithin time.Duration
	// MayList reports whether another list, or another single object, may be asked for now;
	// none: always.
	MayList func() bool
	// Heavy bounds what large objects take, and User is who this session counts for there.
	// Without one the session has a bound of its own.
	Heavy *Heavy
	User  string
	// Observe, if set, gets a record of each stream when it is over, before Serve
	// returns.
	Observe func(Record)
	// Meter, if set, is told what streams do.
	Meter Meter
	// Drain, if set, tells when the tab is to go elsewhere.
	Drain *Drain
	Log   *slog.Logger
}

// session is one tab's connection.
type session struct {
	options Options
	conn    Conn
	window  window
	ctx     context.Context
	end     context.CancelCauseFunc
	silence *time.Timer // gives the tab up

	writing sync.Mutex

	mu      sync.Mutex
	streams map[uint32]*stream
	running sync.WaitGroup
}

// ErrProtocol is how a connection ends whose tab does not keep to the protocol.
var ErrProtocol = errors.New("the tab broke the protocol")

var errGone = errors.New("the tab has been silent too long")

// Serve relays for one tab until the connection or the context ends. All
// streams have ended when it returns.
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
	if o.MayList == nil {
		o.MayList = func() bool { return true }
	}
	if o.Heavy == nil {
		o.Heavy = NewHeavy()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &session{options: o, conn: conn, window: window{max: wire.ConnWindow}, streams: make(map[uint32]*stream)}
	s.ctx, s.end = context.WithCancelCause(ctx)
	defer s.running.Wait()
	defer s.end(nil)
	// A timer of its own: all that writes may be waiting for the tab to read.
	s.silence = time.AfterFunc(wire.GoneAfter, func() { s.end(errGone) })
	defer s.silence.Stop()
	if err := s.hello(); err != nil {
		return err
	}
	s.running.Go(s.beat)
	s.running.Go(s.checkRights)
	return s.read()
}

// hello waits for the tab's first message, answers it, and opens what it asks
// for at once.
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
			Origin: wire.FromProxy, Code: http.StatusUnauthorized, Reason: wire.ReasonUnauthorized, Message: "the page does not have the proof of its session",
		}}))
		return fmt.Errorf("%w: a hello without the session's proof", ErrProtocol)
	}
	if err := s.options.Admit(); err != nil {
		return err
	}
	welcome := s.options.Welcome
	welcome.V, welcome.EarlyRequest = wire.Version, s.early(h)
	s.control(wire.JSONFrame(wire.KindWelcome, 0, welcome))
	s.options.Upstream.retry() // somebody opened the page
	if welcome.EarlyRequest != nil {
		return s.open(wire.EarlyStream, *welcome.EarlyRequest)
	}
	return nil
}

// early makes the request of what a hello names, if it can be told without
// asking the server.
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

// read takes the tab's frames.
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
		if st := s.stream(f.Stream); st != nil {
			st.credit(n)
		}
		return nil
	case wire.KindClose:
		if st := s.stream(f.Stream); st != nil {
			st.cancel(errLetGo)
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

// open starts a stream. It is an error of the tab's to use a number twice. One
// stream too many is refused here, so that a tab which does not read what it is
// told is not listened to either.
func (s *session) open(id uint32, r wire.Request) error {
	full, err := s.start(id, r)
	if full != nil {
		s.control(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: full}))
	}
	return err
}

func (s *session) start(id uint32, r wire.Request) (full *wire.Status, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.streams[id]; ok || id == 0 {
		return nil, fmt.Errorf("stream %d is open", id)
	}
	if len(s.streams) >= wire.MaxStreams {
		return proxyStatus(wire.ReasonTooManyRequests, "a connection holds %d streams at most", wire.MaxStreams), nil
	}
	if counts(r) && !s.options.MayList() {
		return crowded(), nil
	}
	if r.Now {
		s.options.Upstream.retry()
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	st := &stream{id: id, request: r, session: s, window: window{max: wire.StreamWindow}, cancel: cancel}
	if id == wire.EarlyStream {
		st.window.max = wire.EarlyWindow
	}
	st.hear()
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

// counts reports whether a request counts against the rate of its user: it has the
// apiserver list, or brings a document that may be large.
func counts(r wire.Request) bool {
	switch r.Verb {
	case wire.List, wire.Get, wire.Discover:
		return true
	case wire.Watch:
		return r.SendInitialEvents || r.ResourceVersion == "" || r.ResourceVersion == "0"
	}
	return false
}

// beat tells the tab every now and then how fresh each stream is, and once that it
// is to leave.
func (s *session) beat() {
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

func (s *session) hear() { s.silence.Reset(wire.GoneAfter) }

// control sends a frame that no credit counts.
func (s *session) control(frame []byte) {
	if err := s.write(s.ctx, frame); err != nil {
		s.end(err)
	}
}

// write sends one message. Streams take turns frame by frame, since each has
// one on its way at most.
func (s *session) write(ctx context.Context, msg []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	// A stream that ends must not cut a message in half: that would end the
	// connection with it.
	if err := s.conn.Write(s.ctx, msg); err != nil {
		return fmt.Errorf("write to the tab: %w", err)
	}
	return nil
}
