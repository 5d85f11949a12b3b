package reflector

import (
	"math/rand/v2"
	"time"

	"watchglass/internal/wire"
)

// shortWatches is how many watches in a row may end at once, with nothing, before the list is
// fetched again.
const shortWatches = 5

// watches counts the watches since the last list.
type watches struct {
	opened int // any after the first is a resume
	short  int // in a row that ended at once, with nothing
}

// next counts an open watch.
func (n watches) next() watches {
	n.opened++
	return n
}

// count counts the end of a watch.
func (n watches) count(how ending) watches {
	switch how {
	case endedAtOnce:
		n.short++
	case endedInTime, brokeOff:
		n.short = 0
	}
	return n
}

// watchRequest is when a watch was requested, and how long it was requested to last.
type watchRequest struct {
	at    time.Time
	lasts time.Duration
}

// newWatchRequest returns a request that is made now. It lasts a random time, so that the watches
// of many tabs do not end together, or a short one where an answer may be buffered.
func (r *Reflector[T]) newWatchRequest() watchRequest {
	if r.learned.held != nothing {
		return watchRequest{time.Now(), wire.ShortWatch}
	}
	return watchRequest{time.Now(), time.Duration(300+rand.N(300)) * time.Second}
}

func (q watchRequest) seconds() int64 { return int64(q.lasts.Seconds()) }

func (q watchRequest) end() time.Time { return q.at.Add(q.lasts) }

// early reports whether the end of the watch is far enough away for what arrives now to prove that
// it was not buffered.
func (q watchRequest) early() bool { return time.Until(q.end()) >= provenBefore }

// openWatch is a watch that the server accepted.
type openWatch struct {
	watchRequest
	stream  Stream
	watches watches // before it
}

func (w openWatch) close() { w.stream.Close() }
