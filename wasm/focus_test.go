package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// heads are those that the page was told since it was last asked: state, version.
func (b *bench) heads() string {
	var out []string
	for _, h := range told[detail.Head](b, port.HeadPart) {
		out = append(out, strings.TrimSpace(fmt.Sprint(h.State, " ", h.Version)))
	}
	return strings.Join(out, ", ")
}

func (b *bench) wantHeads(want string) {
	b.t.Helper()
	if got := b.heads(); got != want {
		b.t.Errorf("the page was told %q, want %q", got, want)
	}
}

// TestFocusHeld shows that an object of the list on screen is shown from it, whatever
// happens to it, and that the server is asked for nothing.
func TestFocusHeld(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.wantAsked("watch pods")
		b.opens("web1", "")
		b.wantHeads("live 1")
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(soon)
		b.wantHeads("")
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		b.wantHeads("live 5")
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.wait(soon)
		b.wantHeads("deleted 5")
		b.proxy.change(wire.Added, pod("a", "web1", "Pending"))
		b.wait(soon)
		b.wantHeads("live 7")
		b.proxy.leave(true)
		b.wait(soon)
		if got := b.heads(); !strings.HasPrefix(got, "stale 7") { // and again as it is known why
			t.Error(got)
		}
		b.proxy.leave(false)
		b.wait(4 * soon)
		if got := b.heads(); !strings.HasSuffix(got, "live 7") {
			t.Error(got)
		}
		if asked := b.proxy.said(); strings.Contains(asked, "where") {
			t.Error(asked)
		}
	})
}

// TestFocusByName shows an object that no list has: it is watched by its name, for as
// long as it is open, and told of when it comes.
func TestFocusByName(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.wantAsked("watch pods")
		b.opens("new", "")
		if got := b.heads(); !strings.HasSuffix(got, "missing") { // it may come in before anybody looks
			t.Error(got)
		}
		b.wantAsked("watch pods/a where metadata.name=new")
		b.proxy.change(wire.Added, pod("a", "new", "Pending"))
		b.wait(soon)
		b.wantHeads("live 4")
		if held := b.page.held; len(held) > 0 && held[0].Objects != 4 {
			t.Errorf("%+v", held)
		}
		b.focus(port.Focus{Seq: 2})
		b.wait(linger)
		b.wantAsked("close watch pods/a where metadata.name=new")
		b.wantHeads("")
	})
}

// TestFocusWhole shows that an object of a Table, which has no more than its metadata,
// is asked for with all of it.
func TestFocusWhole(t *testing.T) {
	p := three()
	p.served = []string{"widgets"}
	p.change(wire.Added, thing{resource: "widgets", namespace: "a", name: "w1", status: "5"})
	onDesk(t, p, func(t *testing.T, b *bench) {
		b.looks("widgets", view.Query{Seq: 1})
		b.proxy.said()
		b.focus(port.Focus{Seq: 1, Resource: "widgets", Namespace: "a", Name: "w1"})
		b.wantAsked("watch widgets/a where metadata.name=w1 whole")
		heads := told[detail.Head](b, port.HeadPart)
		if h := heads[len(heads)-1]; h.State != detail.Live || h.Replicas == nil || *h.Replicas != 3 {
			t.Errorf("%+v", h)
		}
	})
}

// TestFocusDenied shows an object that may be got and not watched, and one that may
// neither.
func TestFocusDenied(t *testing.T) {
	p := three()
	var revoked atomic.Bool
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource != "pods" || r.Verb == wire.Get && r.Name == "web1" && !revoked.Load() {
			return nil
		}
		return forbidden
	}
	onPods(t, p, func(t *testing.T, b *bench) {
		b.opens("web1", "")
		b.wait(soon)
		if got := b.heads(); !strings.HasSuffix(got, "polled 1") {
			t.Error(got)
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(pollEvery + soon)
		b.wantHeads("polled 4")
		revoked.Store(true)
		b.wait(pollEvery + soon)
		b.wantHeads("denied 4")
		revoked.Store(false)
		b.wait(pollEvery + soon)
		b.wantHeads("polled 4")
		b.opens("web2", "")
		b.wait(pollEvery)
		if got := b.heads(); !strings.HasSuffix(got, "denied") {
			t.Error(got)
		}
	})
}

// TestFocusOtherColumns shows that an object is followed when the list that it comes
// from gives way to one with other columns.
func TestFocusOtherColumns(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.opens("web1", "")
		b.looks("pods", view.Query{Seq: 2, Columns: []string{"*", "{.metadata.name}"}})
		b.wait(linger + soon)
		b.wantHeads("live 1")
		if s := b.inspected(); len(s) != 1 {
			t.Errorf("%d sources are held", len(s))
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		b.wantHeads("live 4")
	})
}

// TestFocusGoneMeanwhile shows that an object is known to be gone which goes while
// its list gives way to one of another kind of source.
func TestFocusGoneMeanwhile(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.opens("web1", "")
		b.wantHeads("live 1")
		b.proxy.leave(true)
		b.wait(soon)
		b.page.in <- port.Look{Resource: "pods", Query: view.Query{Seq: 2, Limit: 10, Columns: []string{"*", "{.metadata.name}"}}}
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.proxy.leave(false)
		b.wait(10 * soon)
		if got := b.heads(); !strings.HasSuffix(got, "deleted 1") {
			t.Error(got)
		}
	})
}

// noted is a pane that writes down what it is told.
type noted struct{ said *[]string }

func (n noted) note(format string, args ...any) {
	*n.said = append(*n.said, fmt.Sprintf(format, args...))
}
func (n noted) object(o *object.Object, body func() (detail.Value, error)) {
	if o == nil {
		n.note("gone")
		return
	}
	v, err := body()
	n.note("%s %s %v", o.Version(), v.At("status", "phase").Text(), err)
}
func (n noted) option(raw json.RawMessage) { n.note("option %s", raw) }
func (n noted) close()                     { n.note("close") }
func (n noted) turn(time.Time) []byte      { return nil }

// TestPane shows what a tab is told, and that it ends with the object or with another
// tab.
func TestPane(t *testing.T) {
	var said []string
	take := func() string {
		out := strings.Join(said, ", ")
		said = nil
		return out
	}
	onDesk(t, three(), func(t *testing.T, b *bench) {
		b.paneOf = func(tab string) func(context.Context, *desk, *focus) pane {
			return func(_ context.Context, _ *desk, f *focus) pane {
				said = append(said, "open "+tab+" "+f.asked.Name)
				return noted{&said}
			}
		}
		b.looks("pods", view.Query{Seq: 1})
		for _, c := range []struct {
			f    port.Focus
			want string
		}{
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web1", Tab: "yaml"}, "open yaml web1, option , 1 Running <nil>"},
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web1", Tab: "yaml", Options: json.RawMessage(`{"a":1}`)}, `option {"a":1}`},
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web1", Tab: "yaml", Options: json.RawMessage(`{"a":1}`)}, ""},
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web1", Tab: "logs"}, "close, open logs web1, option , 1 Running <nil>"},
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web2", Tab: "logs"}, "close, open logs web2, option , 2 Pending <nil>"},
		} {
			if b.focus(c.f); strings.Join(said, ", ") != c.want {
				t.Errorf("%+v: %q, want %q", c.f, said, c.want)
			}
			take()
		}
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(soon)
		b.proxy.change(wire.Deleted, pod("a", "web2", ""))
		b.wait(soon)
		if got := take(); got != "4 Running <nil>, gone" {
			t.Error(got)
		}
		b.focus(port.Focus{})
		if got := take(); got != "close" {
			t.Error(got)
		}
	})
}
