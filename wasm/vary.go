package main

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// betweenExtras is between the names of columns in that of a variant.
const betweenExtras = "\x1f"

// added are the columns that were, of those that are asked for: what a decoder has to
// print, in an order of its own, and those of labels. What is none is told by the view.
func added(names []string) (extras []object.Extra, labels []object.Column) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		e, err := object.ParseExtra(name)
		switch {
		case err != nil:
		case e.Printed():
			extras = append(extras, e)
		default:
			labels = append(labels, e.LabelColumn())
		}
	}
	return extras, labels
}

// variantOf names what is made of the objects of a source.
func variantOf(extras []object.Extra) string {
	names := make([]string, len(extras))
	for i, e := range extras {
		names[i] = e.Name
	}
	return strings.Join(names, betweenExtras)
}

// prints reports whether these are the columns that were added to a source.
func (s *source) prints(extras []object.Extra) bool { return variantOf(s.extras) == variantOf(extras) }

// vary sees to it that the source has the columns that are asked for: what an object
// prints is fixed when it is made, so there is another source beside, which takes the
// place of this one when its list is in.
func (d *desk) vary() {
	switch {
	case d.source.prints(d.extras):
		d.dropNext()
		return
	case d.next != nil && d.next.prints(d.extras):
		return
	}
	d.dropNext()
	d.replace(d.source.scopes)
}

// replace opens the source with other scopes, and the columns that are asked for, to
// take its place.
func (d *desk) replace(scopes []string) {
	next := *d.source
	next.scopes, next.extras, next.parts, next.stands = scopes, d.extras, nil, nil
	d.fill(&next)
	d.next = &next
}

// dropNext lets go of what was to take the source's place.
func (d *desk) dropNext() {
	if d.next != nil {
		d.next.release()
		d.next = nil
	}
}

// turn puts the next source in the place of the one that is shown, once it has as
// much to show.
func (d *desk) turn(now time.Time) {
	next := d.next
	if next == nil || d.settled(d.source, now) && !d.settled(next, now) {
		return
	}
	d.next = nil
	d.source.release()
	if next.wide = d.source.wide; next.isWide() {
		next.wide.release()
		next.wide = nil
	}
	next.state, next.since, next.problem = d.source.state, d.source.since, d.source.problem
	d.source = next
	d.columns()
	next.view.SetQuery(d.look.Query)
	d.sent = time.Time{}
}

// settled reports whether all lists of the source are in that may be, and whether it
// is known that they are watched, or that they may not be.
func (d *desk) settled(s *source, now time.Time) bool {
	return len(s.parts) > 0 && !slices.ContainsFunc(s.parts, func(p *follow) bool {
		switch at := p.stand(d.link(), now); at.fresh {
		case informer.Denied:
			return false
		case informer.Connecting, informer.Syncing:
			return true
		default:
			return !at.state.Synced
		}
	})
}

// release lets go of the lists.
func (s *source) release() {
	for _, p := range s.parts {
		p.release()
	}
	s.parts = nil
}
