//go:build !js

package edge

import (
	"crypto/subtle"
	"net"
	"net/http"
	"time"
)

// localLife is how long a browser is remembered since it was last seen: who has the
// cookie of a machine's own proxy has the machine.
const localLife = 7 * 24 * time.Hour

// launch is local mode: whoever has the address that was printed at the launch may
// come in. The token stands in the address's fragment, which no browser sends; the
// page posts it once.
type launch struct {
	token string
	life  Life
}

// NewLocal returns the door of one launch.
func NewLocal(listen net.Addr, token string, o Options) *Door {
	_, port, _ := net.SplitHostPort(listen.String()) // without one, all is refused
	o.Cookie, o.Life = "watchglass-"+port, Life{Session: localLife}
	return newDoor(o, &launch{token: token, life: o.Life})
}

func (*launch) name() string { return "local" }

func (l *launch) login(_ *http.Request, given string, had *Session, _ how) (Session, error) {
	now := time.Now()
	printed := subtle.ConstantTimeCompare([]byte(given), []byte(l.token)) == 1
	switch {
	case had != nil && (printed || given == ""): // other tabs have it too
		return l.life.renewed(*had, now), nil
	case printed:
		return l.life.begun(now), nil
	case given == "":
		return Session{}, refusing(http.StatusUnauthorized, "session", "open the address that was printed last: it holds the token")
	}
	return Session{}, refusing(http.StatusUnauthorized, "token", "the token is not of this launch: open the address that was printed last")
}

func (*launch) admit(_ *http.Request, s Session) (Session, error) { return s, nil }
