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

// bufferingReader reads the body of an answer. An apiserver sends each object of a watch-list by itself, and under
// load each arrives alone: it costs a window update, a message to the tab, and a wake-up of each program on the way. So
// while lists of other users wait for their turn, much of a list is read at once.
type bufferingReader struct {
	io.Reader
	place func() *queue.Place // nil once the list is complete

	buf    []byte // nil unless bytes gather
	rest   []byte // of buf, not returned yet
	short  bool   // the last read found less than it had room for
	failed error  // how the answer ended
}

func (r *bufferingReader) Read(p []byte) (n int, err error) {
	if len(r.rest) == 0 && r.failed == nil {
		if !r.place().Crowded() {
			r.buf, r.short = nil, false
			return r.Reader.Read(p)
		}
		r.gather()
	}
	n = copy(p, r.rest)
	if r.rest = r.rest[n:]; len(r.rest) > 0 {
		return n, nil
	}
	return n, r.failed
}

// gather reads what has come.
func (r *bufferingReader) gather() {
	if r.short {
		time.Sleep(gatherFor)
	}
	if r.buf == nil {
		r.buf = make([]byte, gatherBytes)
	}
	n, err := r.Reader.Read(r.buf)
	r.rest, r.short, r.failed = r.buf[:n], n < len(r.buf), err
}
