package main

import (
	"errors"
	"slices"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// The page holds the session, since only it is sent its cookie; the worker knows when
// it is to be renewed, and when the proxy does not let it in.
const (
	// dueAgain is how long a renewal may take before it is asked for again, and dueSoon
	// how long at least between one and the next.
	dueAgain = 15 * time.Second
	dueSoon  = 2 * time.Second
	// doubtFor is how long an answer serves to a doubt: one API of many may not know who
	// everybody else knows.
	doubtFor = 5 * time.Minute
	// lockedOut is how long a proxy may not let the tab in before the page is to ask why:
	// of a socket that is refused, browsers tell nothing.
	lockedOut = 2 * time.Second
)

// ended is the code with which the proxy closes a socket whose session is over.
const ended = 4401

// keepSession asks the page to see to the session, when there is reason to.
func (d *desk) keepSession(now time.Time) {
	if now.Before(d.dueNext) {
		return
	}
	link := d.client.Link()
	if doubt := now.After(d.doubtNext) && d.unknown(link); doubt || sessionDue(link, now) {
		if d.dueNext = now.Add(dueAgain); doubt {
			d.doubtNext = now.Add(doubtFor)
		}
		d.port.Send(port.Due{Doubt: doubt})
	}
}

// unknown reports that the apiserver does not know the user any more, whose credentials
// are the session's.
func (d *desk) unknown(l socket.Link) bool {
	if d.source == nil || !l.Connected || l.Welcome.Auth != "token" && l.Welcome.Auth != "oidc" {
		return false
	}
	return slices.ContainsFunc(d.source.stands, func(s standing) bool {
		return s.cause != nil && s.cause.Unauthorized() && s.cause.Origin == wire.FromAPIServer
	})
}

// sessionDue reports whether the session is to be renewed, or may be over.
func sessionDue(l socket.Link, now time.Time) bool {
	if l.Connected {
		return l.Welcome.RenewIn > 0 && now.Sub(l.Since) >= time.Duration(l.Welcome.RenewIn)*time.Millisecond
	}
	var closed *socket.Closed
	var refused *wire.Status
	switch {
	case errors.As(l.Err, &closed) && closed.Code == ended:
		return true
	case errors.As(l.Err, &refused) && refused.Unauthorized():
		return true
	}
	return l.Attempts > 0 && now.Sub(l.Since) >= lockedOut
}

// renewed goes on with the session that the page has.
func (d *desk) renewed(proof string) {
	d.mu.Lock()
	d.proof = proof
	d.mu.Unlock()
	d.dueNext = time.Now().Add(dueSoon)
	d.client.Renew()
}

func (d *desk) proofOf() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.proof
}
