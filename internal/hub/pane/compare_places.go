package pane

import (
	"slices"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// placesMost is how many namespaces are named.
const placesMost = 40

// comparePlaces knows the namespaces with an object of a kind and name: from the list of all
// objects of the kind, if some view holds it, else from a list of those of that name.
type comparePlaces struct {
	*source.Feed
	host    Host
	subject Subject
	found   map[string]bool
}

// newComparePlaces returns nil for a kind without namespaces.
func newComparePlaces(h Host, s Subject) *comparePlaces {
	if !s.Kind.Namespaced {
		return nil
	}
	lease := h.LeaseHeld(s.Kind)
	if lease == nil {
		lease = h.Lease(s.Kind, source.Selection{Fields: related.ByName + s.Name, Metadata: true})
	}
	p := &comparePlaces{host: h, subject: s, found: make(map[string]bool)}
	p.Feed = source.Follow(lease, func(o *object.Object) bool { return o.Name() == s.Name }, h.RequestUpdate)
	return p
}

// read returns the namespaces but the object's own.
func (p *comparePlaces) read(now time.Time) *detail.Places {
	for _, c := range p.Drain(0) {
		if c.Last == nil || c.Last.Namespace() == p.subject.Namespace {
			continue
		}
		if delete(p.found, c.Last.Namespace()); c.Now != nil {
			p.found[c.Last.Namespace()] = true
		}
	}
	out := &detail.Places{Names: make([]string, 0, len(p.found))}
	for name := range p.found {
		out.Names = append(out.Names, name)
	}
	slices.Sort(out.Names)
	out.More = max(len(out.Names)-placesMost, 0)
	out.Names = out.Names[:len(out.Names)-out.More]
	s := source.StatusOf(p.Lease, p.host.Link(), now)
	switch out.Said = s.Cause; {
	case s.Refused():
		out.State = detail.Denied
	case s.Fresh == informer.Live:
		out.State = detail.Live
	case s.Polled():
		out.State = detail.Polled
	case s.Listed():
		out.State = detail.Stale
	default:
		out.State = detail.Loading
	}
	return out
}
