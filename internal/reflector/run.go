package reflector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"watchglass/internal/wire"
)

// Run lists and watches until the context ends. All that it started has ended when it returns. It
// must be called only once.
func (r *Reflector[T]) Run(ctx context.Context) {
	var s runState = starting{}
	for ctx.Err() == nil {
		s = r.step(ctx, s)
	}
	r.abandon(s)
}

// A run is always in one of the states below. Each has the data that only it needs, which is gone
// when the run leaves it. All arrows between them are in this file: step does the work of a state
// and returns the next one. The package doc has a diagram.

// runState is a state of a run. Phase is what others see of it.
type runState interface{ isRunState() }

// starting chooses how to list.
type starting struct{}

// restoring hands over what an earlier run has saved.
type restoring struct{}

// listingByWatch requests a watch-list: a watch that begins with the list.
type listingByWatch struct{}

// listingByPage requests a list, page by page.
type listingByPage[T any] struct {
	collector *collector[T]
	page      wire.ListOptions // that is requested next
	version   string           // of the list, once its first page has come
	began     time.Time
}

// opening requests a watch from the version that was reached.
type opening struct{ watches watchCount }

// verifying asks whether the server that accepted a watch is the one that was followed, before
// anything of that watch is read.
type verifying struct{ openWatch }

// watching hands over what changes.
type watching struct {
	openWatch
	rest           wire.Batch    // what followed the end of the initial list in the same frame
	first, last    time.Time     // when anything came
	silent         time.Duration // how long nothing has come since, without sleep
	lastIsBookmark bool          // what came last ended in a bookmark
	backlog        *backlog      // nil once it is read
	events, bytes  int           // that came
	stalls         int           // of the stream before the watch began
	repeats        string        // the version whose deletions it repeats; they were counted
	// synthetic: the watch began at no version, so it begins with all objects, in no order, and
	// reaches no version before something else comes.
	synthetic bool
}

// relisting decides how soon to list again.
type relisting struct{ cause error }

// waitingToPoll waits until a source that cannot be watched is due to be listed again.
type waitingToPoll struct{ cause error }

// waiting backs off after an error.
type waiting struct {
	cause error
	then  runState
}

func (starting) isRunState()         {}
func (restoring) isRunState()        {}
func (listingByWatch) isRunState()   {}
func (listingByPage[T]) isRunState() {}
func (opening) isRunState()          {}
func (verifying) isRunState()        {}
func (watching) isRunState()         {}
func (relisting) isRunState()        {}
func (waitingToPoll) isRunState()    {}
func (waiting) isRunState()          {}

// step does the work of a state and returns the next one. Once the context has ended, that one is
// not for step but for abandon.
func (r *Reflector[T]) step(ctx context.Context, s runState) runState {
	switch s := s.(type) {
	case starting:
		return r.start()
	case restoring:
		if resumes := r.restore(ctx); !resumes {
			return starting{}
		}
		return opening{watchCount{opened: 1}}
	case listingByWatch:
		return r.listByWatch(ctx)
	case listingByPage[T]:
		return r.listByPage(ctx, s)
	case opening:
		return r.open(ctx, s)
	case verifying:
		return r.verifyServer(ctx, s)
	case watching:
		n := s.watches.next()
		return r.afterWatch(ctx, r.watch(ctx, s), n)
	case relisting:
		return r.relist(s)
	case waitingToPoll:
		r.lastList.setCause(s.cause)
		r.poll(ctx, s.cause)
		return starting{}
	case waiting:
		r.waitAfter(ctx, s.cause)
		return s.then
	}
	panic(fmt.Sprintf("reflector: no state of a run: %T", s))
}

func (r *Reflector[T]) start() runState {
	if r.options.Earlier != nil && !r.restored {
		return restoring{}
	}
	if r.options.Unwatchable == nil && r.State().Polled == 0 && r.server.watchLists(time.Now()) {
		return listingByWatch{}
	}
	return r.startPages(0)
}

// startPages begins a list in pages. It follows a watch-list that was given up after so many objects.
func (r *Reflector[T]) startPages(streamed int) listingByPage[T] {
	r.setPhase(Connecting)
	c := r.newCollector()
	c.streamed = streamed
	return listingByPage[T]{collector: c, page: r.firstPage(), began: time.Now()}
}

func (r *Reflector[T]) listByWatch(ctx context.Context) runState {
	c := r.newCollector()
	w, err := r.watchList(ctx, c)
	switch {
	case err == nil:
		r.listed()
		return w
	case r.endingOf(err) == notAnswered:
		r.noteEnding(notAnswered, err)
		return listingByWatch{} // a short one, whose end flushes every buffer
	case r.server.watchListFailed(err, time.Now()):
		return r.startPages(c.added)
	}
	r.noteRefusal(err)
	return relisting{err}
}

func (r *Reflector[T]) listByPage(ctx context.Context, s listingByPage[T]) runState {
	more, again, err := r.fetchPage(ctx, &s)
	switch {
	case again:
		return waiting{cause: err, then: s}
	case err != nil:
		err = r.pageFailed(err, s.page)
		r.noteRefusal(err)
		return relisting{err}
	case more:
		return s
	}
	s.collector.done(s.version)
	r.listed()
	if time.Since(s.began) > slowList {
		r.contact.raise(lagging)
	}
	return opening{}
}

func (r *Reflector[T]) open(ctx context.Context, s opening) runState {
	if cause := r.pollCause(); cause != nil {
		return waitingToPoll{cause}
	}
	w, err := r.openWatch(ctx, s.watches)
	switch {
	case err != nil:
		return r.afterWatch(ctx, err, s.watches)
	case r.mustVerify(time.Now()):
		return verifying{w}
	}
	return r.follow(w)
}

// slowList is the time within which a list in pages is new enough. What happens while a longer one is read is a backlog
// of the watch that follows it.
const slowList = 2 * time.Second

// follow returns the state of an open watch. If the server was asked for its version before, the watch begins with a
// backlog, and with what has been handed over and the store may still lack.
func (r *Reflector[T]) follow(w openWatch) watching {
	s := watching{openWatch: w}
	if r.server.buffering == notBuffered && r.position.newest != "" {
		s.backlog = newBacklog(r.position.newest)
		r.options.Sink.Applied(s.backlog.handOver())
	}
	return s
}

func (r *Reflector[T]) verifyServer(ctx context.Context, s verifying) runState {
	if err := r.verify(ctx); err != nil {
		s.stream.Close()
		return r.afterWatch(ctx, err, s.watches)
	}
	return r.follow(s.openWatch)
}

// afterWatch returns the state that follows a watch that ended or could not be opened. client-go lists
// again after most errors; this lists only after errors that a list can fix.
func (r *Reflector[T]) afterWatch(ctx context.Context, err error, n watchCount) runState {
	if ctx.Err() != nil {
		return opening{n}
	}
	how := r.endingOf(err)
	r.noteEnding(how, err)
	return r.afterEnding(ctx, how, err, n.count(how))
}

// afterEnding returns the state that follows an ending.
func (r *Reflector[T]) afterEnding(ctx context.Context, how ending, err error, n watchCount) runState {
	cause := listAgain(err)
	retry, relist := waiting{err, opening{n}}, waiting{err, relisting{cause}}
	switch how {
	case closedByServer, connectionLost, wentIdle, notAnswered, disconnected:
		return opening{n}
	case historyChanged:
		return relisting{r.newHistory(err)}
	case storeDiffers:
		r.position.availability = unavailable // what the list before was read from may be wrong
		return relisting{cause}
	case unresumable:
		return relisting{err}
	case versionExpired:
		return relisting{cause}
	case backlogTooLong:
		return relisting{r.skipBacklog(err)}
	case closedAtOnce:
		if n.short < maxShortWatches {
			return retry
		}
	case resourceMissing, notAllowed:
		return r.afterRefusal(how, err, n)
	case cacheMissing:
		r.server.watchUncached(wire.StatusOf(err), r.lastList, time.Now())
		if cause := r.pollCause(); cause != nil {
			return waitingToPoll{cause}
		}
		if !r.server.listsFromEtcd {
			return retry
		}
	case failedAtGateway:
		return r.afterGatewayFailure(ctx, retry)
	case failedTemporarily:
		return retry
	}
	return relist
}

// afterRefusal returns the state that follows a watch that the server refused: the user may not watch, nobody may, or
// there is no such resource.
func (r *Reflector[T]) afterRefusal(how ending, err error, n watchCount) runState {
	cause := listAgain(err)
	if r.unconfirmed() {
		return relisting{cause} // the list says at once whether the objects may be shown
	}
	count := r.countAbsent
	if how == notAllowed {
		r.server.watchRefused(wire.StatusOf(err), time.Now())
		if cause := r.pollCause(); cause != nil {
			return waitingToPoll{cause}
		}
		count = r.countDenied
	}
	if believed := count(); believed {
		return waiting{err, relisting{cause}}
	}
	return waiting{err, opening{n}}
}

// afterGatewayFailure returns the state that follows a watch that failed on the way. After maxFailedWatches of them
// in a row, if the apiserver answers, the source is polled, or listed first.
func (r *Reflector[T]) afterGatewayFailure(ctx context.Context, retry runState) runState {
	if r.server.failedWatches < maxFailedWatches {
		return retry
	}
	if _, err := r.newestVersion(ctx); err != nil {
		r.server.failedWatches = 0
		return retry
	}
	r.server.watchRefusal = watchRefusal{minRefusals, errBuffered, time.Now().Add(watchRetry)}
	if cause := r.pollCause(); cause != nil {
		return waitingToPoll{cause}
	}
	return relisting{listAgain(errBuffered)}
}

// relist lists at once if the cause asks for that, though not too often in a row.
func (r *Reflector[T]) relist(s relisting) runState {
	r.lastList.setCause(s.cause)
	if errors.Is(s.cause, errRelist) && r.relists.allow(time.Now()) {
		r.options.Failed(s.cause)
		r.setPhase(Resuming)
		return starting{}
	}
	return waiting{cause: s.cause, then: starting{}}
}

// abandon closes the stream of a state that the run did not get to.
func (r *Reflector[T]) abandon(s runState) {
	if open, ok := s.(interface{ close() }); ok {
		open.close()
		r.setStream(nil)
	}
}
