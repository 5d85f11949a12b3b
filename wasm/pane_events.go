package main

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/object"
)

// eventsMost is how many events are shown, the last ones.
const eventsMost = 500

// eventsPane shows the events of the object and of all that it owns.
type eventsPane struct {
	*gathering
	events *related.Events
	source *feed
	uid    string // of the object; it stays when that is gone
	asked  time.Time
	anew   bool // something is another than it was
	stood  string
	sent   []byte
}

func newEventsPane(_ context.Context, d *desk, f *focus) pane {
	p := &eventsPane{gathering: newGathering(d, f)}
	needs := related.OwnedNeeds(p.focus, p.native)
	p.needs = func(related.Graph) []related.Need { return needs }
	p.events = related.NewEvents(p.index)
	kind, _ := object.Builtin("events")
	namespace := p.focus.Namespace
	if namespace == "" {
		namespace = "default" // where those of objects without one are told
	}
	p.source = d.feed(kind, related.Need{Resource: kind.ID(), Namespace: namespace}, true)
	return p
}

func (p *eventsPane) object(o *object.Object, _ func() (detail.Value, error)) {
	if o != nil {
		p.uid, p.anew = o.UID(), true
	}
}

func (p *eventsPane) option(json.RawMessage) {}

func (p *eventsPane) close() {
	p.source.release()
	p.gathering.close()
}

func (p *eventsPane) turn(now time.Time) []byte {
	if wait := p.asked.Add(gatherEvery).Sub(now); wait > 0 {
		p.later(wait)
		return nil
	}
	if _, news := p.gather(now); news {
		p.anew = true
	}
	changes := p.source.take(gatherMost)
	if p.events.Apply(changes); len(changes) > 0 {
		p.anew = true
	}
	if p.source.waits() {
		p.d.stir()
		return nil
	}
	at := p.source.stand(p.d.link(), now)
	stood := string(at.fresh)
	if !p.anew && stood == p.stood {
		return nil
	}
	p.asked, p.anew, p.stood = now, false, stood
	doc, err := json.Marshal(p.show(at, now))
	if err != nil || bytes.Equal(doc, p.sent) {
		return nil
	}
	p.sent = doc
	return doc
}

func (p *eventsPane) show(at standing, now time.Time) related.Told {
	uids := p.index.Owned(p.focus)
	if p.uid != "" {
		uids[p.uid] = true
	}
	if p.focus.Resource == "nodes" {
		uids[p.focus.Name] = true // so the kubelet names its own
	}
	all := p.events.Of(uids)
	out := related.Told{Events: all[:min(len(all), eventsMost)], More: max(len(all)-eventsMost, 0)}
	unknown, coming := p.denied(now)
	out.Coming = !at.state.Synced || coming
	if len(unknown) > 0 {
		out.Owned = unknown[0].Said
	}
	if at.refused() {
		out.Denied, out.Coming = at.cause, false
	}
	return out
}
