package socket

import (
	"time"

	"watchglass/internal/wire"
)

// pulse notices that the program was stopped, as in a sleep. What arrived meanwhile was buffered, and is read
// afterwards as if it was new.
type pulse struct {
	at    time.Time     // the last tick
	lost  time.Duration // how long the last stop was
	awake time.Time     // since when the program runs again; zero if it was never stopped
}

// tick is called every wire.BeatEvery.
func (p *pulse) tick(now time.Time) {
	if gap := now.Sub(p.at); gap > wire.StaleAfter {
		p.lost, p.awake = gap, now
	}
	p.at = now
}

// late returns how long what arrives now may have been buffered. After a stop, what was buffered is
// read within wire.BeatEvery.
func (p *pulse) late(now time.Time) time.Duration {
	if gap := now.Sub(p.at); gap > wire.StaleAfter {
		return gap
	}
	if since := now.Sub(p.awake); !p.awake.IsZero() && since < wire.BeatEvery {
		return p.lost + since
	}
	return 0
}
