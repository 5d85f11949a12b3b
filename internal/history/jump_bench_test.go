//go:build !js

package history_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"watchglass/internal/history"
)

// BenchmarkJump goes to random moments of a fifth of an hour in which each object changed as often as in an
// hour at 100 changes a second of 10,000 pods, and reports the time for each object that differs.
func BenchmarkJump(b *testing.B) {
	h, _ := newHour(b, 2000, history.Limit)
	for range 360_000 / 5 {
		h.step()
	}
	from, to := h.store.Span()
	r := rand.New(rand.NewPCG(1, 2))
	at, objects, most := to, 0, time.Duration(0)
	for b.Loop() {
		next := from.Add(time.Duration(r.Int64N(int64(to.Sub(from)))))
		began := time.Now()
		h.store.Moved(0, at, next, nil, func(history.Change) bool { objects++; return true })
		at, most = next, max(most, time.Since(began))
	}
	b.ReportMetric(float64(objects)/float64(b.N), "objects/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(objects), "ns/object")
	b.ReportMetric(float64(most.Microseconds())/1000, "ms/longest")
}
