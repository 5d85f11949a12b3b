package list

import (
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/object"
)

// An object's cells are fixed when it is decoded. A list with other columns, or of a kind
// that turns out to print differently or to be served in another version, is therefore another listing: it
// opens beside the one on screen, and replaces it once it has as many rows or has synced.

// reprint shows the requested columns, of the kind as the server is known to serve and print it. It
// opens another listing if the one on screen differs.
func (l *List) reprint() {
	kind := l.kind()
	switch {
	case l.shown.is(kind, l.extras):
		l.dropNext()
	case l.next != nil && l.next.is(kind, l.extras):
	default:
		scopes := l.shown.scopes
		if !l.shown.kind.Namespaced { // it may be by now
			scopes = []string{l.cluster.Scope()}
		}
		l.replaceWith(scopes)
	}
	l.moveWide(kind)
}

// kind returns the kind that is shown, as the server has it now.
func (l *List) kind() object.Kind {
	return l.cluster.Kinds.Current(l.shown.kind, l.query.Resource)
}

// replaceWith prepares a listing of the same kind, in the given namespaces and with the
// requested columns, to replace the one on screen.
func (l *List) replaceWith(scopes []string) {
	l.dropNext()
	l.next = newListing(l.cluster, l.kind(), scopes, l.extras)
}

// moveWide lists the whole cluster by a kind, if that was refused and the kind has moved: it may be allowed there,
// and the list before is of a version that may not be served any more.
func (l *List) moveWide(kind object.Kind) {
	if l.wide != nil && !kinds.Same(kind, l.asWide) {
		l.releaseWide()
		l.wide, l.asWide = l.cluster.Lease(kind, "", l.extras), kind
	}
}

// dropNext closes the listing that was to replace the one on screen.
func (l *List) dropNext() {
	if l.next != nil {
		l.next.closeFor()
		l.next = nil
	}
}

// replace shows the next listing instead of the one on screen, once it has as many rows or
// has settled, so that no row disappears meanwhile.
func (l *List) replace(now time.Time) {
	next := l.next
	if next == nil {
		return
	}
	ready := l.shown.settled(now)
	if !next.opened() {
		if !ready && next.seededBy(l.shown) {
			return // its list would be sent twice
		}
		next.open()
	}
	if (ready || next.size() < l.shown.size()) && !next.settled(now) {
		return
	}
	l.next = nil
	l.shown.closeFor()
	if l.shown = next; next.isWide() {
		l.releaseWide()
	}
	next.observe(now)
	l.setShape()
	l.setQuery()
	l.patches.skipPause()
}
