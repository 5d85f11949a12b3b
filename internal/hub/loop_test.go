package hub

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestLoopRests checks that the loop rests before a step that is already due, and waits for one that isn't.
func TestLoopRests(t *testing.T) {
	for _, c := range []struct {
		name       string
		after      time.Duration
		asked      bool
		wait       time.Duration
		ok, rested bool
	}{
		{name: "nothing was asked for"},
		{name: "later", asked: true, after: time.Second, wait: time.Second, ok: true},
		{name: "now", asked: true, ok: true, rested: true},
		{name: "late", asked: true, after: -time.Second, ok: true, rested: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rested := false
				l := newLoop(func() { rested = true })
				if c.asked {
					l.wakeAtOnLoop(time.Now().Add(c.after))
				}
				if wait, ok := l.pauseOnLoop(); wait != c.wait || ok != c.ok || rested != c.rested {
					t.Errorf("waits %v, %v; rested: %v", wait, ok, rested)
				}
			})
		})
	}
}
