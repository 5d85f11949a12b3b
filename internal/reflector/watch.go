package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// openWatch requests a watch from the version that was reached.
func (r *Reflector[T]) openWatch(ctx context.Context, n watches) (openWatch, error) {
	r.showOpening(n)
	request := r.newWatchRequest()
	stream, err := r.openStream(ctx, wire.Watch, wire.ListOptions{
		ResourceVersion: r.position.complete(), AllowWatchBookmarks: true, TimeoutSeconds: request.seconds(),
	})
	return openWatch{request, stream, n}, err
}

// showOpening sets the state of a source whose next watch is about to be requested.
func (r *Reflector[T]) showOpening(n watches) {
	switch {
	case r.learned.held != nothing && r.lastList.unfollowed && r.State().Err == nil:
		r.showBuffering()
	case n.opened > 0:
		r.setPhase(Resuming)
	}
}

// showOpened sets the state of a source whose watch was answered. A head that came early may still
// prove, within headOnly, that nothing is buffered. With a backlog, the source is resuming until that is read.
func (r *Reflector[T]) showOpened(w watching) {
	switch {
	case w.backlog != nil: // what failed before no longer does
		r.change(func(s *State) {
			s.Err, s.Polled, s.Unwatched = nil, 0, nil
			if w.watches.opened > 0 { // else the list is not over yet
				s.Phase, s.Watched = Resuming, true
			}
		})
	case r.learned.held == nothing:
		r.setPhase(Watching)
	case r.learned.held == bodies || !w.early():
		r.showBuffering()
	}
}

// watch hands over what changes until the stream ends, and returns why it did.
func (r *Reflector[T]) watch(ctx context.Context, w watching) error {
	stream := w.stream
	if w.watches.opened > 0 {
		r.change(func(s *State) { s.Resumes++ })
	}
	r.setStream(stream)
	defer r.setStream(nil)
	defer stream.Close()
	defer r.forgetWake()
	defer func() { r.contact.seen = time.Now().Add(-stream.Age(time.Now())) }()
	r.answered()
	r.watchOpened()
	r.showOpened(w)
	checks := r.startBackground(ctx, w.backlog)
	defer checks.stop()
	w.last, w.events, w.stalls = time.Now(), len(w.rest.Events), stallsOf(stream)
	w.again = r.position.repeated()
	w.synthetic = r.position.version == "" || r.position.version == "0"
	batch := w.rest
	w.rest = wire.Batch{} // no longer needed, and the watch may last
	for {
		err := r.hand(batch, &w)
		if batch.Bytes > 0 {
			r.options.Sink.Bookmark(r.position.version)
			bytes, came, applied := batch.Bytes, w.last, w.backlog.handOver()
			r.options.Sink.Applied(func() {
				stream.Credit(bytes)
				applied()
				r.applied(came)
			})
		}
		if err != nil {
			return err
		}
		if w.backlog.reached(r.position.complete()) {
			r.caughtUp(&w)
		}
		within, late := r.patience(w)
		began := time.Now()
		batch, err = r.next(checks, stream, within, late)
		switch {
		case errors.Is(err, errHeadOnly):
			r.proven()
			continue
		case errors.Is(err, errPaused):
			if w.backlog.silent(time.Since(began), w.pause()) {
				r.caughtUp(&w)
			}
			continue
		case errors.Is(err, errIdle) && !w.addSilence(within, r.silenceLimit(w)):
			continue
		case err != nil:
			return r.ended(w, checks, err)
		}
		r.countEvents(len(batch.Events))
		w.came(batch)
		r.judge(w, batch)
	}
}

// came notes a batch that came.
func (w *watching) came(batch wire.Batch) {
	w.last, w.silent, w.marked = time.Now(), 0, bookmarked(batch)
	if w.events == 0 {
		w.first = w.last
	}
	w.events, w.bytes = w.events+len(batch.Events), w.bytes+batch.Bytes
}

// outpaced reports whether a watch may have ended early because it was read too slowly.
func (w *watching) outpaced() bool {
	return stallsOf(w.stream) > w.stalls && time.Now().Before(w.end())
}

// ended notes the end of a watch, and returns why it ended.
func (r *Reflector[T]) ended(w watching, checks background, err error) error {
	if errors.Is(err, io.EOF) {
		r.judgeEnd(w)
		if w.outpaced() {
			r.contact.raise(lagging)
		}
		w.last = time.Now()
	}
	if w.backlog == nil {
		r.change(func(s *State) {
			if s.Listed = w.last; errors.Is(err, io.EOF) { // complete, even if it was not known to be live
				s.AsOf = time.Time{}
			}
		})
	}
	if r.learned.held != nothing {
		if another := checks.settle(wire.ShortWatch); another != nil {
			return another
		}
	}
	status := wire.StatusOf(err)
	broke := status != nil && status.Origin == wire.FromNetwork && status.Transient()
	if broke {
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	if (broke || errors.Is(err, io.EOF)) && w.events == 0 && time.Since(w.at) < time.Second {
		err = fmt.Errorf("%w: %w", errShort, err)
	}
	return err
}

const (
	// overdue is how much longer than requested a watch may last.
	overdue = 30 * time.Second
	// quiet is how long a watch may be silent that lasts longer than that.
	quiet = 4 * time.Minute
)

// silenceStep is the longest single wait for events. A wait in which the machine slept, or had no time for the tab,
// counts as no more than that, so that what has come meanwhile is read before the watch is given up.
const silenceStep = 25 * time.Second

// patience returns how long to wait for something to come, and the error if nothing does.
func (r *Reflector[T]) patience(w watching) (within time.Duration, late error) {
	switch {
	case r.learned.held == heads && w.events == 0 && w.early():
		return headOnly, errHeadOnly
	case w.backlog != nil:
		return w.backlog.step(), errPaused
	}
	return min(silenceStep, r.silenceLimit(w)-w.silent), errIdle
}

// silenceLimit returns how long a watch may be silent after what came last: until a bookmark is overdue where there have
// been some, otherwise until the end that was requested is.
func (r *Reflector[T]) silenceLimit(w watching) time.Duration {
	if r.learned.bookmarks.sent {
		return r.options.IdleAfter
	}
	return max(quiet, w.end().Add(overdue).Sub(w.last))
}

// addSilence adds a wait in which nothing came, and reports whether the limit is reached.
func (w *watching) addSilence(waited, limit time.Duration) bool {
	w.silent += waited
	return w.silent >= limit
}

// hand hands the events of a watch to the sink. A version is reached when all up to it is handed
// over.
func (r *Reflector[T]) hand(batch wire.Batch, w *watching) error {
	for _, e := range batch.Events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			if err := r.handObject(e, w); err != nil {
				return err
			}
		case wire.Bookmark:
			version, _, err := r.readBookmark(e.Payload)
			if err != nil {
				if err = r.tolerate(err); err != nil {
					return err
				}
				continue
			}
			r.position.reach(e.Type, version, r.expires())
			r.learned.bookmarks.sent, w.synthetic = true, false
		case wire.Error:
			return statusOf(e.Payload)
		case wire.Columns:
			if err := r.columns(e.Payload); err != nil {
				return err
			}
		default:
			if err := r.tolerate(fmt.Errorf("%w: %q in a watch", wire.ErrFrame, e.Type)); err != nil {
				return err
			}
			r.noteUnread("")
		}
	}
	r.setVersion()
	return nil
}

// handObject hands one event of an object to the sink, or what is known of it if it cannot be read.
func (r *Reflector[T]) handObject(e wire.Event, w *watching) error {
	obj, err := r.decode(e.Payload)
	version := ""
	if err == nil {
		if version = r.options.Version(obj); version == "" {
			err = errNoVersion
		}
	}
	if err != nil {
		version, err = r.skip(e, err)
	} else {
		r.handOne(e.Type, obj)
		if len(r.unread.keys) > 0 { // only now: until then it is neither unread nor queued
			r.noteRead(r.options.Key(obj))
		}
	}
	if err != nil || version == "" {
		return err
	}
	if w.synthetic = w.synthetic && e.Type == wire.Added; !w.synthetic {
		if version != w.again {
			r.noteChange(e.Type)
		}
		r.position.reach(e.Type, version, r.expires())
	}
	return nil
}

// judge looks for proof in a batch that nothing is buffered.
func (r *Reflector[T]) judge(w watching, batch wire.Batch) {
	switch {
	case r.learned.held == nothing:
	case w.proves(batch):
		r.proven()
	default:
		r.showBuffering()
	}
}

// proven ends the suspicion: the open watch is live.
func (r *Reflector[T]) proven() {
	r.learned.held = nothing
	r.setPhase(Watching)
}

// judgeEnd looks for signs of buffers in the end of a watch.
func (r *Reflector[T]) judgeEnd(w watching) {
	if r.learned.held == nothing && w.disproves() { // where heads are held, so is what follows
		r.learned.held = bodies
	}
	inTime := time.Since(w.end()) > -provenBefore
	onlyWithEnd := w.events > 0 && time.Since(w.first) < provenBefore
	marks := &r.learned.bookmarks
	if r.learned.held != bodies || marks.sent || !inTime || onlyWithEnd {
		marks.missed = 0
		return
	}
	if marks.missed++; marks.missed >= missedMost {
		r.learned.held, marks.missed = nothing, 0
	}
}

// proves reports whether a batch arrived too early to have been buffered.
func (w *watching) proves(batch wire.Batch) bool {
	return len(batch.Events) > 0 && w.early() && (bookmarked(batch) || w.bytes <= provenBytes)
}

// disproves reports whether the bookmark that is sent before the end of a watch arrived
// with the end.
func (w *watching) disproves() bool {
	late := time.Since(w.end())
	return w.marked && time.Since(w.last) < provenBefore && late > -provenBefore && late < wire.ShortWatch
}

// bookmarked reports whether the last event of a batch is a bookmark.
func bookmarked(batch wire.Batch) bool {
	n := len(batch.Events)
	return n > 0 && batch.Events[n-1].Type == wire.Bookmark
}

// errShort is a watch that ended at once, with nothing.
var errShort = errors.New("the watch ended at once")

// errIdle is a watch on which nothing comes any more, not even bookmarks.
var errIdle = errors.New("no events or bookmarks for too long")

// errBroken is a watch whose connection broke. Everything that came of it is complete, but the
// next answer may come from another server.
var errBroken = errors.New("the watch was interrupted")

// ending is how a watch ended, or why it could not be opened.
type ending uint8

const (
	// The next watch is opened at once.
	endedInTime  ending = iota
	brokeOff            // its connection broke
	fellSilent          // not even bookmarks came
	heldBack            // it was not answered, the first time
	disconnected        // the tab lost its connection; Open waits for the next

	// The list is fetched again at once.
	otherHistory // another server answers, or it was rewound
	drifted      // an audit found a difference
	expired      // the version is no longer kept
	outrun       // a list is faster
	unresumable  // another error that is not a Status

	// The next watch is opened after a wait, unless this goes on.
	endedAtOnce // with nothing
	absentKind  // there is no such resource
	noCache     // the server has no cache of the resource
	refused     // the user may not watch, or nobody may
	notServed   // something on the way failed it, or never answered it
	failedOnWay // on the way, or for a while; a list would not help

	// The list is fetched again after a wait.
	failedForGood
)

// endingOf classifies the error of a watch. The order matters if an error matches several cases: the
// Reflector's own errors come before the Status that they wrap.
func (r *Reflector[T]) endingOf(err error) ending {
	status := wire.StatusOf(err)
	switch {
	case errors.Is(err, errShort):
		return endedAtOnce
	case errors.Is(err, io.EOF):
		return endedInTime
	case errors.Is(err, errBroken):
		return brokeOff
	case errors.Is(err, errIdle):
		return fellSilent
	case unanswered(status) && r.learned.held == nothing:
		return heldBack
	case isAnother(err):
		return otherHistory
	case errors.As(err, new(difference)):
		return drifted
	case errors.Is(err, errOutrun):
		return outrun
	case errors.Is(err, errRelist), status == nil:
		return unresumable
	}
	return endingBy(status)
}

// endingBy classifies a Status that came instead of a watch.
func endingBy(status *wire.Status) ending {
	fromServer := status.Origin == wire.FromAPIServer
	switch {
	case status.Expired():
		return expired
	case status.Origin == wire.FromSocket && status.Transient():
		return disconnected
	case status.NotFound():
		return absentKind
	case status.TooManyRequests() && !status.Throttled():
		return noCache
	case status.Denied() && !status.Unauthorized(), status.Unwatchable():
		return refused
	case unserved(status):
		return notServed
	case !fromServer, status.Transient(), status.TooManyRequests(), status.Unauthorized():
		return failedOnWay
	}
	return failedForGood
}

// noteEnding notes what the end of a watch says about the server, and reports the endings that no
// wait reports.
func (r *Reflector[T]) noteEnding(how ending, err error) {
	if errors.Is(err, errBroken) || errors.Is(err, errIdle) {
		r.contact.raise(broken)
	}
	switch how {
	case brokeOff:
	case fellSilent:
		r.learned.held = bodies
		r.change(func(s *State) { s.Idles++ })
	case heldBack:
		r.learned.held = heads
		r.learned.unserved++
	case notServed:
		r.learned.unserved++
		return
	default:
		return
	}
	r.options.Failed(err)
}

// remedy is what is done about a watch that ended, or that could not be opened.
type remedy uint8

const (
	watchNow    remedy = iota // open the next watch at once
	watchLater                // open the next watch after a wait
	listNow                   // list again, without a wait for this error
	listLater                 // list again after a wait
	pollInstead               // wait for the next list: watches are refused
)

// later chooses between the two remedies that wait.
func later(watch bool) remedy {
	if watch {
		return watchLater
	}
	return listLater
}

// remedyFor returns what to do about the end of a watch, and the cause of the list if there is one.
func (r *Reflector[T]) remedyFor(ctx context.Context, how ending, err error, n watches) (remedy, error) {
	status, now := wire.StatusOf(err), time.Now()
	if r.unconfirmed() && (how == refused || how == absentKind) {
		return listNow, listAgain(err) // the list says at once whether the objects may be shown
	}
	switch how {
	case endedInTime, brokeOff, fellSilent, heldBack, disconnected:
		return watchNow, nil
	case otherHistory:
		return listNow, r.renew(err)
	case drifted:
		r.position.availability = unavailable // what the list before was read from may be wrong
		return listNow, listAgain(err)
	case unresumable:
		return listNow, err
	case expired:
		return listNow, listAgain(err)
	case outrun:
		return listNow, r.overtake(err)
	case endedAtOnce:
		return later(n.short < shortWatches), listAgain(err)
	case absentKind:
		return later(!r.countAbsent(now) || r.refusals.absent.times < minRefusals), listAgain(err)
	case noCache:
		r.noteCacheMissing(status, now)
		if cause := r.pollCause(); cause != nil {
			return pollInstead, cause
		}
		return later(!r.learned.unready.lists), listAgain(err)
	case refused:
		r.refusedWatch(status)
		if cause := r.pollCause(); cause != nil {
			return pollInstead, cause
		}
		return later(!r.countDenied(now)), listAgain(err)
	case notServed:
		return r.remedyUnserved(ctx)
	}
	return later(how == failedOnWay), listAgain(err)
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
