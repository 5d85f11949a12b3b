package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// maxShortWatches is how many watches in a row may end at once, with nothing, before the list is
// fetched again.
const maxShortWatches = 5

// watchCount counts the watches since the last list.
type watchCount struct {
	opened int // any after the first is a resume
	short  int // in a row that ended at once, with nothing
}

// next counts an open watch.
func (n watchCount) next() watchCount {
	n.opened++
	return n
}

// count counts the end of a watch.
func (n watchCount) count(how ending) watchCount {
	switch how {
	case closedAtOnce:
		n.short++
	case closedByServer, connectionLost:
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
	if r.server.buffering != notBuffered {
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
	watches watchCount // before it
}

func (w openWatch) close() { w.stream.Close() }

// openWatch requests a watch from the version that was reached.
func (r *Reflector[T]) openWatch(ctx context.Context, n watchCount) (openWatch, error) {
	r.showOpening(n)
	request := r.newWatchRequest()
	stream, err := r.requestStream(ctx, wire.Watch, wire.ListOptions{
		ResourceVersion: r.position.resumeVersion(), AllowWatchBookmarks: true, TimeoutSeconds: request.seconds(),
	})
	return openWatch{request, stream, n}, err
}

// showBuffering sets the state of a source whose events may arrive only when the watch ends.
func (r *Reflector[T]) showBuffering() {
	r.change(func(s *State) {
		s.Phase, s.Err, s.Unwatched, s.Polled = Waiting, errBuffered, errBuffered, wire.ShortWatch
	})
}

// showOpening sets the state of a source whose next watch is about to be requested.
func (r *Reflector[T]) showOpening(n watchCount) {
	switch {
	case r.server.buffering != notBuffered && r.lastList.unwatched && r.State().Err == nil:
		r.showBuffering()
	case n.opened > 0:
		r.setPhase(Resuming)
	}
}

// showOpened sets the state of a source whose watch was answered. A header that came early may still
// prove, within headerOnly, that nothing is buffered. With a backlog, the source is resuming until that is read.
func (r *Reflector[T]) showOpened(w watching) {
	switch {
	case w.backlog != nil: // what failed before no longer does
		r.change(func(s *State) {
			s.Err, s.Polled, s.Unwatched = nil, 0, nil
			if w.watches.opened > 0 { // else the list is not over yet
				s.Phase, s.Watched = Resuming, true
			}
		})
	case r.server.buffering == notBuffered:
		r.setPhase(Watching)
	case r.server.buffering == bodyBuffered || !w.early():
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
	r.clearRefusals()
	r.server.watchOpened()
	r.lastList.unwatched = false
	r.showOpened(w)
	checks := r.startBackground(ctx, w.backlog)
	defer checks.stop()
	w.last, w.events, w.stalls = time.Now(), len(w.rest.Events), stallsOf(stream)
	w.repeats = r.position.repeatedVersion()
	w.synthetic = r.position.version == "" || r.position.version == "0"
	batch := w.rest
	w.rest = wire.Batch{} // no longer needed, and the watch may last
	for {
		if err := r.handleBatch(batch, &w); err != nil {
			return err
		}
		if w.backlog.reached(r.position.resumeVersion()) {
			r.endBacklog(&w)
		}
		within, late := r.nextTimeout(w)
		began := time.Now()
		var err error
		batch, err = r.next(checks, stream, within, late)
		switch {
		case errors.Is(err, errHeaderOnly):
			r.confirmUnbuffered()
			continue
		case errors.Is(err, errPaused):
			if w.backlog.silent(time.Since(began), w.pause()) {
				r.endBacklog(&w)
			}
			continue
		case errors.Is(err, errIdle) && !w.addSilence(within, r.silenceLimit(w)):
			continue
		case err != nil:
			return r.finish(w, checks, err)
		}
		r.countEvents(len(batch.Events))
		w.note(batch)
		r.checkBatch(w, batch)
	}
}

// handleBatch hands a batch to the sink. The stream has credit for it once it is in the store.
func (r *Reflector[T]) handleBatch(batch wire.Batch, w *watching) error {
	err := r.handleEvents(batch, w)
	if batch.Bytes > 0 {
		r.options.Sink.Bookmark(r.position.version)
		stream, bytes, came, applied := w.stream, batch.Bytes, w.last, w.backlog.handOver()
		r.options.Sink.Applied(func() {
			stream.Credit(bytes)
			applied()
			r.applied(came)
		})
	}
	return err
}

// note notes a batch that came.
func (w *watching) note(batch wire.Batch) {
	w.last, w.silent, w.lastIsBookmark = time.Now(), 0, endsWithBookmark(batch)
	if w.events == 0 {
		w.first = w.last
	}
	w.events, w.bytes = w.events+len(batch.Events), w.bytes+batch.Bytes
}

// readTooSlowly reports whether a watch may have ended early because it was read too slowly.
func (w *watching) readTooSlowly() bool {
	return stallsOf(w.stream) > w.stalls && time.Now().Before(w.end())
}

// finish notes the end of a watch, and returns why it ended.
func (r *Reflector[T]) finish(w watching, checks background, err error) error {
	if errors.Is(err, io.EOF) {
		r.server.checkBuffering(&w)
		if w.readTooSlowly() {
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
	if r.server.buffering != notBuffered {
		if another := checks.awaitChecks(wire.ShortWatch); another != nil {
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
	// maxOverdue is how much longer than requested a watch may last.
	maxOverdue = 30 * time.Second
	// maxSilence is how long a watch may be silent that lasts longer than that.
	maxSilence = 4 * time.Minute
)

// idleAfter is how long a watch with bookmarks may be silent, without the time in which the machine
// slept. A server that sends bookmarks sends one a minute.
const idleAfter = 100 * time.Second

// silenceStep is the longest single wait for events. A wait in which the machine slept, or had no time for the tab,
// counts as no more than that, so that what has come meanwhile is read before the watch is given up.
const silenceStep = 25 * time.Second

// nextTimeout returns how long to wait for something to come, and the error if nothing does.
func (r *Reflector[T]) nextTimeout(w watching) (within time.Duration, late error) {
	switch {
	case r.server.buffering == headerBuffered && w.events == 0 && w.early():
		return headerOnly, errHeaderOnly
	case w.backlog != nil:
		return w.backlog.step(), errPaused
	}
	return min(silenceStep, r.silenceLimit(w)-w.silent), errIdle
}

// silenceLimit returns how long a watch may be silent after what came last: until a bookmark is overdue where there have
// been some, otherwise until the end that was requested is.
func (r *Reflector[T]) silenceLimit(w watching) time.Duration {
	if r.server.sendsBookmarks {
		return idleAfter
	}
	return max(maxSilence, w.end().Add(maxOverdue).Sub(w.last))
}

// addSilence adds a wait in which nothing came, and reports whether the limit is reached.
func (w *watching) addSilence(waited, limit time.Duration) bool {
	w.silent += waited
	return w.silent >= limit
}

// handleEvents hands the events of a watch to the sink. A version is reached when all up to it is handed
// over.
func (r *Reflector[T]) handleEvents(batch wire.Batch, w *watching) error {
	for _, e := range batch.Events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			if err := r.handleObject(e, w); err != nil {
				return err
			}
		case wire.Bookmark:
			version, _, err := r.bookmark(e.Payload)
			if err != nil {
				if err = r.rejectInWatch(err); err != nil {
					return err
				}
				continue
			}
			r.position.reach(e.Type, version, r.expires())
			r.server.sendsBookmarks, w.synthetic = true, false
		case wire.Error:
			return statusOf(e.Payload)
		case wire.Columns:
			if err := r.setColumns(e.Payload); err != nil {
				return err
			}
		default:
			if err := r.rejectInWatch(fmt.Errorf("%w: %q in a watch", wire.ErrFrame, e.Type)); err != nil {
				return err
			}
			r.noteUnread("")
		}
	}
	r.setVersion()
	return nil
}

// handleObject hands one event of an object to the sink, or what is known of it if it cannot be read.
func (r *Reflector[T]) handleObject(e wire.Event, w *watching) error {
	obj, err := r.options.Decoder.Decode(e.Payload)
	version := ""
	if err == nil {
		if version = r.options.Version(obj); version == "" {
			err = errNoVersion
		}
	}
	if err != nil {
		version, err = r.skipUnreadable(e, err)
	} else {
		r.deliver(e.Type, obj)
		if len(r.unread.keys) > 0 { // only now: until then it is neither unread nor queued
			r.noteRead(r.options.Key(obj))
		}
	}
	if err != nil || version == "" {
		return err
	}
	if w.synthetic = w.synthetic && e.Type == wire.Added; !w.synthetic {
		if version != w.repeats {
			r.noteChange(e.Type)
		}
		r.position.reach(e.Type, version, r.expires())
	}
	return nil
}

// checkBatch looks for proof in a batch that nothing is buffered.
func (r *Reflector[T]) checkBatch(w watching, batch wire.Batch) {
	switch {
	case r.server.buffering == notBuffered:
	case w.provesUnbuffered(batch):
		r.confirmUnbuffered()
	default:
		r.showBuffering()
	}
}

// confirmUnbuffered ends the suspicion: the open watch is live.
func (r *Reflector[T]) confirmUnbuffered() {
	r.server.buffering = notBuffered
	r.setPhase(Watching)
}

// provesUnbuffered reports whether a batch arrived too early to have been buffered.
func (w *watching) provesUnbuffered(batch wire.Batch) bool {
	return len(batch.Events) > 0 && w.early() && (endsWithBookmark(batch) || w.bytes <= provenBytes)
}

// bookmarkCameLate reports whether the bookmark that is sent before the end of a watch arrived
// with the end.
func (w *watching) bookmarkCameLate() bool {
	late := time.Since(w.end())
	return w.lastIsBookmark && time.Since(w.last) < provenBefore && late > -provenBefore && late < wire.ShortWatch
}

// endsWithBookmark reports whether the last event of a batch is a bookmark.
func endsWithBookmark(batch wire.Batch) bool {
	n := len(batch.Events)
	return n > 0 && batch.Events[n-1].Type == wire.Bookmark
}

// A watch that is resumed brings first what happened meanwhile: its backlog. Until that is in the
// store, the objects are older than what the server has answered, and the source is not live. The
// backlog ends with the version that the server had when it was verified. A kind in which nothing
// happens does not reach that version, so it also ends when nothing more comes. The next watch goes
// on with a backlog if the server ends the watch, as it does if that is read too slowly.

// backlog is what a resumed watch brings before it is live. A nil one is read.
type backlog struct {
	newest string        // the version that the server had
	over   chan struct{} // closed once it is read

	mu              sync.Mutex
	handed, applied int           // batches that the sink was given, and that are in the store
	last            int           // how many were handed over when newest was reached; -1 until then
	quiet           time.Duration // how long nothing has come, with all of it in the store
	stalled         bool          // the last wait took much longer than it should
}

func newBacklog(newest string) *backlog {
	return &backlog{newest: newest, over: make(chan struct{}), last: -1}
}

// await waits until the backlog is read, or the context ends.
func (b *backlog) await(ctx context.Context) {
	if b == nil {
		return
	}
	select {
	case <-b.over:
	case <-ctx.Done():
	}
}

// handOver notes a batch. The function that it returns has to be called when that is in the store.
func (b *backlog) handOver() (applied func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handed++
	b.quiet, b.stalled = 0, false
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.applied++
	}
}

// reached reports whether all up to the version that the server had is in the store.
func (b *backlog) reached(version string) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last < 0 && !older(version, b.newest) {
		b.last = b.handed
	}
	return b.last >= 0 && b.applied >= b.last
}

// silent notes that nothing came during a wait of pauseStep, and reports whether that has been so for a
// while. A wait does not count while the server may be waiting for credit, or if it is the first that took
// much longer: a tab has one thread, and what came meanwhile may not have been read. If all waits take that
// long, they have to be as many as for the longest pause.
func (b *backlog) silent(waited, pause time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	again := b.stalled
	b.stalled = waited > 2*pauseStep
	if b.applied != b.handed || b.stalled && !again {
		b.quiet = 0
		return false
	}
	if b.stalled {
		pause = maxPause
	}
	b.quiet += pauseStep
	return b.quiet >= pause
}

// step returns how long to wait for more of a backlog before looking at it again.
func (b *backlog) step() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last >= 0 {
		return applyStep
	}
	return pauseStep
}

// After a backlog, nothing comes for half the time that it has been coming, but for minPause at least and
// maxPause at most. It is waited for in steps.
const (
	minPause  = 150 * time.Millisecond
	maxPause  = 3 * time.Second
	pauseStep = 50 * time.Millisecond
	// applyStep is how often the store is looked at that has yet to apply the end of a backlog.
	applyStep = 5 * time.Millisecond
)

// errPaused ends a wait for more of a backlog.
var errPaused = errors.New("nothing more comes")

// pause returns how long nothing comes once the backlog of a watch is read.
func (w *watching) pause() time.Duration {
	if w.events == 0 {
		return minPause
	}
	return min(max(minPause, w.last.Sub(w.first)/2), maxPause)
}

// endBacklog ends the backlog: the watch is live.
func (r *Reflector[T]) endBacklog(w *watching) {
	close(w.backlog.over)
	w.backlog, r.position.newest = nil, ""
	r.setPhase(Watching)
}
