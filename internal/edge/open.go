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
	swept time.Time
}

type user struct {
	lists       *rate.Limiter
	connections map[*Connection]bool // whether they count against the limit
	left        time.Time            // when the last connection ended, if there is none
}

// Connection is one that is open.
type Connection struct {
	session Session
	began   time.Time
	end     context.CancelCauseFunc
	lists   *rate.Limiter
}

// NewOpen returns none.
func NewOpen(l Limits) *Open {
	return &Open{limits: l, users: make(map[string]*user), ended: make(map[string]time.Time)}
}

// maxUnproven is how many connections of a session may be open whose browser has not shown
// that it has the session's key. One more, and the oldest ends.
const maxUnproven = 64

// Unproven is why a connection ended that had not been proven.
var Unproven = &Ended{4408, "too many connections of this session are not proven yet"}

// Enter opens a connection of a session, and returns a context that ends with it: its
// cause is why. Until Prove, the connection counts against no user's limit: a copied cookie
// opens as many as it likes. Leave has to be called.
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
	u.makeRoom(s)
	ctx, end := context.WithCancelCause(ctx)
	release := func() {}
	if !s.Expires.IsZero() {
		ctx, release = context.WithDeadlineCause(ctx, s.Expires, Over)
	}
	c := &Connection{session: s, began: time.Now(), lists: u.lists, end: func(cause error) { end(cause); release() }}
	u.connections[c] = false
	return ctx, c, nil
}

// makeRoom ends the oldest unproven connection of a session if there are too many.
func (u *user) makeRoom(s Session) {
	n, oldest := 0, (*Connection)(nil)
	for c, proven := range u.connections {
		if proven || c.session.ID != s.ID {
			continue
		}
		if n++; oldest == nil || c.began.Before(oldest.began) {
			oldest = c
		}
	}
	if n >= maxUnproven {
		oldest.end(Unproven)
		delete(u.connections, oldest)
	}
}

// Prove counts a connection against its user's limit, once its browser has shown that it
// has the session's key. The error says that the user has too many.
func (o *Open) Prove(c *Connection) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	u := o.users[c.session.User]
	if u == nil {
		return Unproven
	}
	if _, open := u.connections[c]; !open {
		return Unproven
	}
	n := 0
	for _, proven := range u.connections {
		if proven {
			n++
		}
	}
	if o.limits.Connections > 0 && n >= o.limits.Connections {
		return &Ended{4429, fmt.Sprintf("you have %d connections open, which is the most: close other tabs", n)}
	}
	u.connections[c] = true
	return nil
}

// Leave ends a connection.
func (o *Open) Leave(c *Connection) {
	c.end(nil)
	o.mu.Lock()
	defer o.mu.Unlock()
	if u := o.users[c.session.User]; u != nil { // not forgotten: it ended for another
		delete(u.connections, c)
		u.left = time.Now()
	}
}

// sweep forgets who has left long enough ago to ask for as much as anybody, and the
// sessions whose cookies have ended by themselves.
func (o *Open) sweep(now time.Time) {
	if now.Sub(o.swept) < time.Second { // it holds everybody up
		return
	}
	o.swept = now
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

// End ends a session: its connections, and here also its cookie and every copy of it,
// which it remembers until the last copy ends by itself.
func (o *Open) End(s Session, last time.Time, why *Ended) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := time.Now(); now.Before(last) {
		o.sweep(now)
		o.ended[s.ID] = last
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
