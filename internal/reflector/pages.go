package reflector

import (
	"context"

	"watchglass/internal/wire"
)

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

// collectPages returns the collector of a list in pages. The list follows a watch-list that was given
// up after it had delivered so many objects.
func (r *Reflector[T]) collectPages(streamed int) *collector[T] {
	r.setPhase(Connecting)
	c := r.collect()
	c.streamed = streamed
	return c
}

// fetchPage reads a page of a list, and reports whether there are more. If it fails, again reports
// that the page is requested again after a wait: any page after the first if it was refused for now,
// or, where pages are small because a list was interrupted, if it was interrupted itself. The first
// page is read only once. Read again, it would be of another version than the objects that were
// shown.
func (r *Reflector[T]) fetchPage(ctx context.Context, s *listingByPage[T]) (more, again bool, err error) {
	c, first, small := s.collector, s.page.Continue == "", r.learned.pages.size > 0
	objects, unnamed := c.objects, c.unread.unnamed
	meta, err := r.page(ctx, c, s.page)
	switch {
	case err == nil && first && r.position.behind(meta.ResourceVersion):
		if small { // read by quorum, since the request named no version that it must have
			return false, false, r.renew(errRewound)
		}
		return false, false, errBehind
	case err == nil:
		r.learned.pages.pageArrived()
		if small || !first {
			r.pace.backoff = backoff{} // there was progress
		}
		return r.pageAfter(s, meta), false, nil
	}
	r.noteInterruption(err, c)
	if first || !refusedForNow(err) && !(small && interrupted(err)) {
		return false, false, err
	}
	c.objects, c.unread.unnamed = objects, unnamed // keys are read again
	if small {
		s.page.Limit = r.learned.pages.size
	}
	return false, true, err
}

// pageAfter makes s request the page after one that has come, and reports whether there is one.
func (r *Reflector[T]) pageAfter(s *listingByPage[T], meta wire.ListMeta) (more bool) {
	if s.version == "" {
		s.version = meta.ResourceVersion // of the first page, which all share
	}
	if meta.Continue == "" {
		return false
	}
	p := &r.learned.pages
	p.byServer = p.byServer || p.size == 0 && !r.pastCache()
	if s.page = nextPage(s.page, meta.Continue); p.size > 0 {
		s.page.Limit = p.size
	}
	return true
}
