package reflector

import (
	"context"
	"time"

	"watchglass/internal/wire"
)

// A gateway may serve lists and no watches: it answers 502 or 504 in their place, or nothing.
// Retrying alone would leave what shows as it is for good. So after some failures in a row the
// apiserver is asked for its newest version. If it answers, the source is polled; if not, it is
// away, and the watch resumes when it is back.

// unservedMost is how many watches in a row may fail on the way before lists are tried.
const unservedMost = 4

// unserved reports that something on the way failed a request, or never answered it.
func unserved(status *wire.Status) bool {
	return unanswered(status) || byGateway(status)
}

// byGateway reports that a gateway answered in place of the apiserver, which it could not reach
// or did not wait for.
func byGateway(status *wire.Status) bool {
	if status == nil || status.Origin != wire.FromNetwork {
		return false
	}
	return status.Code == 502 || status.Code == 503 || status.Code == 504
}

// remedyUnserved returns what to do about a watch that failed on the way. After unservedMost of them
// in a row, if the apiserver answers, the source is polled, or listed first.
func (r *Reflector[T]) remedyUnserved(ctx context.Context) (remedy, error) {
	if r.learned.unserved < unservedMost {
		return watchLater, nil
	}
	if _, err := r.newest(ctx); err != nil {
		r.learned.unserved = 0
		return watchLater, nil
	}
	r.learned.unwatched = unwatched{minRefusals, errBuffered, time.Now().Add(watchAgain)}
	if cause := r.pollCause(); cause != nil {
		return pollInstead, cause
	}
	return listNow, listAgain(errBuffered)
}
