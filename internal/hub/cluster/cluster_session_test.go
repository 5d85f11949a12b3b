package cluster

import (
	"testing"
	"time"

	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// TestSessionDue checks when the page is asked to check or renew the session.
func TestSessionDue(t *testing.T) {
	now := time.Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	refused := &wire.Status{Origin: wire.FromProxy, Code: 401}
	for name, c := range map[string]struct {
		link socket.Link
		want bool
	}{
		"new":                   {socket.Link{Since: ago(time.Minute)}, false},
		"connected":             {socket.Link{Connected: true, Since: ago(time.Minute), Welcome: &wire.Welcome{RenewIn: 61_000}}, false},
		"due":                   {socket.Link{Connected: true, Since: ago(time.Minute), Welcome: &wire.Welcome{RenewIn: 60_000}}, true},
		"without an end":        {socket.Link{Connected: true, Since: ago(time.Hour), Welcome: &wire.Welcome{}}, false},
		"over":                  {socket.Link{Since: now, Attempts: 1, Closed: &socket.CloseError{Code: 4401, Reason: "over"}}, true},
		"closed for else":       {socket.Link{Since: now, Attempts: 1, Closed: &socket.CloseError{Code: 4429}}, false},
		"the proof is no good":  {socket.Link{Since: now, Attempts: 1, Err: refused}, true},
		"just lost":             {socket.Link{Since: ago(time.Second), Attempts: 2}, false},
		"not let in for a time": {socket.Link{Since: ago(lockedOut), Attempts: 2}, true},
	} {
		if got := renewalDue(c.link, now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
