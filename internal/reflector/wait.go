package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"watchglass/internal/wire"
)

// The wait after failures doubles from firstWait to mostWait, and starts over after resetAfter
// without a failure, as client-go's does. Each actual wait is random, between one and two times that.
const (
	firstWait  = 800 * time.Millisecond
	mostWait   = 30 * time.Second
	resetAfter = 2 * time.Minute
	// unreachedWait replaces mostWait while the server cannot be reached, has just come back, or has no
	// such resource: a retry costs next to nothing, and somebody is waiting. Twice that, and the time
	// that a watch takes to open, has to be below the 5 s in which a tab is live again.
	unreachedWait = 2 * time.Second
	// failingWait replaces mostWait while the server reports an internal failure, such as a conversion
	// webhook that is down: whoever repairs it is looking.
	failingWait = 2500 * time.Millisecond
)

// backoff is the wait after the last failure.
type backoff struct {
	wait time.Duration
	last time.Time
}

// next returns the wait after one more failure, which is up to twice most.
func (b *backoff) next(most time.Duration, now time.Time) time.Duration {
	if now.Sub(b.last) > resetAfter {
		b.wait = 0
	}
	b.last = now
	b.wait = min(max(2*b.wait, firstWait), most)
	return b.wait + rand.N(b.wait)
}

// sleep waits until the time is over, the context ends or wake has a value, and reports the last.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) (woken bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
		return true
	}
	return false
}

// errRelist asks for a new list at once: there has been a wait, or none is due.
var errRelist = errors.New("the list has to be fetched anew")

// listAgain returns errRelist because of another error.
func listAgain(cause error) error { return fmt.Errorf("%w: %w", errRelist, cause) }

// relistLimit limits how often a list is fetched again without a wait. Otherwise a server that expires
// each version as it hands it out would be asked as fast as it answers.
type relistLimit struct {
	since time.Time
	n     int
}

const (
	maxRelists  = 3
	relistReset = 10 * time.Second
)

// allow counts one more and reports whether it needs no wait.
func (l *relistLimit) allow(now time.Time) bool {
	if now.Sub(l.since) > relistReset {
		*l = relistLimit{since: now}
	}
	l.n++
	return l.n <= maxRelists
}

// waitAfter reports an error and waits before the next attempt.
func (r *Reflector[T]) waitAfter(ctx context.Context, err error) {
	r.options.Failed(err)
	now := time.Now()
	r.change(func(s *State) { s.Phase, s.Err = Waiting, s.errAfter(err) })
	most, asked, firm := r.maxWait(err), time.Duration(0), time.Duration(0)
	if status := wire.StatusOf(err); status != nil {
		asked = requestedWait(status)
		firm = min(asked, firmWaitFor(status))
		r.contact.note(status, now)
	}
	after := max(r.backoff.next(most, now)-asked, rand.N(asked/8+1)) // those who were asked for the same do not return together
	sleep(ctx, firm, nil)
	sleep(ctx, asked-firm+after, r.wake)
}

// firmWait is how long the apiserver is left alone, if it asks for that, even by a user who waits: Wake does not cut it
// short. maxGatewayWait is that for anybody else.
const firmWait = 2 * time.Minute

func firmWaitFor(status *wire.Status) time.Duration {
	if status.Origin == wire.FromAPIServer {
		return firmWait
	}
	return maxGatewayWait
}

// errAfter returns what is known of the source after an error. If the user may not list, or there is no such resource, a
// request that was throttled since says nothing else.
func (s *State) errAfter(err error) error {
	said, status := wire.StatusOf(s.Err), wire.StatusOf(err)
	refused := said != nil && (s.Denied && said.Denied() || s.Gone && said.NotFound())
	if refused && status != nil && status.Throttled() {
		return s.Err
	}
	return err
}

// maxGatewayWait is the longest that a gateway may ask to be left alone because what is behind it cannot be reached. A
// maintenance page may say an hour, and be gone after a minute.
const maxGatewayWait = 10 * time.Second

// requestedWait returns how long to wait because an answer says so.
func requestedWait(status *wire.Status) time.Duration {
	if status.Origin == wire.FromNetwork && !status.TooManyRequests() {
		return min(status.Wait(), maxGatewayWait)
	}
	return status.Wait()
}

// maxWait returns the most that the wait after an error may grow to. A server that says itself how
// long it wants to be left alone is not left alone for much longer.
func (r *Reflector[T]) maxWait(err error) time.Duration {
	status := wire.StatusOf(err)
	switch {
	case errors.Is(err, errShort):
		return unreachedWait // the watch may go on from where it was
	case status == nil:
		return mostWait
	case status.Failed():
		return failingWait
	case r.contact.doubt == outage && !status.Unauthorized(), // what it says at first does not last
		status.Reason == wire.ReasonCredentials, // the proxy tries as often as it should
		status.Reason == wire.ReasonCertificate, // somebody renews it
		status.Transient(), status.NotFound(), status.TooManyRequests() && status.RetryAfter > 0:
		return unreachedWait
	}
	return mostWait
}

// A source that can be listed but not watched is polled: it is listed every pollEvery, and less
// often the larger it is. A watch is tried again every watchRetry, and as soon as Wake is called.
const (
	pollEvery   = 10 * time.Second
	pollObjects = 2000
	maxPollWait = 2 * time.Minute
	watchRetry  = time.Minute
)

// pollWait returns the time between two lists of so many objects.
func pollWait(objects int) time.Duration {
	return min(pollEvery*time.Duration(1+objects/pollObjects), maxPollWait)
}

// poll reports why the source cannot be watched, and waits until it is listed again. A random part
// of the wait keeps many tabs from listing together.
func (r *Reflector[T]) poll(ctx context.Context, cause error) {
	r.options.Failed(cause)
	every := pollWait(r.lastList.objects)
	r.change(func(s *State) {
		s.Phase, s.Err, s.Polled, s.Unwatched = Waiting, r.server.watchRefusal.status, every, r.server.watchRefusal.status
	})
	r.contact.heard(time.Now()) // it answered the list
	if woken := sleep(ctx, r.server.pollPause(every)+rand.N(every/10), r.wake); woken && r.options.Unwatchable == nil {
		r.server.watchRefusal.until = time.Time{}
	}
}

// repairLimit limits the lists that follow unreadable events.
type repairLimit struct {
	wait time.Duration
	next time.Time
}

const (
	minRepairWait = time.Minute
	maxRepairWait = time.Hour
)

// allow reports whether such a list may be fetched now. The wait for the next one doubles, until there was no reason for a
// while.
func (l *repairLimit) allow(now time.Time) bool {
	if now.Before(l.next) {
		return false
	}
	if now.Sub(l.next) > maxRepairWait {
		l.wait = 0
	}
	l.wait = min(max(2*l.wait, minRepairWait), maxRepairWait)
	l.next = now.Add(l.wait)
	return true
}
