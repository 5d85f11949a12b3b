//go:build !js

package session

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// CloseReason is why a connection was closed, as the page is told.
type CloseReason struct {
	Code int // of the WebSocket
	Why  string
}

func (r *CloseReason) Error() string { return r.Why }

// Reasons to close a connection.
var (
	SignedOut = &CloseReason{4401, "you have signed out"}
	Over      = &CloseReason{4401, "the session has ended"}
)

// Registry knows the open connections and the sessions that ended recently. The proxy has no other state
// of sessions.
type Registry struct {
	limits Limits

	mu    sync.Mutex
	users map[string]*user     // with a connection now or recently
	ended map[string]time.Time // ended sessions, until their cookies expire
	swept time.Time
}

type user struct {
	rates
	connections map[*Connection]bool // value: proven, so that it counts against the limit
	left        time.Time            // when the last connection was closed
}

// NewRegistry returns an empty registry.
func NewRegistry(l Limits) *Registry {
	return &Registry{limits: l, users: make(map[string]*user), ended: make(map[string]time.Time)}
}

// maxUnproven is the maximum of open connections of a session that have not been proven. Beyond it,
// the oldest is closed.
const maxUnproven = 64

// Unproven is the reason to close a connection that was not proven.
var Unproven = &CloseReason{4408, "too many connections of this session are not proven yet"}

// Enter adds a connection of a session. The context ends with the connection; its cause is the
// reason. The connection counts against the user's limit after Prove only, since a copied cookie
// can open connections. The caller has to call Leave.
func (g *Registry) Enter(ctx context.Context, s Session) (context.Context, *Connection, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sweep(time.Now())
	if _, ended := g.ended[s.ID]; ended {
		return nil, nil, SignedOut
	}
	u := g.users[s.User]
	if u == nil {
		u = &user{rates: newRates(g.limits), connections: make(map[*Connection]bool)}
		g.users[s.User] = u
	}
	u.makeRoom(s)
	ctx, end := context.WithCancelCause(ctx)
	release := func() {}
	if !s.Expires.IsZero() {
		ctx, release = context.WithDeadlineCause(ctx, s.Expires, Over)
	}
	c := &Connection{session: s, began: time.Now(), rates: u.rates, end: func(cause error) { end(cause); release() }}
	u.connections[c] = false
	return ctx, c, nil
}

// makeRoom closes the oldest unproven connection of a session if there are too many.
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

// Prove counts a connection against its user's limit, after its browser has proven that it has the
// session's key. It returns an error if the user has too many.
func (g *Registry) Prove(c *Connection) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.users[c.session.User]
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
	if g.limits.Connections > 0 && n >= g.limits.Connections {
		return &CloseReason{4429, fmt.Sprintf("you have %d connections open, which is the maximum: close other tabs", n)}
	}
	u.connections[c] = true
	return nil
}

// Leave removes a connection.
func (g *Registry) Leave(c *Connection) {
	c.end(nil)
	g.mu.Lock()
	defer g.mu.Unlock()
	if u := g.users[c.session.User]; u != nil { // otherwise it was replaced and swept
		delete(u.connections, c)
		u.left = time.Now()
	}
}

// sweep drops users who left long enough ago that their rate limit has recovered, and ended
// sessions whose cookies have expired.
func (g *Registry) sweep(now time.Time) {
	if now.Sub(g.swept) < time.Second { // it blocks everybody
		return
	}
	g.swept = now
	for name, u := range g.users {
		if len(u.connections) == 0 && now.Sub(u.left) > burstSeconds*time.Second {
			delete(g.users, name)
		}
	}
	for id, until := range g.ended {
		if !now.Before(until) {
			delete(g.ended, id)
		}
	}
}

// HasEnded reports whether a session was ended at this replica.
func (g *Registry) HasEnded(s Session) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ended := g.ended[s.ID]
	return ended
}

// End ends a session. It closes the session's connections, and rejects all copies of its cookie at
// this replica until last, when they have expired.
func (g *Registry) End(s Session, last time.Time, why *CloseReason) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := time.Now(); now.Before(last) {
		g.sweep(now)
		g.ended[s.ID] = last
	}
	for _, u := range g.users {
		for c := range u.connections {
			if c.session.ID == s.ID {
				c.end(why)
			}
		}
	}
}
