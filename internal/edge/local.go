//go:build !js

package edge

import (
	"net"
	"net/http"
	"time"
)

// How long a session lasts in local mode. Nothing prolongs it. Where it cannot be bound to
// a key of the browser, whoever copies it has it for as long.
const (
	localLife   = 7 * 24 * time.Hour
	unboundLife = 12 * time.Hour
)

// launch is local mode: whoever has the address that was printed at the launch may
// come in, once. The token stands in the address's fragment, which no browser sends; the
// page posts it.
type launch struct{ tickets *tickets }

// NewLocal returns the door of one launch.
func NewLocal(listen net.Addr, token string, o Options) *Door {
	t := newTickets(listen, token, o.Key)
	o.Cookie, o.Life = "watchglass-"+t.port, Life{Session: localLife, Most: localLife}
	return newDoor(o, &launch{t})
}

func (*launch) name() string { return "local" }

func (l *launch) login(_ *http.Request, given string, by shown) (Session, error) {
	now := time.Now()
	err := error(refusing(http.StatusUnauthorized, "session", "Open the address that Watchglass printed, or run watchglass --link for a new one."))
	if given != "" {
		err = l.tickets.redeem(given, by.key, now)
	}
	switch {
	case err != nil && by.proven: // whatever link led here
		return *by.had, nil
	case err != nil:
		return Session{}, err
	}
	life := localLife
	if by.key == "" {
		life = unboundLife
	}
	return Life{Session: life, Most: life}.begun(now), nil
}

func (*launch) admit(_ *http.Request, s Session) (Session, error) { return s, nil }
