package problems

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"watchglass/internal/port"
)

// TestHistory compares a history with one that keeps every number: each step has its largest, and
// steps without one are unknown.
func TestHistory(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		h, all, now := newHistory(), make(map[int64]int), time.Unix(1_800_000_000, 0)
		for range 500 {
			now = now.Add(time.Duration(rng.IntN(20_000)) * time.Millisecond)
			if rng.IntN(60) == 0 {
				now = now.Add(time.Duration(rng.IntN(30)) * time.Minute)
			}
			n := rng.IntN(9)
			h.record(now, n)
			if most, there := all[step(now)]; !there || n > most {
				all[step(now)] = n
			}
			want := make([]int, port.HistorySteps)
			for i := range want {
				n, there := all[step(now)-int64(port.HistorySteps-1-i)]
				if want[i] = n; !there {
					want[i] = unknown
				}
			}
			if got := h.read(now); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
		}
	}
}

// TestHistoryBack ignores that a clock was set back: the newest step goes on.
func TestHistoryBack(t *testing.T) {
	h, now := newHistory(), time.Unix(1_800_000_000, 0)
	h.record(now, 3)
	h.record(now.Add(-time.Hour), 5)
	if got := h.read(now); got[len(got)-1] != 5 || got[0] != unknown {
		t.Errorf("%v", got)
	}
}
