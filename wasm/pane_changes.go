package main

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object"
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
	p.news = true
}

func (p *changesPane) turn(time.Time) []byte {
	if !p.news {
		return nil
	}
	p.news = false
	seen := p.history.Of(p.uid)
	p.shows.Versions = p.comparer.Versions(seen)
	p.shows.Compared = p.compared(seen)
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
