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

// Bound limits the open connections of a listener, in total and per address. Those of a front
// belong to many clients, and count in total only. A new connection beyond the limit replaces an
// idle one, or is closed at once, so that a client with many connections costs little more than
// the kernel's sockets.
type Bound struct {
	All, Each int // 0: unlimited
	// Strangers, if set, is the maximum of open connections per address without a session and
	// without a request that has a turn (see Turns). A request has no turn until it is handled,
	// nor if its header was refused.
	Strangers int
	Fronts    []netip.Prefix
	// Refused, if set, is called for each connection that is closed.
	Refused func()
}

const (
	// strangerIdle is how long a connection without a session may be idle.
	strangerIdle = 10 * time.Second
	// strangerLeast is how long it may be idle regardless of their number: many people at one
	// address may connect at once.
	strangerLeast = time.Second
)

// Listener returns a listener with the limits. The server's ConnState and ConnContext have to be
// this package's, or call them.
func (b Bound) Listener(l net.Listener) net.Listener {
	return &bounded{Listener: l, bound: b, crowd: newCrowd[*counted]()}
}

type bounded struct {
	net.Listener
	bound Bound

	mu    sync.Mutex
	crowd crowd[*counted]
}

// counted is a connection of a bounded listener, whose lock guards it.
type counted struct {
	net.Conn
	in     *bounded
	client netip.Addr
	front  bool
	state  http.ConnState
	since  time.Time // start of the state, or end of the last turn
	turns  int       // number of requests in progress
	known  bool      // a request had a session
	idle   *time.Timer
}

// Accept returns the next connection within the limits.
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

// shut closes a connection beyond the limits.
func (c *counted) shut() {
	c.Close()
	if c.in.bound.Refused != nil {
		c.in.bound.Refused()
	}
}

// enter counts a connection, and returns the one that it replaces, if any.
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

// idlest returns the connection to replace, from the address that has most connections that can
// be replaced; nil if there is none.
func (l *bounded) idlest() (found *counted) {
	most := 0
	for _, all := range l.crowd.of {
		if c, n := idlest(all); n > most {
			found, most = c, n
		}
	}
	return found
}

// idlest returns the connection to replace, and how many can be replaced. Sockets cannot, nor can
// connections that have both a session and a request in progress.
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

// leave stops counting a connection, if it is counted.
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

// ConnState records the state of a connection. It is for the field of this name in http.Server.
func ConnState(conn net.Conn, state http.ConnState) {
	if c := countedOf(conn); c != nil {
		if extra := c.in.changed(c, state); extra != nil {
			extra.shut()
		}
	}
}

// changed records the state of a connection, and returns a connection to close if its address has
// too many strangers.
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

// stranger returns the stranger of an address that has been idle longest, if there are too many.
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

// ConnContext puts the connection into the context of its requests. It is for the field of this
// name in http.Server.
func ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, countedKey{}, countedOf(conn))
}

// know records that a request on its connection has a session.
func know(ctx context.Context) {
	note(ctx, func(c *counted) { c.known = true })
}

// note updates a request's connection.
func note(ctx context.Context, what func(c *counted)) {
	if c, _ := ctx.Value(countedKey{}).(*counted); c != nil {
		c.in.mu.Lock()
		what(c)
		c.in.mu.Unlock()
	}
}

// countedOf returns the counted connection inside a connection, or nil.
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
