package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"watchglass/internal/wire"
)

// What may be listed but not watched is polled: listed anew every pollEvery, and
// less often the more there is, since each list costs what it holds. Whether it may
// be watched by now is asked every watchAgain, and as soon as somebody wakes it.
const (
	pollEvery   = 10 * time.Second
	pollObjects = 2000
	pollMost    = 2 * time.Minute
	watchAgain  = time.Minute
)

// pollWait is how long a list of so many objects is good for.
func pollWait(objects int) time.Duration {
	return min(pollEvery*time.Duration(1+objects/pollObjects), pollMost)
}

// unwatched is what is known of a user who may not watch. As with any refusal, one
// may come of an apiserver that has not read its rules yet.
type unwatched struct {
	times int          // in a row
	said  *wire.Status // the last time
	next  time.Time    // when it is asked again
}

// errUnwatched is a list behind which no watch can be opened.
var errUnwatched = errors.New("it may not be watched")

// refusedWatch notes that the user may not watch.
func (r *Reflector[T]) refusedWatch(status *wire.Status) {
	r.unwatched = unwatched{r.unwatched.times + 1, status, time.Now().Add(watchAgain)}
}

// polls is an error if there is a list and a watch would be refused: then what there
// is has to be listed anew in a while. Without a list nobody knows whether the user
// may list.
func (r *Reflector[T]) polls() error {
	if u := r.unwatched; r.listed && u.times >= refusals && time.Now().Before(u.next) {
		return fmt.Errorf("%w: %w", errUnwatched, u.said)
	}
	return nil
}

// rest waits until what may not be watched is listed anew. Those of many tabs do not
// list together.
func (r *Reflector[T]) rest(ctx context.Context) {
	every := pollWait(r.objects)
	r.change(func(s *State) { s.Phase, s.Err, s.Polled = Waiting, r.unwatched.said, every })
	if !r.seen.IsZero() {
		r.seen = time.Now() // it answered the list
	}
	if woken := sleep(ctx, every+rand.N(every/10), r.wake); woken {
		r.unwatched.next = time.Time{}
	}
}
