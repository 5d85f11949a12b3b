//go:build !js

package history_test

import (
	"runtime"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/timeline"
	"watchglass/internal/object"
)

// BenchmarkPicture is the first picture of a twentieth of an hour at 100 changes a second of 10,000 pods,
// read from a Store.
func BenchmarkPicture(b *testing.B) {
	h, _ := newHour(b, 10_000, history.Limit)
	h.log = nil
	for range 3600 * 100 / 20 {
		h.step()
	}
	runtime.GC()
	b.ReportAllocs()
	for b.Loop() {
		line := timeline.New(h.store, func(string) (object.Kind, bool) { return object.Kind{}, false })
		for line.Read(time.Second) {
		}
		d := line.Draw(timeline.Question{Bars: 300, Most: 40, Lanes: "owner"})
		for d.Count(time.Second) {
		}
		if p := d.Picture(); p.Total+p.Folded == 0 {
			b.Fatal("no change is drawn")
		}
		line.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/18000, "ns/change")
}
