package focus

import (
	"strings"
	"testing"
	"time"
)

// TestNextMillisecond checks that a time is rounded up, and that a jump of the clock does not move it.
func TestNextMillisecond(t *testing.T) {
	second := time.Unix(5, 0)
	for ns, want := range map[time.Duration]time.Duration{0: 0, 1: time.Millisecond, 999_999: time.Millisecond, time.Millisecond: time.Millisecond, 1_000_001: 2 * time.Millisecond} {
		if got := nextMillisecond(second.Add(ns)); !got.Equal(second.Add(want)) {
			t.Errorf("%v becomes %v", ns, got.Sub(second))
		}
	}
	if got := nextMillisecond(time.Now()).String(); !strings.Contains(got, " m=") {
		t.Errorf("a jump of the clock moves %s", got)
	}
}
