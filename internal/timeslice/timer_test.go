package timeslice_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/timeslice"
)

// TestTimer checks that work rests once it has gone on for its time since it began, or since the last rest.
func TestTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rests := 0
		b := timeslice.Timer{For: 4 * time.Millisecond, Rest: func() { rests++; time.Sleep(time.Second) }}
		for i, want := range []bool{false, false, true, false, false, true} { // it begins with the first
			if got := b.RestIfDue(); got != want {
				t.Errorf("%d: rested %v", i, got)
			}
			time.Sleep(2 * time.Millisecond)
			if i == 2 {
				b.Reset()
			}
		}
		if rests != 2 {
			t.Errorf("%d rests", rests)
		}
	})
}

// TestSleep checks that a rest without a Rest of its own takes a moment, in which others run.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b timeslice.Timer
		begun := time.Now()
		var ran atomic.Bool
		go ran.Store(true)
		if !b.RestIfDue() || !ran.Load() || time.Since(begun) != time.Millisecond {
			t.Errorf("ran: %v, after %v", ran.Load(), time.Since(begun))
		}
	})
}
