package panetest

import (
	"context"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/problem"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Kinds returns a set that knows the built-in kinds, until a test has it discover others.
func (h *Host) Kinds() *kinds.Set { return &h.kinds }

// Problems returns what the test set.
func (h *Host) Problems(string, string, string) []problem.Row { return h.Wrong }

// UsedAgain returns what the test set.
func (h *Host) UsedAgain(_, _, name string) int64 { return h.Again[name] }

// Now is the time of the test, unless the test shows another moment.
func (h *Host) Now() time.Time {
	if h.Moment.IsZero() {
		return time.Now()
	}
	return h.Moment
}

// Link returns a connection that stands.
func (h *Host) Link() informer.Link {
	return informer.Link{Connected: true, Online: true, Heard: time.Now()}
}

// State returns what the test has set.
func (h *Host) State(time.Time) (detail.State, *wire.Status) { return h.Stands, h.Said }

// History returns what the test has put into Seen.
func (h *Host) History(uid string) (all []detail.Observation) {
	for _, s := range h.Seen {
		if s.Object.UID() == uid {
			all = append(all, s)
		}
	}
	return all
}

// Used returns what the test has set.
func (h *Host) Used(string, time.Time) (cpu, memory []float32) { return h.CPUs, h.Memories }

// Lease leases a list of the server.
func (h *Host) Lease(kind object.Kind, s source.Selection) *source.Lease {
	extras, _ := source.Added(s.Paths)
	return h.factory.LeaseVariant(h.scoped(kind, source.Selected(kind, s)), source.Variant(&kind, extras))
}

// LeaseHeld leases the list that Hold holds.
func (h *Host) LeaseHeld(kind object.Kind) *source.Lease {
	if !h.held[kind.ID()] {
		return nil
	}
	return h.factory.LeaseSynced(source.Request(kind, ""))
}

// Restore reads the bodies from the server.
func (h *Host) Restore(_ *source.Lease, kind object.Kind, objects []*object.Object, then func(error)) {
	h.Go(func(ctx context.Context) func() {
		err := source.ReadBodies(ctx, h.server, source.Request(kind, ""), kind, objects, (*object.Object).Restore)
		return func() { then(err) }
	})
}

// Get asks the server.
func (h *Host) Get(ctx context.Context, r wire.Request) ([]byte, error) { return h.server.Get(ctx, r) }

// Open asks the server.
func (h *Host) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	return h.server.Open(ctx, h.scoped(h.kinds.Of(r), r))
}

func (h *Host) scoped(kind object.Kind, r wire.Request) wire.Request {
	if r.Namespace == "" && kind.Namespaced {
		r.Namespace = h.Narrow
	}
	return r
}

// Go runs f in a goroutine, and what it returned on the loop unless the pane has ended.
func (h *Host) Go(f func(ctx context.Context) (then func())) context.CancelFunc {
	ctx, end := context.WithCancel(h.within)
	h.active.Add(1)
	h.running.Go(func() {
		defer h.active.Add(-1)
		h.Post(ctx, f(ctx))
	})
	return end
}

// Post runs f on the loop, unless the context ends first.
func (h *Host) Post(ctx context.Context, f func()) {
	select {
	case h.posts <- func() {
		if ctx.Err() == nil {
			f()
		}
	}:
	case <-ctx.Done():
	}
}

// RequestUpdate has the pane updated soon.
func (h *Host) RequestUpdate() {
	select {
	case h.stirs <- struct{}{}:
	default:
	}
}

// WakeAt has the pane updated at a time.
func (h *Host) WakeAt(at time.Time) {
	if at = at.Round(0); !h.wakes[at] {
		h.wakes[at] = true
		h.Wakes.Add(1)
		time.AfterFunc(time.Until(at), h.RequestUpdate)
	}
}
