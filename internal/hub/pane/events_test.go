package pane

import (
	"fmt"
	"testing"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/informer"
	"watchglass/internal/wire"
)

func happened(name, uid, message string) testObject {
	return testObject{resource: "events", namespace: "a", name: name, about: uid, status: message}
}

// messages returns the messages of the events that a document shows.
func messages(told related.EventList) string {
	var all []string
	for _, e := range told.Events {
		all = append(all, e.Message)
	}
	return sorted(all)
}

// TestEvents checks that a pod requests its events and no other list, since it owns nothing.
// Events are shown as they come and go, even when the pod is deleted.
func TestEvents(t *testing.T) {
	s := three()
	s.change(wire.Added, happened("e1", "u-web1", "pulled"))
	s.change(wire.Added, happened("e2", "u-web2", "of another"))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.views("pods")
		h.opens(NewEvents, "pods", "a", "web1", nil)
		h.shows(web1(1))
		h.Wait(soon)
		h.wantAsked("watch events/a")
		want := func(want string) {
			t.Helper()
			if told := last[related.EventList](h); messages(told) != want || told.Coming || told.Denied != nil || len(told.Searched.Failed) > 0 {
				t.Errorf("want %s: %+v", want, told)
			}
		}
		want("pulled")
		s.change(wire.Added, happened("e3", "u-web1", "started"))
		s.change(wire.Modified, happened("e2", "u-web2", "of another still"))
		h.Wait(soon)
		want("pulled, started")
		s.change(wire.Deleted, pod("a", "web1", ""))
		h.deletes()
		s.change(wire.Modified, happened("e1", "u-web1", "pulled again"))
		s.change(wire.Deleted, happened("e3", "u-web1", ""))
		s.change(wire.Added, happened("e4", "u-web1", "killing"))
		h.Wait(soon)
		want("killing, pulled again")
		s.change(wire.Modified, happened("e2", "u-web2", "of another"))
		h.Wait(soon)
		h.wantShown(0)
	})
}

// TestEventsOwned checks that the events of owned objects are shown too, including those of
// custom kinds, and that a kind that may not be searched is named.
func TestEventsOwned(t *testing.T) {
	onWidget(t, []string{"widgets", "gears"}, func(t *testing.T, h *host) {
		h.server.change(wire.Added, owned("gears", "g", "widgets.example.com w"))
		h.server.change(wire.Added, happened("e1", "u-g", "turning"))
		h.server.change(wire.Added, happened("e2", "u-stray", "of another"))
		h.opens(NewEvents, "widgets.example.com", "a", "w", nil)
		h.Wait(soon)
		h.wantAsked("watch events/a, watch gears/a metadata, watch gears/a where metadata.name=g whole, watch widgets/a metadata, watch widgets/a where metadata.name=w whole")
		if told := last[related.EventList](h); messages(told) != "turning" || told.Coming {
			t.Errorf("%+v", told)
		}
		h.Close()
		h.Wait(2 * linger)
		h.server.deny = denies("gears", forbidden)
		h.opens(NewEvents, "widgets.example.com", "a", "w", nil)
		h.Wait(5 * soon)
		if told := last[related.EventList](h); len(told.Searched.Failed) != 1 || told.Searched.Failed[0] != (related.SearchFailure{Resource: "gears.example.com", Error: forbidden.Message}) || told.Coming {
			t.Errorf("%+v", told)
		}
	})
}

// TestEventsUnsearched checks that the document names every kind that was not searched for owned objects, and every one
// that could not be, and that it says so while kinds are still being searched.
func TestEventsUnsearched(t *testing.T) {
	served := append(others(), "gears", "teeth")
	onWidget(t, served, func(t *testing.T, h *host) {
		h.server.deny = func(r wire.Request) *wire.Status {
			if r.Resource == "gears" || r.Resource == "teeth" {
				return forbidden
			}
			return nil
		}
		h.opens(NewEvents, "widgets.example.com", "a", "w", nil)
		h.Wait(5 * soon)
		told := last[related.EventList](h).Searched
		if len(told.Unasked) != len(others())-1 || len(told.Failed) != 2 || told.Failed[0].Resource != "gears.example.com" || told.Failed[1].Resource != "teeth.example.com" {
			t.Errorf("%+v", told)
		}
	})
	onWidget(t, []string{"widgets", "gears"}, func(t *testing.T, h *host) {
		h.server.endless = "gears"
		h.opens(NewEvents, "widgets.example.com", "a", "w", nil)
		h.Wait(soon)
		if told := last[related.EventList](h); !told.Coming || told.Searched.Coming != 1 {
			t.Errorf("%+v", told)
		}
	})
}

// TestEventsDenied checks that denied events are reported as denied, and not as still coming
// in.
func TestEventsDenied(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.server.deny = denies("events", forbidden)
		h.opens(NewEvents, "pods", "a", "web1", nil)
		h.Wait(5 * soon)
		if told := last[related.EventList](h); told.Denied == nil || told.Denied.Message != forbidden.Message || told.Coming {
			t.Errorf("%+v", told)
		}
	})
}

// TestEventsRefused checks that events that are refused, and then lost with the connection, are coming in until they are
// there again, also if there are none and they may not be watched.
func TestEventsRefused(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.opens(NewEvents, "pods", "a", "web1", nil)
		h.Wait(soon)
		unwatched := func(r wire.Request) *wire.Status {
			if r.Resource == "events" && r.Verb == wire.Watch {
				return forbidden
			}
			return nil
		}
		for _, c := range []struct {
			deny           func(wire.Request) *wire.Status
			denied, coming bool
		}{{denies("events", forbidden), true, false}, {denies("events", informer.Unreachable(nil)), false, true}, {unwatched, false, false}} {
			h.server.refuse(c.deny)
			h.Wait(2 * time.Minute)
			if told := last[related.EventList](h); told.Denied != nil != c.denied || told.Coming != c.coming {
				t.Errorf("%+v, want denied %v, coming %v", told, c.denied, c.coming)
			}
		}
	})
}

// TestEventsOfNode checks that a node, which has no namespace, gets the events of the
// namespace default, including those that the kubelet writes under its name.
func TestEventsOfNode(t *testing.T) {
	s := newServer()
	e := happened("e1", "n1", "rebooted")
	e.namespace = "default"
	s.change(wire.Added, e)
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewEvents, "nodes", "", "n1", nil)
		h.Wait(soon)
		if got := h.server.asks(); got != "watch events/default" && got != "watch events/default, watch nodes where metadata.name=n1" {
			t.Errorf("asked %s", got)
		}
		if told := last[related.EventList](h); messages(told) != "rebooted" {
			t.Errorf("%+v", told)
		}
	})
}

// TestEventsMost checks that only the newest events are shown, and that the others are counted.
func TestEventsMost(t *testing.T) {
	s := three()
	for i := range readMost + 7 {
		s.change(wire.Added, happened(fmt.Sprint("e", i), "u-web1", "again"))
	}
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewEvents, "pods", "a", "web1", nil)
		h.shows(web1(1))
		h.Wait(soon)
		if told := last[related.EventList](h); len(told.Events) != eventsMost || told.More != readMost-eventsMost+7 {
			t.Errorf("%d events and %d more", len(told.Events), told.More)
		}
	})
}

// TestEventsPace checks that events that arrive all the time are shown at intervals.
func TestEventsPace(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.opens(NewEvents, "pods", "a", "web1", nil)
		h.shows(web1(1))
		h.Wait(soon)
		h.shown()
		wakes := h.Wakes.Load()
		for i := range 50 {
			h.server.change(wire.Added, happened(fmt.Sprint("e", i), "u-web1", "again"))
			h.Wait(lookEvery / 10)
		}
		h.Wait(time.Second)
		all := read[related.EventList](h)
		if n := len(all); n < 5 || n > 7 || len(all[n-1].Events) != 50 {
			t.Errorf("%d documents in 5 × %v", n, lookEvery)
		}
		if n := int(h.Wakes.Load() - wakes); n > len(all)+2 {
			t.Errorf("it asked %d times to be woken for %d documents", n, len(all))
		}
	})
}

// TestEventsComing checks that the document says when a list of owned objects is still coming
// in.
func TestEventsComing(t *testing.T) {
	s := newServer()
	s.endless = "replicasets"
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewEvents, "deployments.apps", "a", "d", nil)
		h.Wait(soon)
		if told := last[related.EventList](h); !told.Coming {
			t.Errorf("%+v", told)
		}
		h.Wait(time.Minute)
		if told := last[related.EventList](h); told.Coming {
			t.Errorf("%+v", told)
		}
	})
}
