package hub

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// probe is a pane that only counts its updates.
type probe struct {
	host    pane.Host
	updates atomic.Int32
	update  func() // what the next update does; for the loop
	close   func() // what closing it does; nil: nothing
}

func (p *probe) Object(pane.Version)     {}
func (p *probe) Options(json.RawMessage) {}
func (p *probe) Close() {
	if p.close != nil {
		p.close()
	}
}
func (p *probe) Update(time.Time) []byte {
	p.updates.Add(1)
	if f := p.update; f != nil {
		p.update = nil
		f()
	}
	return nil
}

// probes opens a tab of a pod in namespace a whose pane is a probe.
func (b *fixture) probes(name string) *probe {
	p := new(probe)
	b.postAndWait(func() {
		b.hub.pages[0].paneOf = func(string) pane.Open {
			return func(h pane.Host, _ pane.Subject) pane.Pane {
				p.host = h
				return p
			}
		}
	})
	b.openTab(name, "probe")
	if p.host == nil {
		b.t.Fatal("no pane was opened")
	}
	return p
}

// quiet waits until the loop has just ticked: for most of a second, a pane is updated only on
// request.
func (b *fixture) quiet(p *probe) {
	b.t.Helper()
	for ticked := p.updates.Load(); p.updates.Load() == ticked; {
		b.wait(time.Millisecond)
	}
	before := p.updates.Load()
	if b.wait(loop.Tick / 4); p.updates.Load() != before {
		b.t.Fatalf("%d updates though nothing happened", p.updates.Load()-before)
	}
}

// TestHostStir checks that a pane is updated at once when a goroutine stirs it, and not at the
// next tick.
func TestHostStir(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		p := b.probes("web1")
		b.quiet(p)
		before := p.updates.Load()
		p.host.RequestUpdate()
		if b.wait(time.Millisecond); p.updates.Load() != before+1 {
			t.Errorf("%d updates", p.updates.Load()-before)
		}
	})
}

// TestHostWake checks that a pane is updated at the times that it requested in an update, each
// time and never early, even if it requested the later time first.
func TestHostWake(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		p := b.probes("web1")
		b.quiet(p)
		b.hub.loop.Post(t.Context(), func() {
			p.update = func() { // nothing else wakes the loop
				now := time.Now()
				p.host.WakeAt(now.Add(200 * time.Millisecond))
				p.host.WakeAt(now.Add(100 * time.Millisecond))
			}
		})
		b.wait(time.Millisecond) // the post has updated it
		for before, n := p.updates.Load(), int32(1); n <= 2; n++ {
			if b.wait(98 * time.Millisecond); p.updates.Load() != before+n-1 {
				t.Errorf("%d updates before wake %d", p.updates.Load()-before, n)
			}
			if b.wait(2 * time.Millisecond); p.updates.Load() != before+n {
				t.Errorf("%d updates after wake %d", p.updates.Load()-before, n)
			}
		}
	})
}

// TestHostClosing checks that a pane that is closed may ask for the lists of the page, also if one was closed with it: a
// page that uses an ID twice must not end the hub.
func TestHostClosing(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		p, closed := b.probes("web1"), false
		nodes, _ := object.Builtin("nodes")
		p.close = func() { closed = p.host.LeaseHeld(nodes) == nil }
		var id uint32
		b.postAndWait(func() { id = b.object().ID() })
		b.page.in <- port.ListQuery{ID: id, Resource: "pods"}
		b.wait(soon)
		b.page.in <- port.Close{ID: id}
		if b.wait(soon); !closed {
			t.Error("it was not closed, or found a list of nodes")
		}
	})
}

// TestHostState checks that a pane gets the state of its object.
func TestHostState(t *testing.T) {
	var denied atomic.Bool
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return denied.Load() && r.Resource == "pods" })
	onPods(t, p, func(t *testing.T, b *fixture) {
		h := b.probes("web1").host
		want := func(want detail.State, code int) {
			t.Helper()
			b.postAndWait(func() {
				state, said := h.State(time.Now())
				if state != want || (said == nil) != (code == 0) || said != nil && said.Code != code {
					t.Errorf("%s: %v; want %s: %d", state, said, want, code)
				}
			})
		}
		want(detail.Live, 0)
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.wait(soon)
		want(detail.Deleted, 0)
		denied.Store(true)
		b.page.in <- port.Close{ID: listID}
		h = b.probes("web9").host
		want(detail.Denied, forbidden.Code)
	})
}

// TestHostEnds checks that what a pane has started changes nothing once the pane is closed: its
// context has ended, and nothing of it runs on the loop any more.
func TestHostEnds(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		h := b.probes("web1").host
		var posted, after, late bool
		closed := make(chan struct{})
		b.postAndWait(func() {
			h.Go(func(ctx context.Context) func() {
				h.Post(ctx, func() { posted = true })
				<-ctx.Done()
				h.Post(context.Background(), func() { late = true })
				close(closed)
				return func() { after = true }
			})
		})
		if !posted {
			t.Error("what was posted did not run")
		}
		b.openTab("web1", "") // another tab
		select {
		case <-closed:
		default:
			t.Fatal("the context of the pane goes on")
		}
		if b.wait(soon); after || late {
			t.Errorf("of a closed pane, what followed ran: %v, and what was posted: %v", after, late)
		}
	})
}

// TestHostLeaseHeld checks that a pane borrows the list on screen, and not another one of the
// same objects that lingers.
func TestHostLeaseHeld(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		h := b.probes("web1").host
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "{.metadata.name}"}})
		b.postAndWait(func() {
			kind, _ := object.Builtin("pods")
			for range 20 { // of two, either might be found
				lease := h.LeaseHeld(kind)
				if lease == nil || !b.list().Shows(lease) {
					t.Fatal("another list was leased than the one on screen")
				}
				lease.Release()
			}
			if nodes, _ := object.Builtin("nodes"); h.LeaseHeld(nodes) != nil {
				t.Error("a list was leased that nobody holds")
			}
		})
	})
}

// TestHostNarrow checks that a proxy that serves one namespace is asked for that one if a pane
// names none.
func TestHostNarrow(t *testing.T) {
	p := three()
	p.welcome = wire.Welcome{Narrow: true, Namespace: "a"}
	onPods(t, p, func(t *testing.T, b *fixture) {
		h := b.probes("web1").host
		b.proxy.takeRequests()
		b.postAndWait(func() {
			kind, _ := object.Builtin("services")
			lease := h.Lease(kind, source.Selection{})
			defer lease.Release()
			h.Go(func(ctx context.Context) func() {
				if stream, err := h.Open(ctx, wire.InitialWatch("", "v1", "pods", "")); err == nil {
					stream.Close()
				}
				return nil
			})
		})
		if got, want := b.asks(), "close watch pods/a, watch pods/a, watch services/a"; got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
	})
}
