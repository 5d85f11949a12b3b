package series

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestSeries compares a series with one that keeps every number: each step has its largest, and
// steps without one are unknown.
func TestSeries(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s, all, now := new(Series), make(map[int64]float32), time.Unix(1_800_000_000, 0)
		for range 500 {
			now = now.Add(time.Duration(rng.IntN(20_000)) * time.Millisecond)
			if rng.IntN(60) == 0 {
				now = now.Add(time.Duration(rng.IntN(30)) * time.Minute)
			}
			n := float32(rng.IntN(9))
			s.Record(now, n)
			if most, there := all[StepOf(now)]; !there || n > most {
				all[StepOf(now)] = n
			}
			want := make([]float32, Steps)
			for i := range want {
				n, there := all[StepOf(now)-int64(Steps-1-i)]
				if want[i] = n; !there {
					want[i] = Unknown
				}
			}
			if got := s.Read(now); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
		}
	}
}

// TestSeriesAdd checks that a step keeps the sum of what was added, and that none is not unknown.
func TestSeriesAdd(t *testing.T) {
	s, now := new(Series), time.Unix(1_800_000_000, 0)
	for _, n := range []float32{2, 0, 1} {
		s.Add(now, n)
	}
	s.Add(now.Add(2*Step), 0)
	if got := s.Read(now.Add(2 * Step))[Steps-4:]; !slices.Equal(got, []float32{Unknown, 3, Unknown, 0}) {
		t.Errorf("%v", got)
	}
}

// TestSeriesBack ignores that a clock was set back: the newest step goes on.
func TestSeriesBack(t *testing.T) {
	s, now := new(Series), time.Unix(1_800_000_000, 0)
	s.Record(now, 3)
	s.Record(now.Add(-time.Hour), 5)
	if got := s.Read(now); got[len(got)-1] != 5 || got[0] != Unknown {
		t.Errorf("%v", got)
	}
}
