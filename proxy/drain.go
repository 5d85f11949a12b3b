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

	"watchglass/internal/edge/limit"
	"watchglass/internal/wire"
)

// The phases of a drain, as fractions of its time. In the first, the proxy reports that it is
// not ready, so that a load balancer notices, and serves as before. In the second, it accepts
// no more tabs, and its tabs leave, each at a random moment. The rest is for tabs that did not
// leave.
const (
	noticePart = 4
	leavePart  = 2
	closePart  = 8
	closeMost  = time.Second // for a tab to acknowledge the close
	answerMost = 250 * time.Millisecond
)

// finish disconnects every tab, and returns within the time of the drain, or within a second
// if there is no drain.
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
	stop() // the code of the close frame says why
	await(gone, closing)
	s.cut()
	await(answered, answerMost)
	h.Close()
	<-answered
	<-gone
}

// await waits for an event, for at most the given time.
func await(event <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-event:
	case <-timer.C:
	}
}

// tabs counts the sockets that are open or being opened.
type tabs struct {
	mu   sync.Mutex
	open int
	gone chan struct{} // set once no more are accepted; closed when the last has gone
}

// enter counts one more, unless no more are accepted.
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

// shut accepts no more, and returns a channel that is closed when the last has gone. It may be
// called once.
func (t *tabs) shut() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = make(chan struct{})
	if t.open == 0 {
		close(t.gone)
	}
	return t.gone
}

// count counts the sockets that next opens, so that a drain waits for them.
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

// connKey is the key of the connection in a request's context.
type connKey struct{}

func carry(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(limit.ConnContext(ctx, c), connKey{}, c)
}

// upgrade turns a request into a socket. The connection is closed when cutting ends, since the
// library's own close waits for a client that does not read. The caller has to call the
// returned function when it is done with the socket.
func (s *server) upgrade(w http.ResponseWriter, r *http.Request) (*websocket.Conn, func(), error) {
	conn, err := websocket.Accept(w, r, s.compressed(s.accept(), r))
	if err != nil {
		return nil, nil, err
	}
	conn.SetReadLimit(wire.MaxControl)
	stop := context.AfterFunc(s.cutting, func() {
		if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			c.Close()
		}
	})
	return conn, func() { stop() }, nil
}
