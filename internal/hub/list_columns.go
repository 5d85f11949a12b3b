package hub

import (
	"time"

	"watchglass/internal/hub/source"
)

// An object's cells are fixed when it is decoded. A list with other columns, or of a kind
// that turns out to print differently, is therefore another listing: it opens beside the one
// on screen, and replaces it once it has as many rows or has synced.

// reprint shows the requested columns, printed as the server is known to print the kind. It
// opens another listing if the one on screen differs.
func (l *List) reprint() {
	kind := l.shown.kind
	l.cluster.kinds.Print(&kind)
	variant := source.Variant(&kind, l.extras)
	switch {
	case l.shown.prints(variant):
		l.dropNext()
	case l.next != nil && l.next.prints(variant):
	default:
		l.replaceWith(l.shown.scopes)
	}
}

// replaceWith prepares a listing of the same kind, in the given namespaces and with the
// requested columns, to replace the one on screen.
func (l *List) replaceWith(scopes []string) {
	l.dropNext()
	l.next = newListing(l.cluster, l.shown.kind, scopes, l.extras)
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
