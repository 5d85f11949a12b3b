package pane

import (
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/hub/loop"
)

// compareEvery is the least time between two documents, and compareShare limits their cost: to
// 1/compareShare of the time. What the reader asks for does not wait.
const (
	compareEvery = 250 * time.Millisecond
	compareShare = 10
)

const (
	// sameFor is how long a field that differed is shown once it no longer does.
	sameFor = 20 * time.Second
	// sameMost is how many such fields are shown: the latest. An object may have others all the time.
	sameMost = 100
)

// comparePane shows an object and another one side by side.
type comparePane struct {
	host    Host
	subject Subject
	options detail.CompareOptions
	other   OtherObject // nil: none is asked for
	left    compareSide
	right   compareSide
	places  *comparePlaces // nil: they are not asked for

	compared detail.ObjectPair // the fields, as they are
	rows     []detail.FieldPair
	changed  bool // a side has changed since they were compared
	docs     loop.Sender
}

// compareSide is one of the two objects.
type compareSide struct {
	detail.Side
	version Version
	body    document.Value
}

// NewCompare opens the comparison of an object with another one.
func NewCompare(h Host, s Subject) Pane {
	p := &comparePane{host: h, subject: s}
	p.right.Kind = s.Kind.Name
	return p
}

var _ Open = NewCompare

// Object applies another version of the open object.
func (p *comparePane) Object(v Version) { p.changed = p.right.apply(v) || p.changed }

// apply applies a version, and reports whether its fields are to be compared again. A deleted
// object is compared as it last was.
func (s *compareSide) apply(v Version) bool {
	if v.Object == nil || s.version.Object == v.Object {
		return false
	}
	s.version = v
	body, err := v.Body()
	if err != nil {
		return false // it has lost its bytes, and comes again
	}
	s.body, s.Version = body, v.Object.Version()
	return true
}

// Options sets the other object and what is wanted in full.
func (p *comparePane) Options(raw json.RawMessage) {
	var o detail.CompareOptions
	if len(raw) > 0 && json.Unmarshal(raw, &o) != nil {
		return // our own page wrote it, so it is valid
	}
	if o.With != p.options.With || o.Context != p.options.Context {
		p.closeOther()
		if o.With.Name != "" {
			p.other = p.host.Follow(o.Context, o.With)
		}
	}
	p.options, p.changed = o, true
	p.docs.Skip()
	switch {
	case !o.Places:
		p.closePlaces()
	case p.places == nil:
		p.places = newComparePlaces(p.host, p.subject)
	}
}

// Close releases the other object and the list of places.
func (p *comparePane) Close() {
	p.closeOther()
	p.closePlaces()
}

func (p *comparePane) closeOther() {
	if p.other != nil {
		p.other.Close()
	}
	p.other = nil
	p.forget()
}

// forget forgets what is known of the other object.
func (p *comparePane) forget() { p.left, p.rows, p.compared = compareSide{}, nil, detail.ObjectPair{} }

func (p *comparePane) closePlaces() {
	if p.places != nil {
		p.places.Close()
		p.places = nil
	}
}

// Update returns the two objects side by side.
func (p *comparePane) Update(now time.Time) []byte {
	if p.other != nil {
		v := p.other.Version()
		if v.Object == nil && p.left.version.Object != nil { // it is followed anew, maybe for another user
			p.forget()
		}
		p.changed = p.left.apply(v) || p.changed
		p.left.Kind = p.other.Kind().Name
	}
	if !p.docs.Due(p.host, now) {
		return nil
	}
	began := time.Now()
	if p.changed && p.left.body.Exists() && p.right.body.Exists() {
		p.compare(now)
	}
	p.changed = false
	doc := p.docs.Encode(p.document(now))
	p.docs.Rest(now, max(compareEvery, compareShare*time.Since(began))) // also if it is the same: the hub steps whenever anything changes
	return doc
}

// document returns what the page shows.
func (p *comparePane) document(now time.Time) detail.ObjectPair {
	out := p.compared
	out.Rows = p.recent(now)
	p.right.State, p.right.Said = p.host.State(now)
	if out.Right = p.right.Side; p.other != nil {
		p.left.State, p.left.Said = p.other.State(now)
		out.Left = p.left.Side
	}
	if p.places != nil {
		out.Places = p.places.read(now)
	}
	return out
}

// compare compares the objects, and notes which fields have changed since the last comparison of
// the same two. What was wanted in full meanwhile has not changed.
func (p *comparePane) compare(now time.Time) {
	known, all, was := p.compared.Known, p.compared.More == 0 && !p.compared.Short, p.rows
	before := make(map[string]detail.FieldPair, len(was))
	for _, row := range was {
		before[row.Path] = row
	}
	p.compared = detail.SideBySide(p.left.body, p.right.body, p.options.Whole)
	p.rows = p.compared.Rows
	for i := range p.rows {
		row := &p.rows[i]
		was, there := before[row.Path]
		delete(before, row.Path)
		switch {
		case there && (was.Same(*row) || was.Cut != row.Cut):
			row.At = was.At
		case known && (there || all):
			row.At = now.UnixMilli()
		}
	}
	if p.compared.More == 0 && !p.compared.Short { // else what is not shown may only be beyond the maximum
		p.rows = append(p.rows, same(was, before, now)...)
	}
}

// same returns the rows that were shown and are not among those that differ, the longest equal first, as
// they stay on screen.
func same(was []detail.FieldPair, left map[string]detail.FieldPair, now time.Time) (rows []detail.FieldPair) {
	var lately []detail.FieldPair
	for _, row := range was {
		switch _, gone := left[row.Path]; {
		case !gone:
		case row.Kind == detail.SameNow:
			rows = append(rows, row)
		default:
			lately = append(lately, detail.FieldPair{Path: row.Path, Kind: detail.SameNow, At: now.UnixMilli()})
		}
	}
	rows = append(rows, lately...)
	return rows[max(len(rows)-sameMost, 0):]
}

// recent returns the rows, without those that have been the same for a while.
func (p *comparePane) recent(now time.Time) []detail.FieldPair {
	kept := make([]detail.FieldPair, 0, len(p.rows))
	for _, row := range p.rows {
		if row.Kind == detail.SameNow {
			until := time.UnixMilli(row.At).Add(sameFor)
			if !now.Before(until) {
				continue
			}
			p.host.WakeAt(until)
		}
		kept = append(kept, row)
	}
	p.rows = kept
	return kept
}
