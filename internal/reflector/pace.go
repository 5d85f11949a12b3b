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
	r.change(func(s *State) { s.Phase, s.Err = Waiting, s.after(err) })
	most, asked, firm := r.longest(err), time.Duration(0), time.Duration(0)
	if status := wire.StatusOf(err); status != nil {
		asked = askedFor(status)
		firm = min(asked, firmFor(status))
		r.contact.note(status, now)
	}
	after := max(r.pace.backoff.next(r.options.Backoff, most, now)-asked, rand.N(asked/8+1)) // those who were asked for the same do not return together
	sleep(ctx, firm, nil)
	sleep(ctx, asked-firm+after, r.wake)
}

// firmWait is how long the apiserver is left alone, if it asks for that, even by a user who waits: Wake does not cut it
// short. outageWait is that for anybody else.
const firmWait = 2 * time.Minute

func firmFor(status *wire.Status) time.Duration {
	if status.Origin == wire.FromAPIServer {
		return firmWait
	}
	return outageWait
}

// after returns what is known of the source after an error. If the user may not list, or there is no such resource, a
// request that was throttled since says nothing else.
func (s *State) after(err error) error {
	said, status := wire.StatusOf(s.Err), wire.StatusOf(err)
	refused := said != nil && (s.Denied && said.Denied() || s.Gone && said.NotFound())
	if refused && status != nil && status.Throttled() {
		return s.Err
	}
	return err
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
