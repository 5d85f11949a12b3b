package pane

import (
	"encoding/json"
	"slices"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
)

// eventsMost is how many events are shown at most: the newest.
const eventsMost = 500

// eventsPane shows the events of an object and of all that it owns.
type eventsPane struct {
	near    *neighbours
	search  *search // nil for a built-in kind, whose needs list all that it owns
	index   *related.Events
	list    *neighbourList // of the events
	uid     string         // of the object; it stays when the object is deleted
	changed bool           // since the last document
	verdict source.Verdict // of the list, in the last document
	docs    loop.Sender
}

// NewEvents opens the events of an object.
func NewEvents(h Host, s Subject) Pane {
	near := newNeighbours(h, s)
	needs := related.OwnedNeeds(near.focus)
	near.needs = func(related.Graph) []related.Need { return needs }
	var search *search
	if !s.Kind.Native() {
		search = newSearch(near, s)
	}
	kind, _ := object.Builtin("events")
	namespace := object.EventNamespaces(s.Namespace)[0]
	return &eventsPane{
		near: near, search: search, index: related.NewEvents(near.index), changed: true,
		list: newNeighbourList(h, kind, related.Need{Resource: kind.ID(), Namespace: namespace}, true),
	}
}

var _ Open = NewEvents

// Object sets the object whose events are shown.
func (p *eventsPane) Object(v Version) { p.uid, p.changed = v.Object.UID(), true }

// Options does nothing: the tab has none.
func (p *eventsPane) Options(json.RawMessage) {}

// Close releases the lists.
func (p *eventsPane) Close() {
	p.list.Close()
	p.near.close()
}

// Update returns the events, if they may have changed: at most every lookEvery.
func (p *eventsPane) Update(now time.Time) []byte {
	if !p.docs.Due(p.near.host, now) {
		return nil
	}
	if _, changed := p.near.update(now); changed {
		p.changed = true
	}
	_, changes := p.list.read(readMost)
	if p.index.Apply(changes); len(changes) > 0 {
		p.changed = true
	}
	if p.list.Pending() > 0 {
		p.near.host.RequestUpdate()
		return nil
	}
	status := p.near.status(p.list, now)
	if !p.changed && status.Verdict() == p.verdict {
		return nil
	}
	p.changed, p.verdict = false, status.Verdict()
	p.docs.Rest(now, lookEvery)
	return p.docs.Encode(p.show(status, now))
}

// show returns the events to show, and says what is missing or not known yet.
func (p *eventsPane) show(status source.Status, now time.Time) related.EventList {
	focus := p.near.focus
	uids := p.near.index.Owned(focus)
	if p.uid != "" {
		uids[p.uid] = true
	}
	if focus.Resource == "nodes" {
		uids[focus.Name] = true // the kubelet's events have a node's name for its UID
	}
	all := p.index.Of(uids)
	out := related.EventList{Events: all[:min(len(all), eventsMost)], More: max(len(all)-eventsMost, 0)}
	out.Searched = p.searched(now)
	out.Coming = status.Verdict() < source.Old || out.Searched.Coming > 0
	if status.Refused() {
		out.Denied, out.Coming = status.Cause, false
	}
	return out
}

// searched returns which kinds are not searched for owned objects, or not yet. Their objects may have events, so the tab
// must not say that there are none.
func (p *eventsPane) searched(now time.Time) (out related.SearchProgress) {
	if p.search != nil {
		out = p.search.report()
	}
	unknown, coming := p.near.failures(now)
	for _, n := range unknown {
		if !slices.ContainsFunc(out.Failed, func(f related.SearchFailure) bool { return f.Resource == n.Resource }) {
			out.Failed = append(out.Failed, related.SearchFailure{Resource: n.Resource, Error: n.Error})
		}
	}
	if coming {
		out.Coming++
	}
	return out
}
