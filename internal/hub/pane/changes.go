package pane

import (
	"encoding/json"
	"slices"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/loop"
)

const (
	// changesEvery is the least time between two documents. A requested comparison
	// does not wait.
	changesEvery = 250 * time.Millisecond
	// A document holds no more than this, since the page has little time to parse it.
	changesFields = 400
	changesBytes  = 256 << 10
)

// changesPane shows the versions of an object that the hub has seen, and the revisions of a workload.
type changesPane struct {
	host     Host
	comparer *detail.Comparer
	options  detail.ChangesOptions
	uid      string
	since    func() time.Time
	shows    detail.Changes
	stored   *revisions // nil for kinds without
	changed  bool
	docs     loop.Sender
}

// NewChanges opens the changes of an object.
func NewChanges(h Host, s Subject) Pane {
	p := &changesPane{host: h, since: s.Since, comparer: detail.NewComparer(s.Kind), changed: true}
	p.shows.Secret = s.Kind.ID() == "secrets"
	if hasRevisions(s.Kind) {
		p.stored = &revisions{host: h, subject: s}
	}
	return p
}

var _ Open = NewChanges

// Object notes that there is another version.
func (p *changesPane) Object(v Version) {
	p.changed, p.uid = true, v.Object.UID()
	p.shows.Deleted, p.shows.Gone = v.Gone, 0
	if v.Gone && !v.GoneAt.IsZero() {
		p.shows.Gone = v.GoneAt.UnixMilli()
	}
	p.stored.show(v)
}

// Options sets the versions to compare, and lets the next document go out at once.
func (p *changesPane) Options(raw json.RawMessage) {
	p.options = detail.ChangesOptions{}
	if len(raw) > 0 && json.Unmarshal(raw, &p.options) != nil {
		return // our own page wrote it, so it is valid
	}
	p.changed = true
	p.docs.Skip()
}

// Update returns the stored versions, and the requested comparison.
func (p *changesPane) Update(now time.Time) []byte {
	if !p.changed && !p.stored.changed(now) || !p.docs.Due(p.host, now) {
		return nil
	}
	p.changed = false
	p.docs.Rest(now, changesEvery)
	seen := p.host.History(p.uid)
	if p.shows.Since = 0; !p.since().IsZero() {
		p.shows.Since = p.since().UnixMilli()
	}
	p.shows.Versions = p.comparer.Versions(seen)
	p.shows.Compared = p.compare(seen)
	p.shows.Revisions = p.stored.shown(p.options.Revisions, now)
	limit(&p.shows)
	return p.docs.Encode(p.shows)
}

// compare returns the differences between the two requested versions; nil unless both are still
// stored.
func (p *changesPane) compare(seen []detail.Observation) *detail.Comparison {
	find := func(version string) int {
		return slices.IndexFunc(seen, func(s detail.Observation) bool { return s.Object.Version() == version })
	}
	from, to := find(p.options.From), find(p.options.To)
	if from < 0 || to < 0 || from == to {
		return nil
	}
	c := p.comparer.Compare(seen[min(from, to)], seen[max(from, to)])
	return &c
}

// Close releases the lists of revisions.
func (p *changesPane) Close() { p.stored.close() }
