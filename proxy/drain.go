//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/edge"
	"watchglass/internal/wire"
)

// The parts of the time that a drain takes. At first all goes on, but that the proxy
// says it is not ready, so that a balancer can notice; then no more tabs are taken,
// and those there are leave, each when it likes within half of the time; the rest is
// for those that do not.
const (
	noticePart = 4
	leavePart  = 2
	closePart  = 8
	closeMost  = time.Second // for a tab to answer that it is closed
	answerMost = 250 * time.Millisecond
)

// finish lets go of every tab, and ends within the time a drain may take, and a
// second if there is no drain.
func (s *server) finish(h *http.Server, stop context.CancelFunc) {
	s.condition.Store(draining)
	began, all := time.Now(), s.options.drains()
	closing := closeMost
	if all > 0 {
		closing = min(closeMost, all/closePart)
		s.log.Info("draining tabs", "within", all)
		time.Sleep(all / noticePart)
	}
	gone := s.tabs.shut()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_ = h.Shutdown(context.Background()) // Close ends it
	}()
	if all > 0 {
		s.drain.Begin(all / leavePart)
		await(gone, time.Until(began.Add(all-closing)))
	}
	stop() // tabs are told by the code of the close frame
	await(gone, closing)
	s.cut()
	await(answered, answerMost)
	h.Close()
	<-answered
	<-gone
}

// await waits for an event, so long and no longer.
func await(event <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-event:
	case <-timer.C:
	}
}

// tabs are the sockets that are open, or about to be.
type tabs struct {
	mu   sync.Mutex
	open int
	gone chan struct{} // once no more are taken; closed when there is none
}

// enter takes one more, unless no more are taken.
func (t *tabs) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone != nil {
		return false
	}
	t.open++
	return true
}

func (t *tabs) exit() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open--; t.open == 0 && t.gone != nil {
		close(t.gone)
	}
}

// shut takes no more, once, and tells when the last has gone.
func (t *tabs) shut() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = make(chan struct{})
	if t.open == 0 {
		close(t.gone)
	}
	return t.gone
}

// count lets sockets in that the drain then waits for.
func (t *tabs) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !t.enter() {
			w.Header().Set("Connection", "close")
			tell(w, r, http.StatusServiceUnavailable, "draining")
			return
		}
		defer t.exit()
		next.ServeHTTP(w, r)
	})
}

// carried is where a request's context holds its connection.
type carried struct{}

func carry(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(edge.ConnContext(ctx, c), carried{}, c)
}

// upgrade makes a socket of a request, which can be cut off: the library's own end
// waits for whoever does not read. What is returned last is to be called when the
// socket is done with.
func (s *server) upgrade(w http.ResponseWriter, r *http.Request) (*websocket.Conn, func(), error) {
	conn, err := websocket.Accept(w, r, compressed(s.accept(), r))
	if err != nil {
		return nil, nil, err
	}
	conn.SetReadLimit(wire.MaxControl)
	stop := context.AfterFunc(s.cutting, func() {
		if c, ok := r.Context().Value(carried{}).(net.Conn); ok {
			c.Close()
		}
	})
	return conn, func() { stop() }, nil
}
