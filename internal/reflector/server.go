package reflector

import (
	"errors"
	"fmt"
	"time"

	"watchglass/internal/wire"
)

// capabilities is what is known of the server of a source, and of whatever is between it and the
// tab: what it supports, what it refuses, and until when that counts. It outlives lists and
// watches. It belongs to the goroutine that runs.
type capabilities struct {
	// Why the next list is requested without a watch-list.
	watchListsFrom    time.Time // the server does not support watch-lists; they are requested again then
	listOnce          bool      // a list may work where a watch-list does not; until one is complete
	watchListRefusals int       // in a row, since a list was complete

	pages paging // how much of a list is requested at once; until one is complete

	// What an open watch disproves.
	watchRefusal  watchRefusal // why the source cannot be watched
	failedWatches int          // in a row that failed on the way
	uncachedSince time.Time    // when the server first said that it has no cache of the resource; zero if it has
	listsFromEtcd bool         // the source is polled because of that

	denied, absent refusal // until a request ends in another way, except throttled

	buffering       buffering // until something disproves it
	sendsBookmarks  bool      // at least one has come
	missedBookmarks int       // short watches in a row that ended without one, as long as none has come
}

// watchOpened forgets what an open watch disproves.
func (s *capabilities) watchOpened() {
	s.watchRefusal, s.failedWatches, s.uncachedSince, s.listsFromEtcd = watchRefusal{}, 0, time.Time{}, false
}

// listed notes that a list of so many objects is complete. It followed a watch-list that was given up after
// streamed objects. Unwatched says that no watch has been open since the list before.
func (s *capabilities) listed(streamed, objects int, unwatched bool) {
	s.retryWatchLists()
	s.pages = paging{byServer: s.pages.byServer}
	if s.listsFromEtcd && !unwatched { // the watch after the first list from etcd waits for the cache
		s.watchRefusal.until = time.Now().Add(cacheFillTime)
	}
	if s.buffering == bodyBuffered && streamed > 0 && streamed >= objects { // only its bookmark was lost
		s.buffering = notBuffered
	}
}

const (
	// unsupportedFor is how long lists are requested from a server that does not support watch-lists.
	unsupportedFor = 10 * time.Minute
	// maxWatchListRefusals is how many watch-lists in a row may be refused for now, by an apiserver or a
	// gateway, before a list is requested. An apiserver whose cache is not filled, or lags, refuses
	// them as long as that lasts, and meanwhile serves lists.
	maxWatchListRefusals = 2
)

// watchLists reports whether nothing known of the server speaks against a watch-list.
func (s *capabilities) watchLists(now time.Time) bool {
	watched := s.buffering == notBuffered && s.watchRefusal.status != errBuffered
	return watched && now.After(s.watchListsFrom) && !s.pastCache() && s.pages.size == 0
}

// pastCache reports whether lists are read from etcd, since the server's cache is not ready.
func (s *capabilities) pastCache() bool { return s.listOnce || s.listsFromEtcd }

// watchListRefused notes that a watch-list was refused for now. If that goes on, the next request is a list.
func (s *capabilities) watchListRefused() {
	s.watchListRefusals++
	s.listOnce = s.watchListRefusals >= maxWatchListRefusals
}

// retryWatchLists notes that a list is complete, or that it was refused as well.
func (s *capabilities) retryWatchLists() { s.listOnce, s.watchListRefusals = false, 0 }

// watchListFailed notes what a failed watch-list says about the server, and reports whether a list in
// pages follows at once.
func (s *capabilities) watchListFailed(err error, now time.Time) (list bool) {
	status := wire.StatusOf(err)
	if status != nil && !unanswered(status) {
		s.buffering = notBuffered // the suspicion is still untested
	}
	switch {
	case errors.Is(err, errNoBookmark):
		s.buffering = bodyBuffered
		s.watchListsFrom = now.Add(unsupportedFor)
		return true
	case unanswered(status):
		s.failedWatches++
		return true
	case status != nil && status.Unsupported():
		if status.Unwatchable() {
			s.watchRefused(status, now)
		}
		s.watchListsFrom = now.Add(unsupportedFor)
		return true
	case errors.Is(err, errCutShort):
		return true
	case byGateway(status):
		s.failedWatches++
		s.watchListRefused()
		return false
	case errors.Is(err, errRelist), status == nil, status.Origin != wire.FromAPIServer:
		return false
	case status.TooManyRequests():
		s.watchListRefused()
		return false
	case status.Denied() && !status.Unauthorized():
		s.watchRefused(status, now)
	case status.NotFound(), status.Unauthorized(): // a list would be answered the same
		return false
	}
	s.listOnce = status.Failed()
	return true
}

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

// buffering is the part of a watch that may be buffered on the way.
type buffering uint8

const (
	notBuffered    buffering = iota
	headerBuffered           // a watch was not answered
	bodyBuffered             // events did not come
)

const (
	// provenBefore is how long before the end of a watch something has to arrive to prove
	// that it was not buffered.
	provenBefore = 500 * time.Millisecond
	// provenBytes is less than any buffer holds.
	provenBytes = 1 << 10
	// maxMissedBookmarks is how many short watches in a row may end without a bookmark before the
	// server is known to send none.
	maxMissedBookmarks = 3
	// headerOnly is how long nothing follows a header that no full buffer brought along.
	headerOnly = 300 * time.Millisecond
)

// errBuffered is why a source whose watches may be buffered is not live.
var errBuffered = &wire.Status{
	Origin: wire.FromTab, Reason: wire.ReasonBuffered,
	Message: "watch events did not arrive in time: something between the proxy and the apiserver may be buffering them",
}

// errHeaderOnly ends the wait for events after the header of an answer.
var errHeaderOnly = errors.New("the response has a header and no body")

// unanswered reports that a watch was not answered by an apiserver that is there.
func unanswered(status *wire.Status) bool {
	return status != nil && status.Reason == wire.ReasonUnanswered
}

// checkBuffering looks for signs of buffers in the end of a watch that the server ended.
func (s *capabilities) checkBuffering(w *watching) {
	if s.buffering == notBuffered && w.bookmarkCameLate() { // where headers are buffered, so is what follows
		s.buffering = bodyBuffered
	}
	inTime := time.Since(w.end()) > -provenBefore
	onlyWithEnd := w.events > 0 && time.Since(w.first) < provenBefore
	if s.buffering != bodyBuffered || s.sendsBookmarks || !inTime || onlyWithEnd {
		s.missedBookmarks = 0
		return
	}
	if s.missedBookmarks++; s.missedBookmarks >= maxMissedBookmarks {
		s.buffering, s.missedBookmarks = notBuffered, 0
	}
}

// watchEnded notes what the end of a watch says about the server.
func (s *capabilities) watchEnded(how ending) {
	switch how {
	case wentIdle:
		s.buffering = bodyBuffered
	case notAnswered:
		s.buffering = headerBuffered
		s.failedWatches++
	case failedAtGateway:
		s.failedWatches++
	}
}

// An apiserver without a watch cache of a resource refuses to watch it, and sets a
// Retry-After that grows up to 30 s. It still serves lists in pages, from etcd. This lasts a
// second when an apiserver starts, and as long as a conversion webhook is down.
//
// Where it lasts, a short list is polled from etcd, so that it is correct as soon as the
// webhook is; the watch is requested again when the cache has had time to fill. A long list
// waits for the watch: after a restart every client would list from etcd at once.

const (
	// cacheFillTime is how long the apiserver takes to fill a small cache.
	cacheFillTime = 2 * time.Second
	// minEtcdPause is the shortest time between two lists from etcd.
	minEtcdPause = time.Second
)

// watchUncached notes that a watch was refused because there is no cache. A short list is then
// polled until the watch may be requested again.
func (s *capabilities) watchUncached(status *wire.Status, last lastList, now time.Time) {
	if s.uncachedSince.IsZero() {
		s.uncachedSince = now
	}
	s.listsFromEtcd = last.objects < pollObjects && (last.unwatched || now.Sub(s.uncachedSince) >= startupGrace)
	if s.listsFromEtcd {
		s.watchRefusal = watchRefusal{minRefusals, status, now.Add(status.Wait())}
	}
}

// pollPause returns the time until the next list: shorter than usual if the watch may be
// requested sooner.
func (s *capabilities) pollPause(every time.Duration) time.Duration {
	if !s.listsFromEtcd {
		return every
	}
	return min(every, max(minEtcdPause, time.Until(s.watchRefusal.until)))
}

// A gateway may serve lists and no watches: it answers 502 or 504 in their place, or nothing.
// Retrying alone would leave what shows as it is for good. So after some failures in a row the
// apiserver is asked for its newest version. If it answers, the source is polled; if not, it is
// away, and the watch resumes when it is back.

// maxFailedWatches is how many watches in a row may fail on the way before lists are tried.
const maxFailedWatches = 4

// byGateway reports that a gateway answered in place of the apiserver, which it could not reach
// or did not wait for.
func byGateway(status *wire.Status) bool {
	if status == nil || status.Origin != wire.FromNetwork {
		return false
	}
	return status.Code == 502 || status.Code == 503 || status.Code == 504
}

// watchRefusal is why a source cannot be watched. As with any refusal, a single one may come from an
// apiserver that has not read its rules yet. An open watch ends it.
type watchRefusal struct {
	times  int          // in a row
	status *wire.Status // of the last of them
	until  time.Time    // when a watch is tried again
}

// active reports whether a watch would be refused.
func (f watchRefusal) active(now time.Time) bool {
	return f.times >= minRefusals && now.Before(f.until)
}

// watchRefused notes that the user may not watch, or that the server has no watch. The latter is
// believed at once.
func (s *capabilities) watchRefused(status *wire.Status, now time.Time) {
	times := s.watchRefusal.times + 1
	if status.Unwatchable() {
		times = minRefusals
	}
	s.watchRefusal = watchRefusal{times, status, now.Add(watchRetry)}
}

// initialWatchRefusal returns what is known of watches before one is requested: nothing, unless the source cannot be watched.
func initialWatchRefusal(unwatchable *wire.Status) watchRefusal {
	if unwatchable == nil {
		return watchRefusal{}
	}
	return watchRefusal{minRefusals, unwatchable, time.Now().Add(forever)}
}

// forever is longer than any page is open.
const forever = 365 * 24 * time.Hour

// errWatchRefused is why a list is not followed by a watch.
var errWatchRefused = errors.New("not allowed to watch")

// pollCause returns why the source is polled, or nil if it is not. It is polled if it could be listed
// and a watch would be refused. Without a list nobody knows whether the user may list.
func (r *Reflector[T]) pollCause() error {
	if f := r.server.watchRefusal; r.lastList.unwatched && f.active(time.Now()) {
		return fmt.Errorf("%w: %w", errWatchRefused, f.status)
	}
	return nil
}

// minRefusals is how many refusals in a row are believed, of the user or of the resource: a
// single one may come from an apiserver that has not read its rules yet.
const minRefusals = 2

// startupGrace is how long a server that just came back is given before its refusals are believed:
// while it starts it knows neither all rules nor all paths.
const startupGrace = 10 * time.Second

// refusal counts how often in a row the server refused the whole source: the user may not list or
// watch it, or there is no such resource. Lists and watches are counted together.
type refusal struct {
	since time.Time
	times int
}

// count counts one more refusal. It reports whether refusals are believed: there have been enough, and the server is
// past its start, as far as is known. Settled reports the latter alone.
func (r *Reflector[T]) count(f *refusal) (believed, settled bool) {
	now := time.Now()
	if f.times++; f.times == 1 {
		f.since = now
	}
	settled = r.contact.doubt != outage || now.Sub(f.since) >= startupGrace
	return settled && f.times >= minRefusals, settled
}

// countDenied counts an answer that the user may not, and reports whether it is believed.
func (r *Reflector[T]) countDenied() (believed bool) {
	believed, _ = r.count(&r.server.denied)
	return believed
}

// countAbsent counts an answer that there is no such resource, and reports whether it is believed. State.Gone says
// only that the server is past its start.
func (r *Reflector[T]) countAbsent() (believed bool) {
	believed, settled := r.count(&r.server.absent)
	r.setRefused(r.State().Denied, settled)
	return believed
}

// clearRefusals starts the counts of refusals over, since the last request ended in another way.
func (r *Reflector[T]) clearRefusals() {
	r.server.denied, r.server.absent = refusal{}, refusal{}
	r.setRefused(false, false)
}

func (r *Reflector[T]) setRefused(denied, gone bool) {
	if s := r.State(); s.Denied != denied || s.Gone != gone {
		r.change(func(s *State) { s.Denied, s.Gone = denied, gone })
	}
}

// noteRefusal empties the sink if the user may no longer list, or if the resource is gone. Objects of an
// earlier run, which this one has not confirmed, go at the first refusal. Bad credentials say
// neither: the objects stay, and are not called live. A throttled request says nothing at all, so what was said
// before it stands.
func (r *Reflector[T]) noteRefusal(err error) {
	status := wire.StatusOf(err)
	switch {
	case status != nil && status.Throttled():
		return
	case status != nil && status.NotFound():
		if r.countAbsent() || r.unconfirmed() {
			r.emptySink()
		}
		return
	case status == nil || !status.Denied() || status.Unauthorized():
		r.clearRefusals()
		return
	}
	r.server.absent = refusal{}
	denied := r.countDenied()
	r.setRefused(denied, false)
	if denied || r.unconfirmed() {
		r.emptySink()
	}
	r.server.watchRefusal = initialWatchRefusal(r.options.Unwatchable) // lists are refused as well: it is not polled
	r.change(func(s *State) { s.Polled, s.Unwatched = 0, nil })
}

// A list that is interrupted is lost. Where connections are reset more often than a list
// takes, it would never arrive. So after an interruption lists are requested in pages until
// one is complete: an interrupted page is requested again, smaller, and the pages before it
// are kept. The pages come from etcd, since the apiserver's cache serves a list of any
// version in one piece only.
//
// Small pages cost requests and time. Both are limited, by whoever refuses requests with 429
// and by etcd, which keeps a version for some minutes. So pages grow again while they arrive.

const (
	// pagesWorth is how much of a list has to have arrived for pages to be worth it.
	pagesWorth = 256 << 10
	// minPage and maxPage are the smallest and the largest page that is requested.
	minPage = 20
	maxPage = 4 * pageSize
	// maxGrowAfter is how many pages in a row have to arrive at most before they grow.
	maxGrowAfter = 8
)

// paging is how much of a list is requested at once: pages of size since a list was interrupted,
// one piece since the pages of a list expired. Both end when a list is complete.
type paging struct {
	size      int64 // objects in a page; 0: not requested in pages for this reason
	arrived   int   // pages in a row, at this size
	growAfter int   // pages in a row; each interruption doubles it
	inOne     bool  // the next list is requested in one piece
	byServer  bool  // the server makes pages of what others have in their cache
}

// failed makes the next list come in pages, or the next page smaller, if the error is an interruption. So
// many bytes of the list had arrived.
func (p *paging) failed(err error, bytes int) {
	switch {
	case !interrupted(err):
	case p.size > 0:
		p.size, p.arrived, p.growAfter = max(p.size/2, minPage), 0, min(max(2*p.growAfter, 2), maxGrowAfter)
	case bytes >= pagesWorth:
		p.size, p.arrived, p.growAfter = pageSize, 0, 0
	}
}

func (p *paging) pageArrived() {
	if p.arrived++; p.size < pageSize && p.arrived >= p.growAfter {
		p.size, p.arrived = min(2*p.size, pageSize), 0
	}
}

// expired enlarges the pages of the next list. If they are as large as they may be, it is
// requested in one piece.
func (p *paging) expired() {
	p.size, p.arrived = 4*p.size, 0
	if p.inOne = p.size == 0 || p.size > maxPage; p.inOne {
		p.size = 0
	}
}

// interrupted reports that an answer was cut off by something other than the apiserver.
func interrupted(err error) bool {
	status := wire.StatusOf(err)
	return status != nil && status.Transient() && status.Origin != wire.FromAPIServer
}

// tooManyRequests reports that a request was refused because there are too many.
func tooManyRequests(err error) bool {
	status := wire.StatusOf(err)
	return status != nil && status.TooManyRequests()
}
