//go:build !js

package relay

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/wire"
)

// stream is one request of the tab and the apiserver's answer to it.
type stream struct {
	id      uint32
	request wire.Request
	session *session
	window  window
	cancel  context.CancelCauseFunc
	heard   atomic.Int64 // unix nanoseconds of the last byte
	opening sync.Once
	right   permit
	listProgress
	account
}

// errClosed ends a stream that the tab closed.
var errClosed = errors.New("the tab closed the stream")

// newStream returns a stream of a session, which cancel ends.
func newStream(s *session, id uint32, r wire.Request, cancel context.CancelCauseFunc) *stream {
	st := &stream{id: id, request: r, session: s, window: window{max: wire.StreamWindow}, cancel: cancel}
	if _, ends := needed(r); ends {
		st.right.within = s.options.RevokeWithin
	}
	if id == wire.EarlyStream {
		st.window.max = wire.EarlyWindow
	}
	st.hear()
	return st
}

// run sends the request, relays the answer, and reports how it ended.
func (s *stream) run(ctx context.Context) {
	s.begin()
	status := s.relay(ctx)
	s.finish(ctx, status)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errUnconfirmed):
		status = unconfirmed(s.request)
	case errors.Is(cause, errUnread):
		status = statusOfError(cause)
	case cause != nil:
		return // the tab no longer listens
	}
	if status != nil {
		s.session.options.Log.Debug("stream ended", "stream", s.id, "verb", s.request.Verb, "resource", s.request.Resource, "error", status.Error())
	}
	s.session.control(wire.JSONFrame(wire.KindEnd, s.id, wire.End{Status: status}))
}

func (s *stream) relay(ctx context.Context) *wire.Status {
	req, status := Build(ctx, s.session.options.Upstream.Base, s.request)
	if status != nil {
		s.session.slow(ctx)
		return status
	}
	release, status := s.admit(ctx, req.URL.Host)
	if status != nil {
		return status
	}
	defer release()
	admitted, err := s.session.options.Limiter.wait(ctx, req.URL.Host, s.session.options.User, s.request)
	if err != nil {
		return statusOfError(err)
	}
	if s.request.Follows() {
		waiting, cancel := context.WithCancel(ctx)
		defer cancel()
		go s.openSilent(waiting)
	}
	asked := time.Now()
	resp, err := s.asker().roundTrip(s.request, req)
	admitted.end(err == nil)
	s.onAnswer(ctx, asked, resp, err)
	if err != nil {
		return statusOfError(err)
	}
	defer resp.Body.Close()
	s.hear()
	if resp.StatusCode/100 != 2 {
		return statusOfResponse(resp)
	}
	s.right.confirm(asked)
	status = s.pass(ctx, resp)
	s.leave(status == nil)
	return status
}

// admit waits for what Places has for the stream's request. The caller has to call release.
func (s *stream) admit(ctx context.Context, server string) (release func(), status *wire.Status) {
	if s.request.Verb != wire.Review {
		return func() { s.leave(false) }, s.enter(ctx, server)
	}
	release, err := s.session.options.Places.ask(ctx, server, s.session.options.User)
	if err != nil {
		return nil, statusOfError(err)
	}
	return release, nil
}

// pass passes the answer on. A watch may end as a reader of a watch that it shares with others.
func (s *stream) pass(ctx context.Context, resp *http.Response) *wire.Status {
	var m *member
	defer func() { m.leave() }()
	b := newBatch(s.id, &s.heard, func(frame []byte, read int64) error { return s.send(ctx, frame, read) })
	defer b.close(errClosed)
	h := &hold{heavy: s.session.options.Heavy, user: s.session.options.User, ctx: ctx}
	if s.request.Verb == wire.Get || s.request.Verb == wire.Discover {
		h.crowd = heavyCrowd
	}
	defer h.release()
	u := &unframer{body: s.body(resp), withhold: withholdOf(s.request), hold: h, emit: func(t wire.EventType, payload []byte) error {
		s.onEvent(t, payload)
		if m.changes(t, payload) {
			return errShared
		}
		return b.add(t, payload)
	}}
	read, encoding, status := u.answer(s.request, resp)
	if status != nil {
		return status
	}
	m = s.session.options.Sharing.enter(s, encoding)
	s.open(encoding, resp.Header.Get("Date"))
	err := read()
	if errors.Is(err, errShared) {
		h.release()
		resp.Body.Close()
		err = m.follow(ctx, b)
	}
	if unsent := b.flush(); err == nil {
		err = unsent // an end without an error would mean that the tab has everything
	}
	if err != nil {
		return statusOfError(err)
	}
	return nil
}

// open tells the tab, once, that the apiserver has answered.
func (s *stream) open(encoding wire.Encoding, date string) {
	s.opening.Do(func() {
		opened := wire.Opened{Encoding: encoding}
		// Another API may be served by a machine with a clock of its own.
		if at, err := http.ParseTime(date); err == nil && s.request.Group == "" {
			opened.Date = at.Unix()
		}
		s.session.control(wire.JSONFrame(wire.KindOpened, s.id, opened))
	})
}

// openSilent opens a followed log that was not refused within silentOpens. While the apiserver
// gives no sign of life it waits, since such a log is not known to be open.
func (s *stream) openSilent(ctx context.Context) {
	ticker := time.NewTicker(silentOpens)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if heard := s.session.options.Upstream.Heard; heard == nil || now.Sub(heard()) <= wire.StaleAfter {
				s.open(wire.EncodingDefault, "")
				return
			}
		}
	}
}

// asker returns that of the stream, which records the answer.
func (s *stream) asker() asker {
	return asker{s.session.options.Upstream, s.session.options.Places, s.answered}
}

// readBytes is the size of a read buffer. Every watch of every tab holds one.
const readBytes = 8 << 10

// body returns the body of an answer to the stream.
func (s *stream) body(resp *http.Response) *bufio.Reader {
	return bufio.NewReaderSize(&bufferingReader{Reader: &heardReader{resp.Body, s.hear}, place: s.place.Load}, readBytes)
}

// send waits for room and sends a frame. read is when its first event was read.
func (s *stream) send(ctx context.Context, frame []byte, read int64) error {
	if err := s.right.wait(ctx); err != nil {
		return err
	}
	defer s.waits()()
	if err := s.window.reserve(ctx, len(frame)); err != nil {
		return err
	}
	if err := s.session.window.reserve(ctx, len(frame)); err != nil {
		s.window.credit(len(frame)) // it was not sent
		return err
	}
	if err := s.session.write(ctx, frame); err != nil {
		return err
	}
	s.sent(len(frame), read)
	return nil
}

// credit returns the bytes that the tab has applied to the windows. A tab that gives credit runs
// its program, so an early stream gets a full window.
func (s *stream) credit(n int) {
	s.window.widen(wire.StreamWindow)
	s.session.window.credit(s.window.credit(n))
}

func (s *stream) hear() { s.heard.Store(time.Now().UnixNano()) }

// age returns the time since the apiserver's last sign of life, on this stream or on any
// connection to it. Over HTTP/2, which TLS always uses, all streams share one connection. Over
// HTTP/1.x it proves only that the apiserver lives. A stream that is paused until its right is
// confirmed is as old as the pause.
func (s *stream) age(now time.Time) time.Duration {
	last := time.Unix(0, s.heard.Load())
	if heard := s.session.options.Upstream.Heard; heard != nil {
		if t := heard(); t.After(last) {
			last = t
		}
	}
	return max(now.Sub(last), s.right.overdue(now))
}

// heardReader calls hear when bytes come.
type heardReader struct {
	io.Reader
	hear func()
}

func (r *heardReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.hear()
	}
	return n, err
}
