//go:build !js

package limit

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Connections limits the open connections of a listener, in total and per address. Those of a front
// belong to many clients, and count in total only. A new connection beyond the limit replaces an
// idle one, or is closed at once, so that a client with many connections costs little more than
// the kernel's sockets.
type Connections struct {
	All, Each int // 0: unlimited
	// Anonymous, if set, is the maximum of open connections per address without a session and
	// without a request in progress (see Requests). A request is in progress once it is handled; one
	// whose header was refused never is.
	Anonymous int
	Fronts    []netip.Prefix
	// Refused, if set, is called for each connection that is closed.
	Refused func()
}

const (
	// anonymousIdle is how long a connection without a session may be idle.
	anonymousIdle = 10 * time.Second
	// anonymousLeast is how long it may be idle regardless of their number: many people at one
	// address may connect at once.
	anonymousLeast = time.Second
)

// Listener returns a listener with the limits. The server's ConnState and ConnContext have to be
// this package's, or call them.
func (c Connections) Listener(l net.Listener) net.Listener {
	return &limitedListener{Listener: l, limits: c, open: newByAddress[*limitedConnection]()}
}

type limitedListener struct {
	net.Listener
	limits Connections

	mu   sync.Mutex
	open byAddress[*limitedConnection]
}

// limitedConnection is a connection of a limited listener, whose lock guards it.
type limitedConnection struct {
	net.Conn
	in            *limitedListener
	client        netip.Addr
	front         bool
	state         http.ConnState
	since         time.Time // start of the state, or end of the last request
	requests      int       // number of requests in progress
	authenticated bool      // a request had a session
	idle          *time.Timer
}

// Accept returns the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := addressOf(conn.RemoteAddr().String())
		c := &limitedConnection{Conn: conn, in: l, client: countedAs(client), front: within(client, l.limits.Fronts), since: time.Now()}
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
func (c *limitedConnection) shut() {
	c.Close()
	if c.in.limits.Refused != nil {
		c.in.limits.Refused()
	}
}

// enter counts a connection, and returns the one that it replaces, if any.
func (l *limitedListener) enter(c *limitedConnection) (displaced *limitedConnection, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.limits.Each > 0 && !c.front && len(l.open.of[c.client]) >= l.limits.Each:
		if displaced, _ = idlest(l.open.of[c.client]); displaced == nil {
			return nil, false
		}
	case l.limits.All > 0 && l.open.total >= l.limits.All:
		if displaced = l.idlest(); displaced == nil {
			return nil, false
		}
	}
	if displaced != nil {
		l.leave(displaced)
	}
	l.open.add(c.client, c)
	return displaced, true
}

// idlest returns the connection to replace, from the address that has most connections that can
// be replaced; nil if there is none.
func (l *limitedListener) idlest() (found *limitedConnection) {
	most := 0
	for _, all := range l.open.of {
		if c, n := idlest(all); n > most {
			found, most = c, n
		}
	}
	return found
}

// idlest returns the connection to replace, and how many can be replaced. Sockets cannot, nor can
// connections that have both a session and a request in progress.
func idlest(all map[*limitedConnection]bool) (found *limitedConnection, n int) {
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
	idleAnonymous = iota
	activeAnonymous
	idleAuthenticated
	busy
)

func (c *limitedConnection) rank() int {
	active := c.state == http.StateActive
	switch {
	case c.state == http.StateHijacked || active && c.authenticated:
		return busy
	case c.authenticated:
		return idleAuthenticated
	case active:
		return activeAnonymous
	}
	return idleAnonymous
}

// leave stops counting a connection, if it is counted.
func (l *limitedListener) leave(c *limitedConnection) {
	if c.idle != nil {
		c.idle.Stop()
	}
	l.open.remove(c.client, c)
}

// Close closes a connection, and stops counting it.
func (c *limitedConnection) Close() error {
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
// too many without a session.
func (l *limitedListener) changed(c *limitedConnection, state http.ConnState) (extra *limitedConnection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.state, c.since = state, time.Now()
	if c.idle != nil {
		c.idle.Stop()
	}
	if c.authenticated || c.front || !l.open.has(c.client, c) {
		return nil
	}
	if state == http.StateIdle {
		c.idle = time.AfterFunc(anonymousIdle, func() { c.Close() })
	}
	if extra = l.extraAnonymous(c.client); extra != nil {
		l.leave(extra)
	}
	return extra
}

// extraAnonymous returns the connection of an address that has been idle longest without a session, if there
// are too many.
func (l *limitedListener) extraAnonymous(client netip.Addr) (extra *limitedConnection) {
	n := 0
	for c := range l.open.of[client] {
		if c.authenticated || c.front || c.requests > 0 || c.state == http.StateHijacked {
			continue
		}
		if n++; extra == nil || c.since.Before(extra.since) {
			extra = c
		}
	}
	if l.limits.Anonymous == 0 || n <= l.limits.Anonymous || time.Since(extra.since) < anonymousLeast {
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

// Authenticated records that a request on its connection has a session.
func Authenticated(ctx context.Context) {
	update(ctx, func(c *limitedConnection) { c.authenticated = true })
}

// update updates a request's connection.
func update(ctx context.Context, what func(c *limitedConnection)) {
	if c, _ := ctx.Value(countedKey{}).(*limitedConnection); c != nil {
		c.in.mu.Lock()
		what(c)
		c.in.mu.Unlock()
	}
}

// countedOf returns the counted connection inside a connection, or nil.
func countedOf(conn net.Conn) *limitedConnection {
	for {
		switch c := conn.(type) {
		case *limitedConnection:
			return c
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return nil
		}
	}
}
