package hub

import (
	"context"
	"slices"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/view"
)

// stepper finds changes to the objects that a list shows. Only one goroutine may use it.
type stepper struct {
	tape       history.Tape
	kind       object.Kind
	view       *view.View
	extras     []object.Extra
	namespaces []string
	codes      *object.CodeTable
}

func newStepper(c *Cluster, l *List) *stepper {
	tape := c.tape()
	if c.relay != nil {
		tape = c.relay.Tape()
	}
	return &stepper{tape: tape, kind: l.shown.kind, view: l.shown.view, extras: l.shown.extras, namespaces: slices.Clone(l.look.Namespaces), codes: &c.codes}
}

// stepped is the answer to a request for a step.
type stepped struct {
	At time.Time `json:"at"`
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
func (s *stepper) find(ctx context.Context, at time.Time, direction int) (any, error) {
	from, to := s.tape.Span()
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
		for i, about := range s.tape.Streams() {
			if about.Group == s.kind.Group && about.Resource == s.kind.Resource {
				s.search(ctx, i, about, low, high, direction, &found)
			}
		}
		switch {
		case !found.IsZero() && direction < 0: // as it was before that change
			return stepped{found.Add(-time.Millisecond)}, nil
		case !found.IsZero():
			return stepped{found}, nil
		case direction > 0 && !high.Before(to):
			return nil, errNoLater
		case direction < 0 && !low.After(from):
			return nil, errNoEarlier
		}
	}
	return nil, ctx.Err()
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
	s.tape.Between(stream, low, high, func(c history.Change) bool {
		nearer := found.IsZero() || (direction > 0) == c.At.Before(*found) && !c.At.Equal(*found)
		namespace, _, namespaced := strings.Cut(c.Key, "/")
		if in := !namespaced || len(s.namespaces) == 0 || slices.Contains(s.namespaces, namespace); in && nearer && (matches(c.After) || matches(c.Before)) {
			*found = c.At
			return direction < 0
		}
		return ctx.Err() == nil
	})
}
