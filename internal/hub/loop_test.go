package hub

import (
	"testing"
	"testing/synctest"
	"time"

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
					h.wakeAtOnLoop(time.Now().Add(c.after))
				}
				soon, began := time.NewTimer(time.Hour), time.Now()
				h.pause(soon)
				if due := len(h.dirty) > 0; rested != c.rests || due != c.rests {
					t.Errorf("rested: %v, steps then: %v; want %v", rested, due, c.rests)
				}
				if c.wait == 0 {
					return
				}
				if at := <-soon.C; at.Sub(began) != c.wait {
					t.Errorf("waits %v, want %v", at.Sub(began), c.wait)
				}
			})
		})
	}
}

// TestLoopReceivesFirst checks that what pages send while the loop rests comes before the step that is due: of each
// page, one message.
func TestLoopReceivesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *Hub
		h = New(t.Context(), Options{Rest: func() {
			for _, p := range h.pages {
				go func() { h.inbox <- inbound{p, port.Remembered{Namespaces: []string{"a"}}} }()
			}
			synctest.Wait()
		}})
		for range 3 {
			h.pages = append(h.pages, &Page{})
		}
		h.wakeAtOnLoop(time.Now())
		h.pause(time.NewTimer(time.Hour))
		for i, p := range h.pages {
			if len(p.memory.remembered) == 0 {
				t.Errorf("the message of page %d waits for the step", i)
			}
		}
	})
}
