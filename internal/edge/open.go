//go:build !js

package edge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits of one user. The zero value has none.
type Limits struct {
	Connections int     // that may be open
	Lists       float64 // that may be asked for, a second
}

// burst is how many lists may be asked for at once, in seconds of the rate: a page that
// opens asks for several.
const burst = 10

// Ended is why a connection was ended, as the page is told.
type Ended struct {
	Code int // of the WebSocket
	Why  string
}

func (e *Ended) Error() string { return e.Why }

// What ends a connection.
var (
	SignedOut = &Ended{4401, "you have signed out"}
	Over      = &Ended{4401, "the session is over"}
)

// Open are the connections that are open, and who signed out a moment ago: all that a
// proxy keeps.
type Open struct {
	limits Limits

	mu    sync.Mutex
	users map[string]*user     // who have any, or had a moment ago
	ended map[string]time.Time // sessions that were signed out of, until their cookies end
}

type user struct {
	lists       *rate.Limiter
	connections map[*Connection]bool
	left        time.Time // when the last connection ended, if there is none
}

// Connection is one that is open.
type Connection struct {
	session Session
	end     context.CancelCauseFunc
	lists   *rate.Limiter
}

// NewOpen returns none.
func NewOpen(l Limits) *Open {
	return &Open{limits: l, users: make(map[string]*user), ended: make(map[string]time.Time)}
}

// Enter opens a connection of a session, and returns a context that ends with it: its
// cause is why. Leave has to be called.
func (o *Open) Enter(ctx context.Context, s Session) (context.Context, *Connection, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sweep(time.Now())
	if _, ended := o.ended[s.ID]; ended {
		return nil, nil, SignedOut
	}
	u := o.users[s.User]
	if u == nil {
		u = &user{connections: make(map[*Connection]bool)}
		if o.limits.Lists > 0 {
			u.lists = rate.NewLimiter(rate.Limit(o.limits.Lists), int(burst*o.limits.Lists)+1)
		}
		o.users[s.User] = u
	}
	if o.limits.Connections > 0 && len(u.connections) >= o.limits.Connections {
		return nil, nil, &Ended{4429, fmt.Sprintf("you have %d connections open, which is the most: close other tabs", len(u.connections))}
	}
	ctx, end := context.WithCancelCause(ctx)
	release := func() {}
	if !s.Expires.IsZero() {
		ctx, release = context.WithDeadlineCause(ctx, s.Expires, Over)
	}
	c := &Connection{session: s, lists: u.lists, end: func(cause error) { end(cause); release() }}
	u.connections[c] = true
	return ctx, c, nil
}

// Leave ends a connection.
func (o *Open) Leave(c *Connection) {
	c.end(nil)
	o.mu.Lock()
	defer o.mu.Unlock()
	u := o.users[c.session.User]
	delete(u.connections, c)
	u.left = time.Now()
}

// sweep forgets who has left long enough ago to ask for as much as anybody, and the
// sessions whose cookies have ended by themselves.
func (o *Open) sweep(now time.Time) {
	for name, u := range o.users {
		if len(u.connections) == 0 && now.Sub(u.left) > burst*time.Second {
			delete(o.users, name)
		}
	}
	for id, until := range o.ended {
		if !now.Before(until) {
			delete(o.ended, id)
		}
	}
}

// HasEnded reports whether a session was signed out of, here.
func (o *Open) HasEnded(s Session) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ended := o.ended[s.ID]
	return ended
}

// End ends a session: its connections, and here also its cookie, whoever has a copy.
func (o *Open) End(s Session, why *Ended) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := time.Now(); now.Before(s.Expires) {
		o.sweep(now)
		o.ended[s.ID] = s.Expires
	}
	for _, u := range o.users {
		for c := range u.connections {
			if c.session.ID == s.ID {
				c.end(why)
			}
		}
	}
}

// MayList reports whether the user of a connection may ask for a list now.
func (c *Connection) MayList() bool { return c.lists == nil || c.lists.Allow() }
