package pane

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/wire"
)

// all are the panes, with what each is opened on.
var all = map[string]struct {
	open     Open
	resource string
	object   testObject
}{
	"summary":        {NewSummary, "pods", testObject{resource: "pods", namespace: "a", name: "web1", version: 9, body: claimed}},
	"yaml":           {NewYAML, "pods", testObject{resource: "pods", namespace: "a", name: "web1", version: 9}},
	"changes":        {NewChanges, "pods", testObject{resource: "pods", namespace: "a", name: "web1", version: 9}},
	"related":        {NewRelated, "pods", testObject{resource: "pods", namespace: "a", name: "web1", version: 9}},
	"related custom": {NewRelated, "widgets.example.com", testObject{resource: "widgets", namespace: "a", name: "w", version: 9}},
	"events":         {NewEvents, "pods", testObject{resource: "pods", namespace: "a", name: "web1", version: 9}},
	"events custom":  {NewEvents, "widgets.example.com", testObject{resource: "widgets", namespace: "a", name: "w", version: 9}},
}

// TestClose checks that Close releases every lease and ends every goroutine, even while
// requests are in progress, and that a closed pane requests nothing more.
func TestClose(t *testing.T) {
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			s := newServer(pod("a", "web1", "Running"), testObject{resource: "widgets", namespace: "a", name: "w"}, owned("gears", "g", "widgets.example.com w"))
			s.reads = func(ctx context.Context, _ wire.Request) ([]byte, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			s.faulty = make(map[string]fault)
			for i := range searchRest + 5 {
				s.faulty[fmt.Sprint("k", i)] = silent
			}
			onHost(t, s, append(others(), "gears"), func(t *testing.T, h *host) {
				h.Wait(soon)
				before, _ := goroutines()
				if before == 0 {
					t.Fatal("no goroutine is found")
				}
				h.opens(c.open, c.resource, "a", c.object.name, related.Options{Sweep: 1})
				h.shows(c.object)
				h.Wait(2 * soon)
				h.Close()
				h.Wait(0)
				if n := h.Running(); n != 0 {
					t.Errorf("%d goroutines go on", n)
				}
				s.asks()
				h.Wait(linger + time.Second)
				if got := s.watched(); got != "" {
					t.Errorf("streams are open of %s", got)
				}
				if n, stacks := goroutines(); n != before {
					t.Errorf("%d goroutines, and %d before the pane was opened: %s", n, before, stacks)
				}
				s.asks()
				h.Wait(10 * time.Minute)
				h.wantAsked("")
			})
		})
	}
}

// goroutines returns the number of goroutines in the bubble, and their stacks.
func goroutines() (n int, stacks string) {
	b := make([]byte, 1<<20)
	stacks = string(b[:runtime.Stack(b, true)])
	return strings.Count(stacks, ", synctest bubble "), stacks
}

// TestIdle checks that a pane sends and requests nothing while nothing changes, however often
// it is updated.
func TestIdle(t *testing.T) {
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			s := newServer(pod("a", "web1", "Running"), testObject{resource: "widgets", namespace: "a", name: "w"}, owned("gears", "g", "widgets.example.com w"))
			s.reads = func(context.Context, wire.Request) ([]byte, error) {
				return []byte("kind: Pod\nmetadata:\n  resourceVersion: \"9\"\n"), nil
			}
			onHost(t, s, []string{"widgets", "gears"}, func(t *testing.T, h *host) {
				h.opens(c.open, c.resource, "a", c.object.name, nil)
				h.shows(c.object)
				h.Wait(5 * time.Second)
				if len(h.shown()) == 0 {
					t.Error("nothing was sent")
				}
				s.asks()
				for range 50 {
					h.Do(h.RequestUpdate)
					h.Do(func() { h.pane.Object(h.version(false)) })
					h.Wait(100 * time.Millisecond)
				}
				h.wantShown(0)
				h.wantAsked("")
				h.Wait(5 * time.Second)
				wakes := h.Wakes.Load()
				for range 10 {
					h.Do(h.RequestUpdate)
					h.Do(h.RequestUpdate) // too soon for another
					h.Wait(time.Second)
				}
				if n := h.Wakes.Load() - wakes; n > 0 {
					t.Errorf("it asked %d times to be woken", n)
				}
			})
		})
	}
}

// others returns custom kinds, each of its own domain, more than are searched by default.
func others() (served []string) {
	served = []string{"widgets"}
	for i := range searchRest + 5 {
		served = append(served, fmt.Sprintf("k%d.d%d.io", i, i))
	}
	return served
}
