//go:build !js

package edge

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Bound is how many connections a listener has open at once: in all, and of one address. A
// front's are those of many clients, and count in all only. A newcomer beyond that takes the
// place of a connection that does nothing, or is closed at once, so that whoever opens many
// costs little more than the sockets of the kernel.
type Bound struct {
	All, Each int // none: there is no bound
	// Strangers, if set, is how many connections of one address may stay open on which no
	// session was shown, and no request has a turn (Turns). What is not handled yet, or was
	// refused for its head, has none.
	Strangers int
	Fronts    []netip.Prefix
	// Refused, if set, is called for each connection that is closed.
	Refused func()
}

const (
	// strangerIdle is how long a connection without a session may be idle.
	strangerIdle = 10 * time.Second
	// strangerLeast is how long it may do nothing however many there are: many people at one
	// address may come at once.
	strangerLeast = time.Second
)

// Listener bounds a listener. The server's ConnState and ConnContext have to be this
// package's, or call them.
func (b Bound) Listener(l net.Listener) net.Listener {
	return &bounded{Listener: l, bound: b, crowd: newCrowd[*counted]()}
}

type bounded struct {
	net.Listener
	bound Bound

	mu    sync.Mutex
	crowd crowd[*counted]
}

// counted is a connection that counts. Its listener's lock guards it.
type counted struct {
	net.Conn
	in     *bounded
	client netip.Addr
	front  bool
	state  http.ConnState
	since  time.Time // of the state, or the end of its last turn
	turns  int       // of requests in progress
	known  bool      // a session was shown on it
	idle   *time.Timer
}

// Accept returns the next connection within the bound.
func (l *bounded) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := addressOf(conn.RemoteAddr().String())
		c := &counted{Conn: conn, in: l, client: customer(client), front: within(client, l.bound.Fronts), since: time.Now()}
		displaced, ok := l.enter(c)
		if ok {
			if displaced != nil {
				displaced.shut()
			}
			return c, nil
		}
		c.shut()
	}
}

// shut closes a connection that the bound leaves no room for.
func (c *counted) shut() {
	c.Close()
	if c.in.bound.Refused != nil {
		c.in.bound.Refused()
	}
}

// enter counts a connection, and returns the one whose place it takes, if any.
func (l *bounded) enter(c *counted) (displaced *counted, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.bound.Each > 0 && !c.front && len(l.crowd.of[c.client]) >= l.bound.Each:
		if displaced, _ = idlest(l.crowd.of[c.client]); displaced == nil {
			return nil, false
		}
	case l.bound.All > 0 && l.crowd.all >= l.bound.All:
		if displaced = l.idlest(); displaced == nil {
			return nil, false
		}
	}
	if displaced != nil {
		l.leave(displaced)
	}
	l.crowd.add(c.client, c)
	return displaced, true
}

// idlest is the connection that does least, of the address that has most such connections;
// nil if all do something.
func (l *bounded) idlest() (found *counted) {
	most := 0
	for _, all := range l.crowd.of {
		if c, n := idlest(all); n > most {
			found, most = c, n
		}
	}
	return found
}

// idlest is the connection that does least of some, and how many do as little as may be
// closed. One with a request in progress is not closed if it has a session, nor is a socket.
func idlest(all map[*counted]bool) (found *counted, n int) {
	for c := range all {
		if c.rank() == busy {
			continue
		}
		if n++; found == nil || c.rank() < found.rank() || c.rank() == found.rank() && c.since.Before(found.since) {
			found = c
		}
	}
	return found, n
}

// The ranks of connections: the lowest is closed first.
const (
	idleStranger = iota
	activeStranger
	idleKnown
	busy
)

func (c *counted) rank() int {
	active := c.state == http.StateActive
	switch {
	case c.state == http.StateHijacked || active && c.known:
		return busy
	case c.known:
		return idleKnown
	case active:
		return activeStranger
	}
	return idleStranger
}

// leave stops counting a connection, if it counts.
func (l *bounded) leave(c *counted) {
	if c.idle != nil {
		c.idle.Stop()
	}
	l.crowd.remove(c.client, c)
}

// Close closes a connection, and stops counting it.
func (c *counted) Close() error {
	c.in.mu.Lock()
	c.in.leave(c)
	c.in.mu.Unlock()
	return c.Conn.Close()
}

// ConnState tells the bound what a connection does. It is for http.Server's field of this
// name.
func ConnState(conn net.Conn, state http.ConnState) {
	if c := countedOf(conn); c != nil {
		if extra := c.in.changed(c, state); extra != nil {
			extra.shut()
		}
	}
}

// changed notes what a connection does now, and returns a stranger that is one too many.
func (l *bounded) changed(c *counted, state http.ConnState) (extra *counted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.state, c.since = state, time.Now()
	if c.idle != nil {
		c.idle.Stop()
	}
	if c.known || c.front || !l.crowd.has(c.client, c) {
		return nil
	}
	if state == http.StateIdle {
		c.idle = time.AfterFunc(strangerIdle, func() { c.Close() })
	}
	if extra = l.stranger(c.client); extra != nil {
		l.leave(extra)
	}
	return extra
}

// stranger is the one that has done nothing for longest of an address that has too many.
func (l *bounded) stranger(client netip.Addr) (extra *counted) {
	n := 0
	for c := range l.crowd.of[client] {
		if c.known || c.front || c.turns > 0 || c.state == http.StateHijacked {
			continue
		}
		if n++; extra == nil || c.since.Before(extra.since) {
			extra = c
		}
	}
	if l.bound.Strangers == 0 || n <= l.bound.Strangers || time.Since(extra.since) < strangerLeast {
		return nil
	}
	return extra
}

type countedKey struct{}

// ConnContext has requests know their connection. It is for http.Server's field of this name.
func ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, countedKey{}, countedOf(conn))
}

// know notes that a session was shown on a request's connection.
func know(ctx context.Context) {
	note(ctx, func(c *counted) { c.known = true })
}

// note changes what is known of a request's connection.
func note(ctx context.Context, what func(c *counted)) {
	if c, _ := ctx.Value(countedKey{}).(*counted); c != nil {
		c.in.mu.Lock()
		what(c)
		c.in.mu.Unlock()
	}
}

// countedOf is the counted connection below others; nil if there is none.
func countedOf(conn net.Conn) *counted {
	for {
		switch c := conn.(type) {
		case *counted:
			return c
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return nil
		}
	}
}
