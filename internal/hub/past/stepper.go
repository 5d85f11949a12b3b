package past

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// stepper finds changes to the objects that a list shows. Only one goroutine may use it.
type stepper struct {
	record     history.Record
	kind       object.Kind
	view       *view.View
	extras     []object.Extra
	namespaces []string
	codes      *object.CodeTable
}

// NextChange returns the search for the next change to an object that a list shows, or for the previous one if the
// direction is negative. Any goroutine may call it, once.
func NextChange(l *list.List, shown list.Shown, direction int) func(ctx context.Context) (Step, error) {
	c := l.Cluster()
	_, at := c.Record().Span()
	if c.Relay != nil {
		at = c.Relay.At()
	}
	s := newStepper(c, shown, l.Asked().Namespaces)
	return func(ctx context.Context) (Step, error) { return s.find(ctx, at, direction) }
}

func newStepper(c *cluster.Cluster, s list.Shown, namespaces []string) *stepper {
	record := c.Record()
	if c.Relay != nil {
		record = c.Relay.Record()
	}
	return &stepper{record: record, kind: s.Kind, view: s.View, extras: s.Extras, namespaces: slices.Clone(namespaces), codes: &c.Codes}
}

// Step is the answer to a request for a step.
type Step struct {
	At time.Time `json:"at"` // zero: no change was seen in the direction
	// Missed is the first time up to the change, or up to the end of history, in which changes to the list may be missing.
	Missed *port.Interruption `json:"missed,omitempty"`
	// Gaps is how many such times there are: there may be thousands, and the page names one.
	Gaps int `json:"gaps,omitempty"`
	// Unwatched says that nobody watched the list in all the time.
	Unwatched bool `json:"unwatched,omitempty"`
}

// The first time span searched, and its growth up to stepMost, after which all is searched: a recording may claim to span
// all of time. Nearby changes are found without searching the rest.
const (
	stepFirst = 10 * time.Second
	stepMore  = 6 // times as much each time
	stepMost  = 365 * 24 * time.Hour
)

// find returns the time of the first change after a moment. Backwards, it returns the moment before the last
// change, so that each step shows or takes back one change.
func (s *stepper) find(ctx context.Context, at time.Time, direction int) (Step, error) {
	from, to := s.record.Span()
	for span := stepFirst; ctx.Err() == nil; span *= stepMore {
		low, high := at, at.Add(span)
		switch {
		case direction < 0 && span > stepMost:
			low, high = from, at
		case direction < 0:
			low, high = at.Add(-span), at
		case span > stepMost:
			high = to
		}
		var found time.Time
		for i, about := range s.record.Streams() {
			if about.Group == s.kind.Group && about.Resource == s.kind.Resource {
				s.search(ctx, i, about, low, high, direction, &found)
			}
		}
		switch {
		case !found.IsZero() && direction < 0: // as it was before that change
			return s.step(found.Add(-time.Millisecond), found, at), nil
		case !found.IsZero():
			return s.step(found, at, found), nil
		case direction > 0 && !high.Before(to):
			return s.step(found, at, to), nil
		case direction < 0 && !low.After(from):
			return s.step(found, from, at), nil
		}
	}
	return Step{}, ctx.Err()
}

// step returns a step to a moment that passes over a time.
func (s *stepper) step(to, from, until time.Time) Step {
	out, all := Step{At: to}, history.Gap{From: from, To: until}
	gaps := s.missed(all, func(history.Gap) bool { return true })
	if out.Gaps = len(gaps); out.Gaps > 0 {
		out.Missed = &port.Interruption{From: gaps[0].From, To: gaps[0].To}
		gaps = s.missed(all, unwatched)
		out.Unwatched = len(gaps) == 1 && gaps[0].From.Equal(from) && gaps[0].To.Equal(until)
	}
	return out
}

// unwatched reports whether nobody watched in a gap. In the others changes are missing for another reason: a list of which
// an object could not be read was watched all the same.
func unwatched(g history.Gap) bool { return g.Why == history.Closed || g.Why == history.Away }

// missed returns the parts of a time in which changes to the list may be missing: the whole cluster was not watched, nor
// all the namespaces of the list. Only the gaps that count are used.
func (s *stepper) missed(all history.Gap, counts func(history.Gap) bool) []history.Gap {
	if !all.From.Before(all.To) {
		return nil // at an end of history there is nothing to miss
	}
	cluster, parts := []history.Gap{all}, make(map[string][]history.Gap)
	for _, namespace := range s.namespaces {
		parts[namespace] = cluster
	}
	for i, about := range s.record.Streams() {
		if about.Group != s.kind.Group || about.Resource != s.kind.Resource {
			continue
		}
		n, gaps := about.Namespace, s.record.Gaps(i)
		gaps = history.Merge(slices.DeleteFunc(gaps, func(g history.Gap) bool { return !counts(g) }))
		switch before, there := parts[n]; {
		case n == "":
			cluster = inBoth(cluster, gaps)
		case there:
			parts[n] = inBoth(before, gaps)
		case len(s.namespaces) == 0:
			parts[n] = inBoth([]history.Gap{all}, gaps)
		}
	}
	if len(parts) == 0 {
		return cluster
	}
	return inBoth(cluster, history.Merge(slices.Concat(slices.Collect(maps.Values(parts))...)))
}

// inBoth returns the times that are in two lists of gaps, each in order.
func inBoth(a, b []history.Gap) (out []history.Gap) {
	for len(a) > 0 && len(b) > 0 {
		g := history.Gap{From: a[0].From, To: a[0].To}
		if b[0].From.After(g.From) {
			g.From = b[0].From
		}
		before := b[0].To.Before(g.To)
		if before {
			g.To = b[0].To
		}
		if g.From.Before(g.To) {
			out = append(out, g)
		}
		if before {
			b = b[1:]
		} else {
			a = a[1:]
		}
	}
	return out
}

// search sets found to the time of the stream's nearest change in the direction, if that is nearer.
func (s *stepper) search(ctx context.Context, stream int, about history.Stream, low, high time.Time, direction int, found *time.Time) {
	decoder := object.NewDecoder(s.kind, true, s.extras...).Share(s.codes)
	if about.Columns != nil {
		_, _ = decoder.SetColumns(about.Columns) // those that are malformed decode nothing
	}
	matches := func(payload []byte) bool {
		if payload == nil {
			return false
		}
		o, err := decoder.Decode(payload)
		return err == nil && s.view.Matches(o)
	}
	s.record.Between(stream, low, high, func(c history.Change) bool {
		nearer := found.IsZero() || (direction > 0) == c.At.Before(*found) && !c.At.Equal(*found)
		namespace, _, namespaced := strings.Cut(c.Key, "/")
		if in := !namespaced || len(s.namespaces) == 0 || slices.Contains(s.namespaces, namespace); in && nearer && (matches(c.After) || matches(c.Before)) {
			*found = c.At
			return direction < 0
		}
		return ctx.Err() == nil
	})
}
