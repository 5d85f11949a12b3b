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

// localMode is local mode. The address that was printed at the launch signs in one browser. Its token
// is in the fragment, which browsers do not send; the page posts it.
type localMode struct {
	session.Life
	tickets *tickets
}

// NewLocal returns the authenticator of local mode.
func NewLocal(listen net.Addr, token string, o Options) *Authenticator {
	t := newTickets(listen, token, o.Key) // watchglass --link has the same key, whatever is served
	if o.Serves != "" {
		o.Key = o.Key.For("local " + o.Serves)
	}
	o.Cookie = "watchglass-" + t.port
	return newAuthenticator(o, &localMode{session.Life{Session: localLife, Most: localLife}, t})
}

func (*localMode) name() string { return "local" }

func (*localMode) framed() bool { return false }

// LastEnd ignores when the session itself ends: another launch may have extended a copy.
func (l *localMode) LastEnd(s session.Session, now time.Time) time.Time {
	s.Until = time.Time{}
	return l.Life.LastEnd(s, now)
}

func (l *localMode) login(_ *http.Request, given string, by caller) (session.Session, error) {
	now := time.Now()
	err := error(refusing(http.StatusUnauthorized, "session", "Open the address that Watchglass printed, or run watchglass --link for a new one."))
	if given != "" {
		err = l.tickets.redeem(given, by.key, now)
	}
	switch {
	case err != nil && by.proven: // a wrong link does not end a session
		return *by.session, nil
	case err != nil:
		return session.Session{}, err
	}
	life := localLife
	if by.key == "" {
		life = unboundLife
	}
	s := session.Life{Session: life, Most: life}.Begin(now)
	if by.proven && by.key != "" { // the same browser: its saved lists stay readable
		s.ID, s.Key = by.session.ID, by.session.Key
	}
	return s, nil
}

func (*localMode) admit(_ *http.Request, s session.Session) (session.Session, error) { return s, nil }
