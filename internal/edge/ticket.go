//go:build !js

package edge

import (
	"crypto/subtle"
	"encoding/binary"
	"net"
	"net/http"
	"sync"
	"time"

	"watchglass/internal/edge/session"
)

// ticketFor is how long a ticket is valid. A ticket signs one browser in, in local mode. The first is
// the token of the launch, which is valid until it is used. Others can be made with the key file,
// for the launch that is running then.
const ticketFor = 10 * time.Minute

// ticketUse returns the use for which the tickets of a port are encrypted. The user may run several
// proxies with the same key.
func ticketUse(port string) string { return "ticket " + port }

// NewTicket returns a ticket for the proxy with this port and key.
func NewTicket(key session.Key, port string, now time.Time) string {
	return key.Seal(ticketUse(port), binary.BigEndian.AppendUint64(nil, uint64(now.UnixMilli())))
}

// tickets are the tickets of one launch.
type tickets struct {
	key    session.Key
	port   string
	launch string // the first ticket
	since  time.Time

	mu   sync.Mutex
	used map[string]use
}

// use is which browser used a ticket, by its key, and when.
type use struct {
	key string
	at  time.Time
}

func newTickets(listen net.Addr, launch string, key session.Key) *tickets {
	_, port, _ := net.SplitHostPort(listen.String()) // without a port no ticket is valid
	return &tickets{key: key, port: port, launch: launch, since: time.Now(), used: make(map[string]use)}
}

var (
	errTicket = refusing(http.StatusUnauthorized, "token", "This link is from an earlier launch, or has expired. Use the address printed last, or run watchglass --link for a new one.")
	errUsed   = refusing(http.StatusUnauthorized, "used", "Another browser has used this link. Run watchglass --link for a new one.")
)

// redeem uses a ticket. The browser that used it first can use it again, if it has a key.
func (t *tickets) redeem(ticket, key string, now time.Time) error {
	launch := subtle.ConstantTimeCompare([]byte(ticket), []byte(t.launch)) == 1
	if !launch && !t.made(ticket, now) {
		return errTicket
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if first, used := t.used[ticket]; used {
		if key == "" || first.key != key {
			return errUsed
		}
		return nil
	}
	for old, use := range t.used {
		if old != t.launch && now.Sub(use.at) > ticketFor { // it has expired
			delete(t.used, old)
		}
	}
	t.used[ticket] = use{key, now}
	return nil
}

// made reports whether a ticket was made for this launch and has not expired.
func (t *tickets) made(ticket string, now time.Time) bool {
	plain, err := t.key.Open(ticketUse(t.port), ticket)
	if err != nil || len(plain) != 8 {
		return false
	}
	at := int64(binary.BigEndian.Uint64(plain))
	return at >= t.since.UnixMilli() && at <= now.UnixMilli() && now.Sub(time.UnixMilli(at)) <= ticketFor
}
