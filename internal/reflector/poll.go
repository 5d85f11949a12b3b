package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"watchglass/internal/wire"
)

// A source that can be listed but not watched is polled: it is listed every pollEvery, and less
// often the larger it is. A watch is tried again every watchAgain, and as soon as Wake is called.
const (
	pollEvery   = 10 * time.Second
	pollObjects = 2000
	pollMost    = 2 * time.Minute
	watchAgain  = time.Minute
)

// pollWait returns the time between two lists of so many objects.
func pollWait(objects int) time.Duration {
	return min(pollEvery*time.Duration(1+objects/pollObjects), pollMost)
}

// unwatched is why a source cannot be watched. As with any refusal, a single one may come from an
// apiserver that has not read its rules yet. An open watch ends it.
type unwatched struct {
	times int          // refusals in a row
	said  *wire.Status // by the last of them
	next  time.Time    // when a watch is tried again
}

// refuses reports whether a watch would be refused.
func (u unwatched) refuses(now time.Time) bool { return u.times >= minRefusals && now.Before(u.next) }

// errUnwatched is why a list is not followed by a watch.
var errUnwatched = errors.New("not allowed to watch")

// refusedWatch notes that the user may not watch, or that the server has no watch. The latter is
// believed at once.
func (r *Reflector[T]) refusedWatch(status *wire.Status) {
	times := r.learned.unwatched.times + 1
	if status.Unwatchable() {
		times = minRefusals
	}
	r.learned.unwatched = unwatched{times, status, time.Now().Add(watchAgain)}
}

// initiallyUnwatched returns what is known of watches before one was requested.
func (r *Reflector[T]) initiallyUnwatched() unwatched {
	if said := r.options.Unwatchable; said != nil {
		return unwatched{minRefusals, said, time.Now().Add(forGood)}
	}
	return unwatched{}
}

// forGood is longer than any page is open.
const forGood = 365 * 24 * time.Hour

// pollCause returns why the source is polled, or nil if it is not. It is polled if it could be listed
// and a watch would be refused. Without a list nobody knows whether the user may list.
func (r *Reflector[T]) pollCause() error {
	if u := r.learned.unwatched; r.lastList.unfollowed && u.refuses(time.Now()) {
		return fmt.Errorf("%w: %w", errUnwatched, u.said)
	}
	return nil
}

// poll reports why the source cannot be watched, and waits until it is listed again. A random part
// of the wait keeps many tabs from listing together.
func (r *Reflector[T]) poll(ctx context.Context, cause error) {
	r.options.Failed(cause)
	every := pollWait(r.lastList.objects)
	r.change(func(s *State) {
		s.Phase, s.Err, s.Polled, s.Unwatched = Waiting, r.learned.unwatched.said, every, r.learned.unwatched.said
	})
	r.contact.heard(time.Now()) // it answered the list
	if woken := sleep(ctx, r.pollPause(every)+rand.N(every/10), r.wake); woken && r.options.Unwatchable == nil {
		r.learned.unwatched.next = time.Time{}
	}
}
