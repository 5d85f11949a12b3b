package recording

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"watchglass/internal/history"
)

// TestPass holds that the changes that a pass reads, window by window, are those of Record.Between, whatever it may
// keep and also if windows are left out.
func TestPass(t *testing.T) {
	for round := range uint64(8) {
		rng := rand.New(rand.NewPCG(round, 2))
		first := randomRecord(rng, 800)
		from, to := first.Span()
		record := reread(t, first)
		for i := range record.streams {
			p := newPass(&record.streams[i], rng.IntN(3)*2_000)
			read := 0
			for at := from; at.Before(to); {
				next := at.Add(time.Duration(rng.Int64N(int64(5 * time.Second))))
				if rng.IntN(8) > 0 {
					got := changesOf(func(yield func(history.Change) bool) { p.between(at, next, yield) })
					want := changesOf(func(yield func(history.Change) bool) { record.Between(i, at, next, yield) })
					if !slices.Equal(got, want) {
						t.Fatalf("between %s and %s\n%q\nwant\n%q", at, next, got, want)
					}
					read += len(got)
				}
				at = next
			}
			if read == 0 || p.kept > p.most {
				t.Fatalf("%d changes, %d of %d bytes kept", read, p.kept, p.most)
			}
		}
	}
}
