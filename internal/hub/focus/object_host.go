package focus

import (
	"context"
	"slices"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/problem"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// paneHost is all that a pane sees of the hub.
type paneHost struct {
	object *Object
	ctx    context.Context
	end    context.CancelFunc
	wakes  []time.Time // when Update is to be called, earliest first

	followed []*followedObject // other objects that the pane follows
}

var _ pane.Host = (*paneHost)(nil)

func newPaneHost(o *Object) *paneHost {
	h := &paneHost{object: o}
	h.ctx, h.end = context.WithCancel(o.ctx)
	return h
}

func (h *paneHost) Kinds() *kinds.Set   { return h.object.cluster.Kinds }
func (h *paneHost) Now() time.Time      { return h.object.cluster.Now() }
func (h *paneHost) Link() informer.Link { return h.object.cluster.Link() }

func (h *paneHost) State(now time.Time) (detail.State, *wire.Status) { return h.object.state(now) }

func (h *paneHost) History(uid string) []detail.Observation { return h.object.seen.of(h.object, uid) }

func (h *paneHost) Used(key string, now time.Time) (cpu, memory []float32) {
	var created int64
	if h.object.shown != nil {
		created = h.object.shown.Created()
	}
	return h.object.cluster.Samples.Of(key, created, now)
}

func (h *paneHost) Problems(resource, namespace, name string) []problem.Row {
	return h.object.cluster.Problems.About(resource, namespace, name)
}

func (h *paneHost) UsedAgain(resource, namespace, name string) int64 {
	return h.object.cluster.Problems.UsedAgain(resource, namespace, name)
}

func (h *paneHost) Lease(kind object.Kind, s source.Selection) *source.Lease {
	c := h.object.cluster
	if s.Namespace == "" && kind.Namespaced {
		s.Namespace = c.Scope()
	}
	extras, _ := source.Added(s.Paths)
	variant := source.Variant(&kind, extras)
	if s.Metadata {
		variant = ""
	}
	return c.Factory.LeaseVariant(source.Selected(kind, s), variant)
}

func (h *paneHost) LeaseHeld(kind object.Kind) *source.Lease {
	c := h.object.cluster
	lease, _ := h.object.page.Borrow(c, kind, func(namespace string, list *source.Lease) bool { return namespace == "" && list.HasSynced() })
	if lease != nil {
		return lease
	}
	return c.Factory.LeaseSynced(source.Request(kind, ""))
}

func (h *paneHost) Restore(list *source.Lease, kind object.Kind, objects []*object.Object, then func(error)) {
	c := h.object.cluster
	h.Go(func(context.Context) func() {
		err := c.RestoreLost(list, kind, objects)
		return func() { then(err) }
	})
}

func (h *paneHost) Get(ctx context.Context, r wire.Request) ([]byte, error) {
	return h.object.cluster.Client.Get(ctx, r)
}

func (h *paneHost) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	c := h.object.cluster
	if r.Namespace == "" && c.Kinds.Of(r).Namespaced {
		r.Namespace = c.Scope()
	}
	return c.Open(ctx, r)
}

func (h *paneHost) Go(f func(ctx context.Context) (then func())) context.CancelFunc {
	ctx, end := context.WithCancel(h.ctx)
	h.object.cluster.Start(func() {
		if then := f(ctx); then != nil {
			h.Post(ctx, func() { then(); end() })
		}
	})
	return end
}

func (h *paneHost) Post(ctx context.Context, f func()) {
	h.object.cluster.Post(ctx, func() {
		if h.ctx.Err() == nil {
			f()
		}
	})
}

func (h *paneHost) RequestUpdate() { h.object.cluster.RequestStep() }

func (h *paneHost) WakeAt(at time.Time) {
	at = nextMillisecond(at) // never too early
	if i, there := slices.BinarySearchFunc(h.wakes, at, time.Time.Compare); !there {
		h.wakes = slices.Insert(h.wakes, i, at)
	}
	h.object.cluster.WakeAt(h.wakes[0])
}

// nextMillisecond rounds a time up. Truncate would drop its monotonic part: after a jump of the clock, the loop would step
// all the time until the pane may go on.
func nextMillisecond(at time.Time) time.Time {
	return at.Add(time.Millisecond - 1 - (time.Duration(at.Nanosecond())+time.Millisecond-1)%time.Millisecond)
}

// awake forgets the wake-ups that are due, since Update is called now, and asks the loop to
// wake for the rest.
func (h *paneHost) awake(now time.Time) {
	h.wakes = slices.DeleteFunc(h.wakes, func(at time.Time) bool { return !at.After(now) })
	if len(h.wakes) > 0 {
		h.object.cluster.WakeAt(h.wakes[0])
	}
}
