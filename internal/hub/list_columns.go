package hub

import (
	"time"

	"watchglass/internal/hub/source"
)

// What an object prints is fixed when it is decoded. So a list with other columns, or of a
// kind that turns out to print otherwise, is another listing: it opens beside the one on
// screen, and takes its place once it is in.

// reprint has the list show the columns that are asked for, printed as the server prints
// the kind as far as that is known.
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

// replaceWith makes a listing of the same kind to take the place of the one on screen, with
// some namespaces and the columns that are asked for.
func (l *List) replaceWith(scopes []string) {
	l.dropNext()
	l.next = newListing(l.cluster, l.shown.kind, scopes, l.extras)
}

// dropNext drops what was to take the place of the listing on screen.
func (l *List) dropNext() {
	if l.next != nil {
		l.next.closeFor()
		l.next = nil
	}
}

// replace puts the next listing in the place of the one on screen, once it has as much to
// show: no row goes.
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
	next.view.SetQuery(l.look.Query)
	l.patches.hurry()
}
