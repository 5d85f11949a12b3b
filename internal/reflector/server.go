package reflector

import (
	"errors"
	"fmt"
	"time"

	"watchglass/internal/wire"
)

// learned is what is known of the abilities of the server, and of whatever is between it and the
// tab. It outlives lists and watches.
type learned struct {
	pages     paging    // how much of a list arrives at once; until a list is complete
	bypass    bypass    // whether watch-lists work; until a list is complete, or for some minutes
	unready   unready   // whether the server has a cache of the resource; until a watch is open
	unwatched unwatched // why the source cannot be watched; until a watch is open
	unserved  int       // watches in a row that failed on the way
	held      held      // what of a watch may be buffered on the way; until something disproves it
	bookmarks bookmarks // whether they come; for good
	mending   mending   // how soon a list may follow an unreadable event; for good
}

// bookmarks is whether the watches of a source have bookmarks.
type bookmarks struct {
	sent   bool // at least one has come
	missed int  // short watches in a row that ended without one, as long as none has come
}

// watchOpened forgets what an open watch disproves.
func (r *Reflector[T]) watchOpened() {
	r.learned.unwatched, r.learned.unserved, r.learned.unready = unwatched{}, 0, unready{}
	r.lastList.unfollowed = false
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

// onlyBookmarkLost reports whether a watch-list that was given up had delivered all objects of the
// list that followed it. If so, nothing is buffered, and something drops bookmarks.
func (r *Reflector[T]) onlyBookmarkLost(streamed, listed int) bool {
	return r.learned.held == bodies && streamed > 0 && streamed >= listed
}

const (
	// bypassFor is how long lists are requested from a server that does not support watch-lists.
	bypassFor = 10 * time.Minute
	// refusedMost is how many watch-lists in a row may be refused for now, by an apiserver or a
	// gateway, before a list is requested. An apiserver whose cache is not filled, or lags, refuses
	// them as long as that lasts, and meanwhile serves lists.
	refusedMost = 2
)

// bypass is why a list is requested where a watch-list would do, and for how long.
type bypass struct {
	until   time.Time // since the server does not support watch-lists
	once    bool      // until a list is complete, which may work where a watch-list does not
	refused int       // watch-lists in a row
}

// active reports whether the next request is a list.
func (b *bypass) active(now time.Time) bool { return b.once || !now.After(b.until) }

// unsupported notes that the server does not support watch-lists.
func (b *bypass) unsupported(now time.Time) { b.until = now.Add(bypassFor) }

// refuse notes that a watch-list was refused for now. If that goes on, the next request is a list.
func (b *bypass) refuse() {
	b.refused++
	b.once = b.refused >= refusedMost
}

// listed notes that a list is complete, or that it was refused as well.
func (b *bypass) listed() { b.once, b.refused = false, 0 }

// unready is the state of an apiserver that has no cache of the resource.
type unready struct {
	since time.Time // when it first said so; zero if it has a cache
	lists bool      // lists are read from etcd
}

// An apiserver without a watch cache of a resource refuses to watch it, and sets a
// Retry-After that grows up to 30 s. It still serves lists in pages, from etcd. This lasts a
// second when an apiserver starts, and as long as a conversion webhook is down.
//
// Where it lasts, a short list is polled from etcd, so that it is correct as soon as the
// webhook is; the watch is requested again when the cache has had time to fill. A long list
// waits for the watch: after a restart every client would list from etcd at once.

const (
	// cacheFills is how long the apiserver takes to fill a small cache.
	cacheFills = 2 * time.Second
	// restLeast is the shortest time between two lists from etcd.
	restLeast = time.Second
)

// noteCacheMissing notes that a watch was refused because there is no cache. A short list is then
// polled until the watch may be requested again.
func (r *Reflector[T]) noteCacheMissing(status *wire.Status, now time.Time) {
	u := &r.learned.unready
	if u.since.IsZero() {
		u.since = now
	}
	u.lists = r.lastList.objects < pollObjects && (r.lastList.unfollowed || now.Sub(u.since) >= settles)
	if u.lists {
		r.learned.unwatched = unwatched{minRefusals, status, now.Add(status.Wait())}
	}
}

// delayWatch makes the watch after the first list from etcd wait for the cache.
func (r *Reflector[T]) delayWatch() {
	if r.learned.unready.lists && !r.lastList.unfollowed {
		r.learned.unwatched.next = time.Now().Add(cacheFills)
	}
}

// pollPause returns the time until the next list: shorter than usual if the watch may be
// requested sooner.
func (r *Reflector[T]) pollPause(every time.Duration) time.Duration {
	if !r.learned.unready.lists {
		return every
	}
	return min(every, max(restLeast, time.Until(r.learned.unwatched.next)))
}

// A gateway may serve lists and no watches: it answers 502 or 504 in their place, or nothing.
// Retrying alone would leave what shows as it is for good. So after some failures in a row the
// apiserver is asked for its newest version. If it answers, the source is polled; if not, it is
// away, and the watch resumes when it is back.

// unservedMost is how many watches in a row may fail on the way before lists are tried.
const unservedMost = 4

// unserved reports that something on the way failed a request, or never answered it.
func unserved(status *wire.Status) bool {
	return unanswered(status) || byGateway(status)
}

// byGateway reports that a gateway answered in place of the apiserver, which it could not reach
// or did not wait for.
func byGateway(status *wire.Status) bool {
	if status == nil || status.Origin != wire.FromNetwork {
		return false
	}
	return status.Code == 502 || status.Code == 503 || status.Code == 504
}

// unwatched is why a source cannot be watched. As with any refusal, a single one may come from an
// apiserver that has not read its rules yet. An open watch ends it.
type unwatched struct {
	times int          // refusals in a row
	said  *wire.Status // by the last of them
	next  time.Time    // when a watch is tried again
}

// refuses reports whether a watch would be refused.
func (u unwatched) refuses(now time.Time) bool { return u.times >= minRefusals && now.Before(u.next) }

// refusedWatch notes that the user may not watch, or that the server has no watch. The latter is
// believed at once.
func (r *Reflector[T]) refusedWatch(status *wire.Status) {
	times := r.learned.unwatched.times + 1
	if status.Unwatchable() {
		times = minRefusals
	}
	r.learned.unwatched = unwatched{times, status, time.Now().Add(watchAgain)}
}

// initiallyUnwatched returns what is known of watches before one was requested.
func (r *Reflector[T]) initiallyUnwatched() unwatched {
	if said := r.options.Unwatchable; said != nil {
		return unwatched{minRefusals, said, time.Now().Add(forGood)}
	}
	return unwatched{}
}

// forGood is longer than any page is open.
const forGood = 365 * 24 * time.Hour

// errUnwatched is why a list is not followed by a watch.
var errUnwatched = errors.New("not allowed to watch")

// pollCause returns why the source is polled, or nil if it is not. It is polled if it could be listed
// and a watch would be refused. Without a list nobody knows whether the user may list.
func (r *Reflector[T]) pollCause() error {
	if u := r.learned.unwatched; r.lastList.unfollowed && u.refuses(time.Now()) {
		return fmt.Errorf("%w: %w", errUnwatched, u.said)
	}
	return nil
}

// minRefusals is how many refusals in a row are believed, of the user or of the resource: a
// single one may come from an apiserver that has not read its rules yet.
const minRefusals = 2

// settles is how long a server that just came back is given before its refusals are believed:
// while it starts it knows neither all rules nor all paths.
const settles = 10 * time.Second

// refusals are the answers that stay in the way of the whole source: as they say, the user may
// not list or watch, or there is no such resource. Lists and watches are counted together.
type refusals struct {
	denied, absent refusal
}

// refusal counts how often in a row the server gave the same answer.
type refusal struct {
	since time.Time
	times int
}

// count counts one more, the first of which came at now.
func (f *refusal) count(now time.Time) {
	if f.times++; f.times == 1 {
		f.since = now
	}
}

// settled reports whether the server is past its start, as far as is known.
func (r *Reflector[T]) settled(f refusal, now time.Time) bool {
	return r.contact.doubt != outage || now.Sub(f.since) >= settles
}

// answered notes that the user may list, and that there is such a resource.
func (r *Reflector[T]) answered() {
	r.refusals = refusals{}
	r.setGone(false)
	r.setDenied(false)
}

func (r *Reflector[T]) setGone(gone bool) {
	if r.State().Gone != gone {
		r.change(func(s *State) { s.Gone = gone })
	}
}

func (r *Reflector[T]) setDenied(denied bool) {
	if r.State().Denied != denied {
		r.change(func(s *State) { s.Denied = denied })
	}
}

// refused empties the sink if the user may no longer list, or if the resource is gone. Objects of an
// earlier run, which this one has not confirmed, go at the first refusal. Bad credentials say
// neither: the objects stay, and are not called live. A throttled request says nothing at all, so what was said
// before it stands.
func (r *Reflector[T]) refused(err error) {
	status := wire.StatusOf(err)
	if status != nil && status.Throttled() {
		return
	}
	if status != nil && status.NotFound() {
		if gone := r.countAbsent(time.Now()) && r.refusals.absent.times >= minRefusals; gone || r.unconfirmed() {
			r.drop()
		}
		return
	}
	r.refusals.absent = refusal{}
	r.setGone(false)
	if status == nil || !status.Denied() || status.Unauthorized() {
		r.refusals.denied = refusal{}
		r.setDenied(false)
		return
	}
	denied := r.countDenied(time.Now())
	if r.setDenied(denied); denied || r.unconfirmed() {
		r.drop()
	}
	r.learned.unwatched = r.initiallyUnwatched() // lists are refused as well: it is not polled
	r.change(func(s *State) { s.Polled, s.Unwatched = 0, nil })
}

// countDenied counts an answer that the user may not, and reports whether it is believed.
func (r *Reflector[T]) countDenied(now time.Time) bool {
	r.refusals.denied.count(now)
	return r.settled(r.refusals.denied, now) && r.refusals.denied.times >= minRefusals
}

// countAbsent counts an answer that there is no such resource, and reports whether the server is
// past its start. That is what State.Gone says.
func (r *Reflector[T]) countAbsent(now time.Time) bool {
	r.refusals.absent.count(now)
	gone := r.settled(r.refusals.absent, now)
	r.setGone(gone)
	return gone
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
	// leastPage and mostPage are the smallest and the largest page that is requested.
	leastPage = 20
	mostPage  = 4 * pageSize
	// growAfterMost is how many pages in a row have to arrive at most before they grow.
	growAfterMost = 8
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

// listed notes that a list is complete.
func (p *paging) listed() { *p = paging{byServer: p.byServer} }

// interrupted makes pages smaller, or has pages requested at all.
func (p *paging) interrupted() {
	if p.size == 0 {
		p.size, p.arrived, p.growAfter = pageSize, 0, 0
		return
	}
	p.size, p.arrived, p.growAfter = max(p.size/2, leastPage), 0, min(max(2*p.growAfter, 2), growAfterMost)
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
	if p.inOne = p.size == 0 || p.size > mostPage; p.inOne {
		p.size = 0
	}
}

// interrupted reports that an answer was cut off by something other than the apiserver.
func interrupted(err error) bool {
	status := wire.StatusOf(err)
	return status != nil && status.Transient() && status.Origin != wire.FromAPIServer
}

// refusedForNow reports that a request was refused because there are too many.
func refusedForNow(err error) bool {
	status := wire.StatusOf(err)
	return status != nil && status.TooManyRequests()
}

// noteInterruption makes the next list come in pages, or the next page smaller, if the error is an
// interruption.
func (r *Reflector[T]) noteInterruption(err error, c *collector[T]) {
	if interrupted(err) && (r.learned.pages.size > 0 || c.bytes >= pagesWorth) {
		r.learned.pages.interrupted()
	}
}
