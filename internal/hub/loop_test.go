package hub

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/hub/list"
	"watchglass/internal/port"
)

// TestLoopRests checks that the loop rests before a step that is already due, and waits for one that isn't.
func TestLoopRests(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		asked bool
		wait  time.Duration // 0: it does not wait
		rests bool
	}{
		{name: "nothing was asked for"},
		{name: "later", asked: true, after: time.Second, wait: time.Second},
		{name: "now", asked: true, rests: true},
		{name: "late", asked: true, after: -time.Second, rests: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rested := false
				h := New(t.Context(), Options{Rest: func() { rested = true }})
				if c.asked {
					h.loop.WakeAt(time.Now().Add(c.after))
				}
				soon, began := time.NewTimer(time.Hour), time.Now()
				h.pause(soon)
				if due := len(h.loop.Requested()) > 0; rested != c.rests || due != c.rests {
					t.Errorf("rested: %v, steps then: %v; want %v", rested, due, c.rests)
				}
				if c.wait == 0 {
					select {
					case <-soon.C:
						t.Error("a step that is due needs no timer")
					default:
					}
					return
				}
				if at := <-soon.C; at.Sub(began) != c.wait {
					t.Errorf("waits %v, want %v", at.Sub(began), c.wait)
				}
			})
		})
	}
}

// TestLoopReceivesFirst checks that what pages send while the loop rests comes before the step that is due, but not
// all that a page sends which floods the hub.
func TestLoopReceivesFirst(t *testing.T) {
	for sent, most := range map[int]int{1: 1, 100: waitingMost} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var h *Hub
			h = New(ctx, Options{Rest: func() {
				for _, p := range h.pages {
					go func() {
						for n := range sent {
							select {
							case h.inbox <- inbound{p, port.SavedNamespaces{Namespaces: make([]string, n+1)}}:
							case <-ctx.Done():
							}
						}
					}()
				}
				synctest.Wait()
			}})
			for range 3 {
				h.pages = append(h.pages, &Page{memory: list.NewMemory()})
			}
			h.loop.WakeAt(time.Now())
			h.pause(time.NewTimer(time.Hour))
			total := 0
			for _, p := range h.pages {
				total += len(p.memory.Remembered)
			}
			if pages := len(h.pages); total < pages || total > most*pages {
				t.Errorf("of %d messages, %d were received before the step, want %d to %d", sent*pages, total, pages, most*pages)
			}
		})
	}
}
