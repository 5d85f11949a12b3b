//go:build !js

package relay

import (
	"io"
	"time"

	"watchglass/internal/relay/queue"
)

const (
	// gatherFor is how long a list that is read slowly lets bytes gather, and gatherBytes how many it reads at once then.
	gatherFor   = 30 * time.Millisecond
	gatherBytes = 64 << 10
)

// gathering reads the body of an answer. An apiserver sends each object of a watch-list by itself, and under
// load each arrives alone: it costs a window update, a message to the tab, and a turn of each program on the way. So
// while lists of other users wait for their turn, a list is read in large pieces.
type gathering struct {
	io.Reader
	place func() *queue.Place // nil once the list is complete

	buf    []byte // nil unless bytes gather
	rest   []byte // of buf, not returned yet
	short  bool   // the last read found less than it had room for
	failed error  // how the answer ended
}

func (g *gathering) Read(p []byte) (n int, err error) {
	if len(g.rest) == 0 && g.failed == nil {
		if !g.place().Crowded() {
			g.buf, g.short = nil, false
			return g.Reader.Read(p)
		}
		g.gather()
	}
	n = copy(p, g.rest)
	if g.rest = g.rest[n:]; len(g.rest) > 0 {
		return n, nil
	}
	return n, g.failed
}

// gather reads what has come.
func (g *gathering) gather() {
	if g.short {
		time.Sleep(gatherFor)
	}
	if g.buf == nil {
		g.buf = make([]byte, gatherBytes)
	}
	n, err := g.Reader.Read(g.buf)
	g.rest, g.short, g.failed = g.buf[:n], n < len(g.buf), err
}
