//go:build !js

package relay

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/relay/queue"
	"watchglass/internal/wire"
)

// listProgress is what a stream has of Places while its list is not complete.
type listProgress struct {
	place   atomic.Pointer[queue.Place]
	blocked atomic.Int64 // unix nanoseconds since when its list waits for the tab; 0: it does not
}

const (
	// parkAfter is how long a list waits for the tab until others get its place.
	parkAfter = time.Second
	// unreadWithin is how long a tab may give no credit at all while one of its lists waits for it. The apiserver keeps
	// seats for that list, which others need. On a line of 128 kbit/s, a frame takes 16 s.
	unreadWithin = 20 * time.Second
	// settlesAfter is how long a watch whose initial events have no end keeps its place.
	settlesAfter = 10 * time.Second
)

// enter waits until it is the turn of the stream's request, if that is a list.
func (s *stream) enter(ctx context.Context, server string) *wire.Status {
	q := s.session.options.Places.queueOf(s.request)
	p, err := q.Join(server, s.session.options.User)
	if err != nil {
		return tooManyWaiting()
	}
	s.place.Store(p)
	if err := p.Wait(ctx); err != nil {
		return statusOfError(err)
	}
	return nil
}

// leave gives up the place of the stream's list.
func (p *listProgress) leave(complete bool) { p.place.Swap(nil).Leave(complete) }

// onAnswer notes what the answer to a list that was sent at a time says about the apiserver.
func (s *stream) onAnswer(ctx context.Context, asked time.Time, resp *http.Response, err error) {
	p, took := s.place.Load(), time.Since(asked)
	if p == nil {
		return
	}
	if s.request.Verb == wire.Watch && lasts(s.request) <= wire.ShortWatch {
		took = 0 // the answer may come with the end
	}
	switch {
	case ctx.Err() != nil:
		p.Answered(took, false) // the tab has left
	case err != nil:
		if unansweredInTime(err) {
			p.Unanswered()
		}
	default:
		p.Answered(took, refusedAsBusy(resp.StatusCode))
	}
	if err == nil && s.request.Verb == wire.Watch && !s.request.SendInitialEvents {
		s.leaveSettled(p)
	}
}

// unansweredInTime reports that a request was given up because its answer did not come.
func unansweredInTime(err error) bool {
	status := wire.StatusOf(err)
	return errors.Is(err, context.DeadlineExceeded) || status != nil && status.Reason == wire.ReasonUnanswered
}

// refusedAsBusy reports whether an answer says that the apiserver, or what is in front of it, has too much to do.
func refusedAsBusy(code int) bool {
	return code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout
}

// leaveSettled gives up the place of a watch that began at no version. Nothing tells where its initial events end.
func (s *stream) leaveSettled(p *queue.Place) {
	time.AfterFunc(settlesAfter, func() {
		if s.blocked.Load() != 0 {
			s.leaveSettled(p)
			return
		}
		s.place.CompareAndSwap(p, nil)
		p.Leave(true)
	})
}

// onEvent is called with each event that was read. The bookmark that ends the initial events completes the list.
func (p *listProgress) onEvent(t wire.EventType, payload []byte) {
	if t != wire.Bookmark || p.place.Load() == nil {
		return
	}
	if _, end, err := object.ReadBookmark(payload); err == nil && end {
		p.leave(true)
	}
}

// waits notes that a list waits for the tab, until the function that it returns is called. If too many lists wait for
// their tabs, it may end, unless the tab's program is still being loaded.
func (s *stream) waits() (done func()) {
	p := s.place.Load()
	if p == nil {
		return func() {}
	}
	since := time.Now().UnixNano()
	s.blocked.Store(since)
	late := time.AfterFunc(parkAfter, func() {
		p.Park(s.ender(since))
		if s.blocked.Load() != since { // the wait ended meanwhile
			p.Unpark()
		}
	})
	return func() {
		late.Stop()
		s.blocked.Store(0)
		p.Unpark()
	}
}

// ender returns what ends the stream if its list still waits since a time, or nil if the tab cannot be expected to read yet.
func (s *stream) ender(since int64) func() {
	if s.window.early() {
		return nil
	}
	return func() {
		if s.blocked.Load() == since {
			s.cancel(errUnread)
		}
	}
}

// unread reports whether the stream's list has waited for the tab for too long. A tab whose program is still being
// loaded does not read beyond its early window.
func (s *stream) unread(now time.Time) bool {
	since := s.blocked.Load()
	return since != 0 && s.place.Load() != nil && now.Sub(time.Unix(0, since)) > unreadWithin && !s.window.early()
}

// endUnread ends the lists that the tab does not read, if it reads nothing at all.
func (s *session) endUnread(now time.Time) {
	if now.Sub(time.Unix(0, s.credited.Load())) <= unreadWithin {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		if st.unread(now) {
			st.cancel(errUnread)
		}
	}
}

// queued returns the places of the lists that wait for their turn.
func (s *session) queued() (all []wire.QueuePosition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, st := range s.streams {
		if ahead, waits := st.place.Load().Ahead(); waits {
			all = append(all, wire.QueuePosition{Stream: id, Ahead: ahead})
		}
	}
	return all
}
