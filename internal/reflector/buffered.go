package reflector

import (
	"errors"
	"time"

	"watchglass/internal/wire"
)

// A load balancer may buffer an answer until it has some kilobytes of it. Through one, a
// watch looks like a watch in which nothing happens.
//
// A watch that is not answered may also be slow: an apiserver with too much to do queues
// watches, and a full list from every tab would make that worse. So a watch or a watch-list that is
// not answered is first followed by one of wire.ShortWatch. If it is buffered, it arrives with its
// end; if it is only slow, before.
//
// This is suspected where a watch is not answered, where its initial list does not end, and
// where its bookmarks stop or arrive together with its end. From then on the watches
// requested last wire.ShortWatch, because the end of an answer empties every buffer. The
// source is called polled, not live.
//
// The suspicion ends when something arrives well before the end of a short watch: the
// bookmark that the apiserver sends two seconds before it, or less than fills a buffer. It also
// ends when short watches end without a bookmark: all that the server sent has arrived then, so
// it sends none, and a missing one says nothing.

// held is the part of a watch that may be buffered on the way.
type held uint8

const (
	nothing held = iota
	heads        // a watch was not answered
	bodies       // events did not come
)

const (
	// provenBefore is how long before the end of a watch something has to arrive to prove
	// that it was not buffered.
	provenBefore = 500 * time.Millisecond
	// provenBytes is less than any buffer holds.
	provenBytes = 1 << 10
	// missedMost is how many short watches in a row may end without a bookmark before the
	// server is known to send none.
	missedMost = 3
	// headOnly is how long nothing follows a head that no full buffer brought along.
	headOnly = 300 * time.Millisecond
)

// errBuffered is why a source whose watches may be buffered is not live.
var errBuffered = &wire.Status{
	Origin: wire.FromTab, Reason: wire.ReasonBuffered,
	Message: "watch events did not arrive in time: something between the proxy and the apiserver may be buffering them",
}

// errHeadOnly ends the wait for events after the head of an answer.
var errHeadOnly = errors.New("the response has a header and no body")

// unanswered reports that a watch was not answered by an apiserver that is there.
func unanswered(status *wire.Status) bool {
	return status != nil && status.Reason == wire.ReasonUnanswered
}

// showBuffering sets the state of a source whose events may arrive only when the watch ends.
func (r *Reflector[T]) showBuffering() {
	r.change(func(s *State) {
		s.Phase, s.Err, s.Unwatched, s.Polled = Waiting, errBuffered, errBuffered, wire.ShortWatch
	})
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

// bookmarked reports whether the last event of a batch is a bookmark.
func bookmarked(batch wire.Batch) bool {
	n := len(batch.Events)
	return n > 0 && batch.Events[n-1].Type == wire.Bookmark
}

// onlyBookmarkLost reports whether a watch-list that was given up had delivered all objects of the
// list that followed it. If so, nothing is buffered, and something drops bookmarks.
func (r *Reflector[T]) onlyBookmarkLost(streamed, listed int) bool {
	return r.learned.held == bodies && streamed > 0 && streamed >= listed
}
