package reflector

import (
	"context"
	"errors"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// Reflector keeps one source: from Run on the sink is told what there is and
// what changes, in order, and never of less than the whole of a new list.
type Reflector[T any] struct {
	options Options[T]
	wake    chan struct{}

	// Of the goroutine that runs.
	backoff     backoff
	hurry       hurry
	version     string // that was reached
	unavailable bool   // the server does not have it any more, or not yet
	rewound     bool   // and that has been counted
	handed      bool   // the sink has been given something
	whole       bool   // the sink has been given a whole list
	printed     bool   // there are objects of the columns that stand, since the list began
	dropped     bool   // and then that there is nothing it may know of
	paged       bool   // the server makes pages of what others have in their cache
	inOne       bool   // the next list is asked for in one piece: its pages expire
	listOnly    time.Time
	behind      wire.Batch    // what came behind the end of the initial list, in its frame
	asked       time.Duration // how long the watch was asked to last
	bookmarks   bool          // they come to watches of this source
	short       int           // watches in a row that ended at once with nothing
	denied      refusal       // the user may not
	absent      refusal       // there is no such resource
	unwatched   unwatched     // the user may not watch
	listed      bool          // the user may list: no watch has been open since
	objects     int           // of the last list
	doubt       doubt
	seen        time.Time // when the apiserver last gave a sign of life
	beside      beside

	mu     sync.Mutex
	state  State
	stream Stream
}

// New returns a Reflector that Run starts.
func New[T any](o Options[T]) *Reflector[T] {
	return &Reflector[T]{options: o.withDefaults(), wake: make(chan struct{}, 1), state: State{Since: time.Now()}}
}

// Wake ends a wait. It may be called at any time.
func (r *Reflector[T]) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run lists and watches until the context ends. All that it started has ended
// when it returns. It runs once.
func (r *Reflector[T]) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	if r.options.Resync != nil && r.options.ResyncEvery > 0 {
		running.Go(func() { r.resync(ctx) })
	}
	for ctx.Err() == nil {
		if err := r.listAndWatch(ctx); ctx.Err() == nil {
			r.failed(ctx, err)
		}
	}
}

// resync has the sink's owner tell again of all that it has.
func (r *Reflector[T]) resync(ctx context.Context) {
	ticker := time.NewTicker(r.options.ResyncEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if r.State().Synced {
			r.options.Resync()
		}
	}
}

// errRelist asks for a new list at once: there has been a wait, or none is due.
var errRelist = errors.New("the list has to be fetched anew")

// hurry bounds how often something is done again without a wait: a server that
// expires each version as it gives it out is not asked as fast as it answers.
type hurry struct {
	since time.Time
	n     int
}

const (
	hurryMost  = 3
	hurryReset = 10 * time.Second
)

func (h *hurry) may(now time.Time) bool {
	if now.Sub(h.since) > hurryReset {
		*h = hurry{since: now}
	}
	h.n++
	return h.n <= hurryMost
}

// failed notes an error and waits before the next attempt, as long as it asks.
func (r *Reflector[T]) failed(ctx context.Context, err error) {
	r.options.Failed(err)
	if errors.Is(err, errUnwatched) {
		r.rest(ctx)
		return
	}
	now := time.Now()
	if errors.Is(err, errRelist) && r.hurry.may(now) {
		r.phase(Resuming)
		return
	}
	r.change(func(s *State) { s.Phase, s.Err = Waiting, err })
	most, asked := r.options.Backoff.Most, time.Duration(0)
	if status := wire.StatusOf(err); status != nil {
		asked = status.Wait()
		starting := r.doubt == outage && !status.Unauthorized() // what it says at first does not last
		if starting || status.Transient() || status.NotFound() {
			most = r.options.Backoff.Unreached
		}
		r.notice(status, now)
	} else if errors.Is(err, errShort) {
		most = r.options.Backoff.Unreached // what was there may go on
	}
	sleep(ctx, asked, nil) // what the server asks for, nobody cuts short
	sleep(ctx, r.backoff.next(r.options.Backoff, most, now)-asked, r.wake)
}

// listAndWatch brings in what there is, then what changes. It returns when that
// has to begin anew.
func (r *Reflector[T]) listAndWatch(ctx context.Context) error {
	stream, err := r.initial(ctx)
	if err != nil {
		r.refused(err)
		return err
	}
	r.short = 0
	r.answered()
	r.doubt = sure // whatever server this list is of, the store is now that server's
	for first := true; ; first = false {
		if stream == nil {
			if err = r.polls(); err == nil {
				stream, err = r.openWatch(ctx, first)
			}
			if err != nil {
				return err
			}
		}
		if err := r.resumable(ctx, r.watch(ctx, stream)); err != nil {
			return err
		}
		stream = nil
	}
}

// notice takes an error for what it says of the apiserver: that it is there, or
// that it was not.
func (r *Reflector[T]) notice(status *wire.Status, now time.Time) {
	switch {
	case status.Transient() && status.Origin != wire.FromSocket:
		r.doubt = outage
	case status.Origin == wire.FromAPIServer && !r.seen.IsZero():
		r.seen = now
	}
}
