package pane

import (
	"encoding/json"
	"reflect"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/hub/loop"
	"watchglass/internal/object/tone"
)

// summaryEvery is the least time between two summaries of the same version of an object,
// while the objects that it lists change.
const summaryEvery = 250 * time.Millisecond

// summaryPane makes the summary of an object, and holds the lists of other objects that
// it shows something of.
type summaryPane struct {
	host    Host
	body    document.Value
	cells   func() []detail.Cell
	health  tone.Tone
	partly  bool
	wants   []detail.Want
	lists   []*wantedList
	why     why
	usage   usage
	rollout rollout
	gone    bool
	goneAt  time.Time
	changed bool // the object has changed since the summary was made
	altered bool // the state of a list has changed
	docs    loop.Sender
}

// NewSummary opens the summary of an object.
func NewSummary(h Host, s Subject) Pane {
	return &summaryPane{host: h, why: why{subject: s}, usage: usage{subject: s}, rollout: rollout{lists: revisions{host: h, subject: s}}}
}

var _ Open = NewSummary

// Options does nothing: the tab has none.
func (p *summaryPane) Options(json.RawMessage) {}

// Close releases the lists.
func (p *summaryPane) Close() {
	p.closeLists()
	p.why.close()
	p.usage.close()
	p.rollout.lists.close()
}

// closeLists releases the lists of what the summary shows.
func (p *summaryPane) closeLists() {
	for _, l := range p.lists {
		l.Close()
	}
	p.lists, p.wants = nil, nil
}

// Object applies another version. A deleted object is shown as it last was.
func (p *summaryPane) Object(v Version) {
	p.cells, p.health = v.Cells, v.Object.Health()
	body, err := v.Body()
	if err != nil {
		return // it has lost its bytes, and comes again
	}
	p.body, p.partly, p.changed, p.gone, p.goneAt = body, v.Partly, true, v.Gone, v.GoneAt
	p.rollout.follow(body, v.Gone)
	if wants := detail.Wants(body); !reflect.DeepEqual(wants, p.wants) {
		p.closeLists()
		p.wants = wants
		for _, w := range wants {
			if kind, ok := p.host.Kinds().Find(w.Resource); ok {
				p.lists = append(p.lists, newWantedList(p.host, w, kind))
			}
		}
	}
}

// Update makes the summary, if anything in it may have changed.
func (p *summaryPane) Update(now time.Time) []byte {
	p.checkLists(now)
	p.checkWhy(now)
	if p.body.Exists() {
		p.usage.follow(p.host, p.body, p.gone)
		p.changed = p.usage.refresh(p.host, now) || p.changed
	}
	if !p.body.Exists() || !p.changed && !p.listsDue(now) {
		return nil
	}
	p.changed, p.altered = false, false
	p.docs.Rest(now, summaryEvery)
	more := detail.More{Objects: make(map[string][]document.Value), States: make(map[string]detail.Span), Counts: make(map[string]map[string]int), Cells: p.cells(), Health: p.health, Partly: p.partly}
	for _, l := range p.lists {
		l.Drain(0) // before the store is read: what comes after is another change
		switch {
		case l.denied != nil:
			more.Denied = append(more.Denied, detail.Denial{Resource: l.kind.ID(), Status: l.denied})
		case l.synced:
			l.addTo(&more, now)
		}
	}
	summary := detail.Summarize(p.body, more)
	summary.Deny(more.Denied)
	if p.usage.shows(p.body) {
		summary.SetUsage(p.body, p.usage.now)
	}
	summary.Why, summary.Warning = p.why.all, p.why.lastWarning(now)
	summary.Rollout = p.rollout.read(now)
	return p.docs.Encode(summary)
}

// checkWhy looks at what is wrong. Time alone changes nothing about an object that is gone.
func (p *summaryPane) checkWhy(now time.Time) {
	switch {
	case !p.body.Exists():
	case !p.gone && (p.changed || now.Sub(p.why.looked) >= whyEvery):
		p.altered = p.why.refresh(p.host, p.body, now) || p.altered
	case p.gone && p.changed:
		p.altered = p.why.lookBack(p.host, p.body, p.goneAt) || p.altered
	}
}

// checkLists checks the states of the lists, since an empty list sends no change when it
// syncs.
func (p *summaryPane) checkLists(now time.Time) {
	for _, l := range p.lists {
		if l.check(p.host.Link(), now) {
			p.altered = true
		}
	}
	if w := p.why.warnings; w != nil && w.bodies.due(now) {
		p.altered = true
	}
}

// listsDue reports whether a list has changed, and enough time has passed to show it.
func (p *summaryPane) listsDue(now time.Time) bool {
	changed := p.altered || p.rollout.changed(now) || p.why.warnings != nil && p.why.warnings.Pending() > 0
	for _, l := range p.lists {
		changed = changed || l.Pending() > 0
	}
	return changed && p.docs.Due(p.host, now)
}
