package pane

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/wire"
)

// onWidget runs a test on a cluster with two widgets in it, among custom kinds.
func onWidget(t *testing.T, served []string, test func(t *testing.T, h *host)) {
	t.Helper()
	s := three()
	s.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w"})
	s.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "other"})
	onHost(t, s, served, func(t *testing.T, h *host) {
		h.views("pods")
		test(t, h)
	})
}

// relates opens the related objects of a widget.
func (h *host) relates(name string, sweeps int) {
	h.t.Helper()
	h.opens(NewRelated, "widgets.example.com", "a", name, related.Options{Sweep: sweeps})
	h.Wait(soon)
}

// TestSearch checks that owned objects are found in custom kinds, level by level, as they come
// and go. Where there is nothing, only metadata is requested. All of it is released.
func TestSearch(t *testing.T) {
	onWidget(t, []string{"widgets", "gears", "teeth.parts.example.com"}, func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("gears", "g", "widgets.example.com w"))
		h.server.change(wire.Added, owned("gears", "stray", "widgets.example.com other"))
		h.relates("w", 0)
		h.wantAsked("watch gears/a metadata, watch gears/a where metadata.name=g whole, watch teeth/a metadata, watch widgets/a metadata, watch widgets/a where metadata.name=w whole")
		if p := h.wantNames("gears.example.com g"); p.Coming || p.Searched.Coming > 0 || len(p.Searched.Unasked)+len(p.Searched.Failed) > 0 || len(p.Edges) != 1 || p.Edges[0].Verb != related.Owns {
			t.Errorf("%+v", p)
		}
		if !h.Kinds().Owns("widgets.example.com", "gears.example.com") {
			t.Error("it is not remembered that widgets own gears")
		}
		h.server.change(wire.Added, owned("teeth", "t", "gears.example.com g"))
		h.Wait(soon)
		h.wantNames("gears.example.com g, teeth.parts.example.com t")
		h.server.change(wire.Deleted, owned("teeth", "t", "gears.example.com g"))
		h.server.change(wire.Deleted, owned("gears", "g", "widgets.example.com w"))
		h.Wait(soon)
		h.wantNames("")
		h.Close()
		h.server.asks()
		h.Wait(2 * linger)
		if got := h.server.watched(); got != "pods v1" {
			t.Errorf("lists of %s are open", got)
		}
	})
}

// TestSearchOwners checks that owners of any kind are shown with their state.
func TestSearchOwners(t *testing.T) {
	onWidget(t, []string{"widgets", "gears"}, func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("gears", "g", ""))
		h.server.change(wire.Modified, owned("widgets", "w", "gears.example.com g"))
		h.relates("w", 0)
		h.wantNames("gears.example.com g")
		h.server.change(wire.Deleted, owned("gears", "g", ""))
		h.Wait(soon)
		if n := last[related.Picture](h).Nodes[1]; n.Name != "g" || n.Presence != related.Missing {
			t.Errorf("%+v", n)
		}
	})
}

// TestSearchDenied checks that a kind that may not be listed is named with the reason.
func TestSearchDenied(t *testing.T) {
	onWidget(t, []string{"widgets", "gears"}, func(t *testing.T, h *host) {
		h.server.deny = denies("gears", forbidden)
		h.relates("w", 0)
		h.Wait(5 * soon)
		p := last[related.Picture](h)
		if f := p.Searched.Failed; len(f) != 1 || f[0].Resource != "gears.example.com" || f[0].Error != forbidden.Message || len(p.Nodes) != 1 {
			t.Errorf("%+v", p)
		}
	})
}

// TestSearchFails checks that kinds whose lists fail are named with the reason, do not delay
// the search of other kinds, and are searched when they recover.
func TestSearchFails(t *testing.T) {
	const fail = 4 * searchAtOnce // these come before the others
	served := []string{"widgets"}
	for i := range fail + 4 {
		served = append(served, fmt.Sprintf("gear%02d", i))
	}
	onWidget(t, served, func(t *testing.T, h *host) {
		var down atomic.Bool
		down.Store(true)
		h.server.deny = func(r wire.Request) *wire.Status {
			if down.Load() && strings.HasPrefix(r.Resource, "gear") && r.Resource < fmt.Sprintf("gear%02d", fail) {
				return broken
			}
			return nil
		}
		late, now := "gear01", fmt.Sprintf("gear%02d", fail+2)
		h.server.change(wire.Added, owned(late, "late", "widgets.example.com w"))
		h.server.change(wire.Added, owned(now, "now", "widgets.example.com w"))
		h.relates("w", 0)
		h.Wait(time.Minute)
		if s := h.wantNames(now + ".example.com now").Searched; s.Coming > 0 || len(s.Failed) != fail || s.Failed[0].Resource != "gear00.example.com" || s.Failed[0].Error != broken.Message {
			t.Errorf("%+v", s)
		}
		down.Store(false)
		h.Wait(2 * time.Minute)
		if s := h.wantNames(late + ".example.com late, " + now + ".example.com now").Searched; s.Coming > 0 || len(s.Failed) > 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSearchTooMany checks that a list with too many objects is closed at once and named, while
// the others stay.
func TestSearchTooMany(t *testing.T) {
	onWidget(t, []string{"widgets", "gears", "teeth"}, func(t *testing.T, h *host) {
		for i := range sweepMost + 1 {
			h.server.things = append(h.server.things, testObject{resource: "gears", namespace: "a", name: fmt.Sprint("g", i), version: i})
		}
		h.server.change(wire.Added, owned("teeth", "t", "widgets.example.com w"))
		h.relates("w", 0)
		if got := h.server.asks(); !strings.Contains(got, "close watch gears/a metadata") || strings.Count(got, "gears") != 2 || strings.Contains(got, "close watch teeth") {
			t.Errorf("asked %s", got)
		}
		h.Wait(2 * linger)
		h.wantAsked("")
		if f := h.wantNames("teeth.example.com t").Searched.Failed; len(f) != 1 || f[0].Resource != "gears.example.com" || f[0].Error != tooMany() {
			t.Errorf("%+v", f)
		}
	})
}

// TestSearchTotal checks that the longest list is closed if all lists together are too long.
func TestSearchTotal(t *testing.T) {
	const most = sweepMost - 1 // in g3: without nearly all of it the total is not reached
	const each = (searchTotal - most + sweepMost/25) / 4
	onWidget(t, []string{"widgets", "g1", "g2", "g3", "g4", "g5"}, func(t *testing.T, h *host) {
		for kind, n := range map[string]int{"g1": each, "g2": each, "g3": most, "g4": each, "g5": each} {
			for i := range n {
				h.server.things = append(h.server.things, testObject{resource: kind, namespace: "a", name: fmt.Sprint(kind, i), version: i})
			}
		}
		h.relates("w", 0)
		if f := last[related.Picture](h).Searched.Failed; len(f) != 1 || f[0].Resource != "g3.example.com" {
			t.Errorf("%+v", f)
		}
	})
}

// TestSearchServed checks that a search follows the kinds that the server has: a kind served
// in another version is searched in that one, and the list of a removed kind is released.
func TestSearchServed(t *testing.T) {
	onWidget(t, []string{"widgets", "gears", "teeth.parts.example.com"}, func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("teeth", "t", "widgets.example.com w"))
		h.relates("w", 0)
		h.Do(func() { h.serve("v2", "widgets", "teeth.parts.example.com"); h.RequestUpdate() })
		h.Wait(2 * linger)
		if p := h.wantNames("teeth.parts.example.com t"); p.Coming || p.Searched.Coming+len(p.Searched.Failed)+len(p.Searched.Unasked) > 0 {
			t.Errorf("%+v", p)
		}
		open := strings.Split(h.server.watched(), ", ")
		open = slices.DeleteFunc(slices.Compact(open), func(s string) bool { return s == "pods v1" })
		if got := strings.Join(open, ", "); got != "teeth v2, widgets v2" {
			t.Errorf("lists of %s are open", got)
		}
	})
}

// TestSearchLearns checks that references are resolved again when the kinds become known: all
// objects are indexed again, each once.
func TestSearchLearns(t *testing.T) {
	onWidget(t, []string{"widgets"}, func(t *testing.T, h *host) {
		h.server.change(wire.Modified, owned("widgets", "w", "gears.example.com g"))
		h.server.change(wire.Added, owned("gears", "g", ""))
		h.relates("w", 0)
		if n := last[related.Picture](h).Nodes[1]; n.Presence != related.Unknown || n.Error == "" {
			t.Errorf("%+v", n)
		}
		h.Do(func() { h.serve("v1", "widgets", "gears"); h.RequestUpdate() })
		h.Wait(soon)
		if n := h.wantNames("gears.example.com g").Nodes[1]; n.Presence != related.Present {
			t.Errorf("%+v", n)
		}
		h.server.change(wire.Deleted, testObject{resource: "widgets", namespace: "a", name: "w"})
		h.Wait(soon)
		if p := last[related.Picture](h); p.Nodes[0].Presence != related.Missing || len(p.Nodes) != 1 {
			t.Errorf("%+v", p)
		}
	})
}

// TestSearchKinship checks that a kind that is seen to be owned becomes likely in an open
// search.
func TestSearchKinship(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("k7", "x", "widgets.example.com w"))
		h.relates("w", 0)
		h.wantNames("")
		h.Kinds().SetOwner("widgets.example.com", "k7.d7.io")
		h.server.change(wire.Modified, testObject{resource: "widgets", namespace: "a", name: "w"})
		h.Wait(soon)
		h.wantNames("k7.d7.io x")
	})
}

// TestSearchFew checks that kinds without any sign of ownership are searched too if they are
// few.
func TestSearchFew(t *testing.T) {
	onWidget(t, others()[:5], func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("k2", "x", "widgets.example.com w"))
		h.relates("w", 0)
		if s := h.wantNames("k2.d2.io x").Searched; len(s.Unasked)+s.Swept+s.Coming > 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSearchHeld checks that a search uses the list of a kind that a view holds, and opens no
// other for it.
func TestSearchHeld(t *testing.T) {
	onWidget(t, []string{"widgets"}, func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("pods", "p", "widgets.example.com w"))
		h.relates("w", 0)
		h.wantNames("pods p")
		if got := h.server.asks(); strings.Contains(got, "pods/a metadata") {
			t.Errorf("asked %s", got)
		}
	})
}

// TestSearchGivenUp checks that the objects of a list leave the index when the list is given
// up: an object that is deleted later does not stay.
func TestSearchGivenUp(t *testing.T) {
	onWidget(t, []string{"widgets", "gears"}, func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("gears", "g", "widgets.example.com w"))
		h.relates("w", 0)
		h.wantNames("gears.example.com g")
		for i := range sweepMost {
			h.server.change(wire.Added, owned("gears", fmt.Sprint("g", i), ""))
		}
		h.Wait(soon)
		h.server.change(wire.Deleted, owned("gears", "g", ""))
		h.Wait(soon)
		h.wantNames("")
	})
}

// TestSearchNewKind checks that a kind that is installed while a search is open is searched
// too.
func TestSearchNewKind(t *testing.T) {
	onWidget(t, []string{"widgets"}, func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("gears", "g", "widgets.example.com w"))
		h.relates("w", 0)
		h.wantNames("")
		h.Do(func() { h.serve("v1", "widgets", "gears"); h.RequestUpdate() })
		h.Wait(soon)
		h.wantNames("gears.example.com g")
	})
}
