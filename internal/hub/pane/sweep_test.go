package pane

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/wire"
)

// TestSweep checks that kinds without any sign of ownership are named, and are listed once on
// request. A kind in which something is found is watched from then on.
func TestSweep(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("k7", "x", "widgets.example.com w"))
		h.relates("w", 0)
		if s := h.wantNames("").Searched; len(s.Unasked) != searchRest+5 || s.Swept != 0 || s.Sweeping {
			t.Errorf("%+v", s)
		}
		h.options(related.Options{Sweep: 1})
		h.Wait(soon)
		if s := h.wantNames("k7.d7.io x").Searched; len(s.Unasked) != 0 || s.Swept != searchRest+4 || s.Sweeping || s.SweptAt == 0 {
			t.Errorf("%+v", s)
		}
		h.server.asks()
		h.options(related.Options{Sweep: 1})
		h.Wait(soon)
		h.wantAsked("")
		h.server.change(wire.Deleted, owned("k7", "x", "widgets.example.com w"))
		h.Wait(soon)
		h.wantNames("")
		h.server.change(wire.Added, owned("k7", "y", "widgets.example.com other"))
		h.relates("other", 0)
		h.wantNames("k7.d7.io y")
	})
}

// TestSweepAtOnce checks how many kinds are listed at once.
func TestSweepAtOnce(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, h *host) {
		h.server.faulty = make(map[string]fault)
		for _, name := range others()[1:] {
			name, _, _ = strings.Cut(name, ".")
			h.server.faulty[name] = silent
		}
		h.relates("w", 1)
		if n := strings.Count(h.server.asks(), "list "); n != sweepAtOnce {
			t.Errorf("%d kinds are listed at once", n)
		}
		if !last[related.Picture](h).Searched.Sweeping {
			t.Error("it is not said that a sweep is under way")
		}
	})
}

// TestSweepAgain checks that a sweep that is requested during another one follows it.
func TestSweepAgain(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, h *host) {
		busy := true
		h.server.deny = func(r wire.Request) *wire.Status {
			if r.Resource == "k5" && busy {
				busy = false
				return &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, Message: "later", RetryAfter: 60}
			}
			return nil
		}
		h.relates("w", 1)
		h.server.asks()
		h.server.change(wire.Added, owned("k7", "x", "widgets.example.com w"))
		h.options(related.Options{Sweep: 2})
		h.Wait(soon)
		h.wantAsked("")
		h.Wait(2 * time.Minute)
		if s := h.wantNames("k7.d7.io x").Searched; s.Sweeping || s.Swept != searchRest+4 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSweepFails checks that a kind that a sweep could not list is named, and that a list is
// retried if the server is too busy.
func TestSweepFails(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, h *host) {
		busy := 2
		h.server.deny = func(r wire.Request) *wire.Status {
			switch {
			case r.Resource == "k3":
				return forbidden
			case r.Resource == "k5" && busy > 0:
				busy--
				return &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, Message: "later", RetryAfter: 1}
			}
			return nil
		}
		h.relates("w", 1)
		h.Wait(5 * soon)
		if s := last[related.Picture](h).Searched; len(s.Failed) != 1 || s.Failed[0].Resource != "k3.d3.io" || s.Failed[0].Error != forbidden.Message || s.Swept != searchRest+4 || len(s.Unasked) > 0 || busy > 0 {
			t.Errorf("%+v, busy %d", s, busy)
		}
	})
}

// TestSweepFaulty checks that a sweep ends, and names the kind, if a list goes silent, ends
// early, or contains an error.
func TestSweepFaulty(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, h *host) {
		h.server.faulty = map[string]fault{"k3": silent, "k4": cutShort, "k5": erring}
		h.relates("w", 1)
		h.Wait(30 * time.Second) // as long as a list may be silent
		s := last[related.Picture](h).Searched
		if s.Sweeping || len(s.Failed) != 3 || s.Swept != searchRest+2 {
			t.Fatalf("%+v", s)
		}
		for i, want := range []string{"nothing received from the apiserver", "the list was interrupted", "too old"} {
			if got := s.Failed[i].Error; !strings.HasSuffix(got, want) {
				t.Errorf("%s: %q, want %q", s.Failed[i].Resource, got, want)
			}
		}
	})
}

// TestSweepPages checks that a list is read page by page to its end, and is given up if it is
// too long.
func TestSweepPages(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, h *host) {
		fill := func(resource string, n int) {
			for i := range n {
				h.server.things = append(h.server.things, testObject{resource: resource, namespace: "a", name: fmt.Sprint(resource, i), version: i})
			}
		}
		fill("k3", 2*sweepPage)
		h.server.change(wire.Added, owned("k3", "x", "widgets.example.com w"))
		fill("k5", sweepMost+1)
		h.relates("w", 1)
		asked := h.server.asks()
		if n := strings.Count(asked, "list k3/a metadata"); n != 3 {
			t.Errorf("k3 was listed in %d pages", n)
		}
		if n := strings.Count(asked, "list k5/a metadata"); n != sweepMost/sweepPage {
			t.Errorf("k5 was listed in %d pages", n)
		}
		if s := h.wantNames("k3.d3.io x").Searched; len(s.Failed) != 1 || s.Failed[0] != (related.SearchFailure{Resource: "k5.d5.io", Error: tooMany()}) {
			t.Errorf("%+v", s.Failed)
		}
	})
}

// TestSweepScope checks where objects are listed: in the namespace of the object or, if it has
// none, wherever the proxy allows it.
func TestSweepScope(t *testing.T) {
	for namespace, want := range map[string]string{"a": "list k3/a metadata", "": "list k3/b metadata"} {
		onWidget(t, others(), func(t *testing.T, h *host) {
			h.Narrow = "b"
			h.opens(NewRelated, "widgets.example.com", namespace, "w", related.Options{Sweep: 1})
			h.Wait(soon)
			if got := h.server.asks(); !strings.Contains(got, want) {
				t.Errorf("asked %s, want %s", got, want)
			}
		})
	}
}
