package reflector

import (
	"time"

	"watchglass/internal/wire"
)

// doubt is how likely it is that the server that answers is not the one that was followed: it
// may have been restored from a backup, or replaced by another. Such a server accepts a watch
// from any version, and says nothing of what it never had.
type doubt uint8

const (
	// sure: the watch ended as watches do, and the next was accepted.
	sure doubt = iota
	// lagging: nothing speaks against the server, but much may have happened that the next watch has to bring. The
	// server is asked for its version only, and the watch goes on without an answer.
	lagging
	// broken: the connection broke, or the watch fell silent. The server is asked for its
	// version and its name, which costs it next to nothing.
	broken
	// outage: the apiserver could not be reached, or was out of sight long enough to be restored
	// and to overtake the version that was reached. One exact comparison follows the resume.
	outage
)

// How long the apiserver may be out of sight before that raises a doubt. A socket that went
// silent and was dialed again does not.
const (
	brokenAfter = 3 * wire.DeadAfter / 2
	outageAfter = time.Minute
)

// contact is when the apiserver was last heard, and the doubt that it is still the same one.
type contact struct {
	doubt doubt
	seen  time.Time // zero until a watch has ended
}

// raise makes the doubt at least as large as d.
func (c *contact) raise(d doubt) { c.doubt = max(c.doubt, d) }

// confirm ends the doubt: the server is the one that was followed.
func (c *contact) confirm(now time.Time) { c.doubt, c.seen = sure, now }

// heard notes that the apiserver answered.
func (c *contact) heard(now time.Time) {
	if !c.seen.IsZero() {
		c.seen = now
	}
}

// note notes what an error says of the apiserver: that it is there, or that it was not.
func (c *contact) note(status *wire.Status, now time.Time) {
	switch {
	case status.Transient() && status.Origin != wire.FromSocket:
		c.doubt = outage
	case status.Origin == wire.FromAPIServer:
		c.heard(now)
	}
}

// noteSilence raises the doubt if the apiserver has been out of sight for too long.
func (c *contact) noteSilence(now time.Time) {
	switch silent := away(c.seen, now); {
	case silent > outageAfter:
		c.raise(outage)
	case silent > brokenAfter:
		c.raise(broken)
	}
}

// away returns how long the apiserver was out of sight, by whichever clock says more: the
// monotonic one may stand still while a machine sleeps.
func away(seen, now time.Time) time.Duration {
	if seen.IsZero() {
		return 0
	}
	return max(now.Sub(seen), now.Round(0).Sub(seen.Round(0)))
}
