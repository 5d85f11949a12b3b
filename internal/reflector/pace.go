package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"watchglass/internal/wire"
)

// pace is how soon the next attempt may be made.
type pace struct {
	backoff backoff // after errors
	hurry   hurry   // where no wait is due
}

// errRelist asks for a new list at once: there has been a wait, or none is due.
var errRelist = errors.New("the list has to be fetched anew")

// listAgain returns errRelist because of another error.
func listAgain(cause error) error { return fmt.Errorf("%w: %w", errRelist, cause) }

// hurry limits how often a list is fetched again without a wait. Otherwise a server that expires
// each version as it hands it out would be asked as fast as it answers.
type hurry struct {
	since time.Time
	n     int
}

const (
	hurryMost  = 3
	hurryReset = 10 * time.Second
)

// may counts one more and reports whether it needs no wait.
func (h *hurry) may(now time.Time) bool {
	if now.Sub(h.since) > hurryReset {
		*h = hurry{since: now}
	}
	h.n++
	return h.n <= hurryMost
}

// backOff reports an error and waits before the next attempt.
func (r *Reflector[T]) backOff(ctx context.Context, err error) {
	r.options.Failed(err)
	now := time.Now()
	r.change(func(s *State) { s.Phase, s.Err = Waiting, err })
	most, asked := r.longest(err), time.Duration(0)
	if status := wire.StatusOf(err); status != nil {
		asked = askedFor(status)
		r.contact.note(status, now)
	}
	sleep(ctx, asked, nil) // what the server asks for, nobody cuts short
	after := r.pace.backoff.next(r.options.Backoff, most, now) - asked
	sleep(ctx, max(after, rand.N(asked/8+1)), r.wake) // those who were asked for the same do not return together
}

// outageWait is the longest that a gateway may ask to be left alone because what is behind it cannot be reached. A
// maintenance page may say an hour, and be gone after a minute.
const outageWait = 10 * time.Second

// askedFor returns how long to wait because an answer says so.
func askedFor(status *wire.Status) time.Duration {
	if status.Origin == wire.FromNetwork && !status.TooManyRequests() {
		return min(status.Wait(), outageWait)
	}
	return status.Wait()
}

// longest returns the most that the wait after an error may grow to. A server that says itself how
// long it wants to be left alone is not left alone for much longer.
func (r *Reflector[T]) longest(err error) time.Duration {
	b, status := r.options.Backoff, wire.StatusOf(err)
	switch {
	case errors.Is(err, errShort):
		return b.Unreached // the watch may go on from where it was
	case status == nil:
		return b.Most
	case status.Failed():
		return b.Failing
	case r.contact.doubt == outage && !status.Unauthorized(), // what it says at first does not last
		status.Reason == wire.ReasonCredentials, // the proxy tries as often as it should
		status.Reason == wire.ReasonCertificate, // somebody renews it
		status.Transient(), status.NotFound(), status.TooManyRequests() && status.RetryAfter > 0:
		return b.Unreached
	}
	return b.Most
}
