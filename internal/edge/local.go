//go:build !js

package edge

import (
	"net"
	"net/http"
	"time"
	"watchglass/internal/edge/session"
)

// The lifetime of sessions in local mode, extended only by another launch link. A session that is not
// bound to a key in the browser is shorter, since it can be copied.
const (
	localLife   = 7 * 24 * time.Hour
	unboundLife = 12 * time.Hour
)

// launch is local mode. The address that was printed at the launch signs in one browser. Its token
// is in the fragment, which browsers do not send; the page posts it.
type launch struct {
	session.Life
	tickets *tickets
}

// NewLocal returns the door of local mode.
func NewLocal(listen net.Addr, token string, o Options) *Door {
	t := newTickets(listen, token, o.Key) // watchglass --link has the same key, whatever is served
	if o.Serves != "" {
		o.Key = o.Key.For("local " + o.Serves)
	}
	o.Cookie = "watchglass-" + t.port
	return newDoor(o, &launch{session.Life{Session: localLife, Most: localLife}, t})
}

func (*launch) name() string { return "local" }

func (*launch) framed() bool { return false }

// lastEnd ignores when the session itself ends: another launch may have extended a copy.
func (l *launch) LastEnd(s session.Session, now time.Time) time.Time {
	s.Until = time.Time{}
	return l.Life.LastEnd(s, now)
}

func (l *launch) login(_ *http.Request, given string, by shown) (session.Session, error) {
	now := time.Now()
	err := error(refusing(http.StatusUnauthorized, "session", "Open the address that Watchglass printed, or run watchglass --link for a new one."))
	if given != "" {
		err = l.tickets.redeem(given, by.key, now)
	}
	switch {
	case err != nil && by.proven: // a wrong link does not end a session
		return *by.had, nil
	case err != nil:
		return session.Session{}, err
	}
	life := localLife
	if by.key == "" {
		life = unboundLife
	}
	s := session.Life{Session: life, Most: life}.Begin(now)
	if by.proven && by.key != "" { // the same browser: its saved lists stay readable
		s.ID, s.Key = by.had.ID, by.had.Key
	}
	return s, nil
}

func (*launch) admit(_ *http.Request, s session.Session) (session.Session, error) { return s, nil }
