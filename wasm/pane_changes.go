package main

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object"
)

const (
	// changesPace is the least time between two documents; what the reader asks for is in
	// a hurry.
	changesPace = 250 * time.Millisecond
	// What a document may hold: the page has little time to read it.
	changesFields = 400
	changesBytes  = 256 << 10
)

// changesPane is what this tab has seen happen to the object.
type changesPane struct {
	*desk
	*focus
	comparer *detail.Comparer
	options  detail.ChangesOptions
	uid      string
	shows    detail.Changes
	news     bool
	next     time.Time // before it nothing is told
	woken    bool      // the desk looks again at that time
}

func newChangesPane(_ context.Context, d *desk, f *focus) pane {
	p := &changesPane{desk: d, focus: f, comparer: detail.NewComparer(f.kind), news: true}
	p.shows.Secret = f.kind.ID() == "secrets"
	p.shows.Since = f.quarry.lease.Begun().UnixMilli()
	return p
}

func (p *changesPane) object(o *object.Object, _ func() (detail.Value, error)) {
	p.news = true
	if o == nil {
		p.shows.Gone = time.Now().UnixMilli()
		return
	}
	p.uid, p.shows.Gone = o.UID(), 0
}

func (p *changesPane) option(raw json.RawMessage) {
	p.options = detail.ChangesOptions{}
	if len(raw) > 0 && json.Unmarshal(raw, &p.options) != nil {
		return // of our own page: it does not happen
	}
	p.news, p.next = true, time.Time{}
}

func (p *changesPane) turn(now time.Time) []byte {
	if !p.news {
		return nil
	}
	if wait := p.next.Sub(now); wait > 0 {
		if !p.woken {
			p.woken = true
			time.AfterFunc(wait, p.stir)
		}
		return nil
	}
	p.news, p.woken, p.next = false, false, now.Add(changesPace)
	seen := p.history.Of(p.uid)
	p.shows.Versions = p.comparer.Versions(seen)
	p.shows.Compared = p.compared(seen)
	bound(&p.shows)
	doc, err := json.Marshal(p.shows)
	if err != nil {
		return nil // of our own struct: it does not happen
	}
	return doc
}

// compared is what differs between the two versions that were asked for, if both are
// still kept.
func (p *changesPane) compared(seen []detail.Seen) *detail.Comparison {
	at := func(version string) int {
		return slices.IndexFunc(seen, func(s detail.Seen) bool { return s.Object.Version() == version })
	}
	from, to := at(p.options.From), at(p.options.To)
	if from < 0 || to < 0 || from == to {
		return nil
	}
	c := p.comparer.Compare(seen[min(from, to)].Object, seen[max(from, to)].Object)
	return &c
}

func (p *changesPane) close() {}

// bound cuts a document to what it may hold. First of all goes what was asked for, then
// the newest; of each it says how much there is more.
func bound(shows *detail.Changes) {
	room := room{fields: changesFields, bytes: changesBytes}
	if shows.Compared != nil {
		room.cut(shows.Compared)
	}
	for i := range shows.Versions {
		room.cut(&shows.Versions[i].Comparison)
	}
}

// room is what is left of what a document may hold.
type room struct{ fields, bytes int }

// cut leaves of a comparison what there is room for. It shares its fields with others,
// and leaves those as they are.
func (r *room) cut(c *detail.Comparison) {
	told := 0
	for _, f := range c.Fields {
		size := len(f.Path) + len(f.Before) + len(f.After)
		if r.fields == 0 || size > r.bytes {
			break
		}
		told++
		r.fields--
		r.bytes -= size
	}
	c.More += len(c.Fields) - told
	c.Fields = c.Fields[:told:told]
}
