package cluster

import (
	"errors"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// The pages hold the session, since only they can reach its key and its cookie. The hub knows
// when it must be renewed, and when the proxy refuses it.
const (
	// DueAgain is how long a renewal may take before another page is asked, and
	// dueSoon the least time between two.
	DueAgain = 15 * time.Second
	dueSoon  = 2 * time.Second
	// doubtFor is the least time between two doubts: a single API may keep rejecting a user
	// whom all others accept.
	doubtFor = 5 * time.Minute
	// lockedOut is how long the proxy may refuse connections before a page is to ask why:
	// browsers do not say why a socket was refused.
	lockedOut = 2 * time.Second
)

// SessionEnded is the code with which the proxy closes a socket whose session is over.
const SessionEnded = 4401

// session says when a page may next be asked to check or renew the session.
type session struct {
	next, nextDoubt time.Time
	renewed         string // the last renewal that took effect
}

// SessionDue returns a request to check or renew the session, if one is due.
func (c *Cluster) SessionDue(now time.Time) (due port.Due, ok bool) {
	s := &c.session
	if now.Before(s.next) {
		return port.Due{}, false
	}
	link := c.Client.Link()
	due.Doubt = now.After(s.nextDoubt) && c.credentialsRejected(link, now)
	if !due.Doubt && !renewalDue(link, now) {
		return port.Due{}, false
	}
	if s.next = now.Add(DueAgain); due.Doubt {
		s.nextDoubt = now.Add(doubtFor)
	}
	return due, true
}

// credentialsRejected reports whether the apiserver rejects the session's credentials.
func (c *Cluster) credentialsRejected(l socket.Link, now time.Time) (rejected bool) {
	if !l.Connected || l.Welcome.Auth != "token" && l.Welcome.Auth != "oidc" {
		return false
	}
	link := c.Link()
	c.Factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) {
		cause := source.StatusOf(i, link, now).Cause
		rejected = rejected || cause != nil && cause.Unauthorized() && cause.Origin == wire.FromAPIServer
	})
	return rejected
}

// renewalDue reports whether the session has to be renewed, or may be over.
func renewalDue(l socket.Link, now time.Time) bool {
	if l.Connected {
		return l.Welcome.RenewIn > 0 && now.Sub(l.Since) >= time.Duration(l.Welcome.RenewIn)*time.Millisecond
	}
	return refused(l) || l.Attempts > 0 && now.Sub(l.Since) >= lockedOut
}

// refused reports whether the proxy refuses the session.
func refused(l socket.Link) bool {
	var status *wire.Status
	return l.Closed != nil && l.Closed.Code == SessionEnded || errors.As(l.Err, &status) && status.Unauthorized()
}

// SessionOver reports whether the proxy refuses the session of this connection. Any goroutine may call it.
func (c *Cluster) SessionOver() bool {
	l := c.Client.Link()
	return !l.Connected && refused(l)
}

// Renew reconnects with the session that a page has renewed. Every page reports each renewal;
// only the first report counts.
func (c *Cluster) Renew(m port.Renewed, now time.Time) {
	if m.ID != "" && m.ID == c.session.renewed {
		return
	}
	c.session.renewed, c.session.next = m.ID, now.Add(dueSoon)
	c.Client.Renew()
}

// AskAnother lets the hub ask another page at once, because the page that was asked to renew
// the session left without doing so. It found that the session is over, which each page has to
// find out for itself.
func (c *Cluster) AskAnother() {
	c.session.next, c.session.nextDoubt = time.Time{}, time.Time{}
}
