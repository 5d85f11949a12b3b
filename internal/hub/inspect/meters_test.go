package inspect

import (
	"testing"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/reflector"
	"watchglass/internal/series"
)

// TestMeterCounts checks that each count goes to its own chart, as its sum in each step.
func TestMeterCounts(t *testing.T) {
	m, now := new(meter), time.Unix(1_800_000_000, 0)
	for n, s := range []reflector.State{{Stalls: 1, Resumes: 1, Relists: 1}, {Stalls: 3, Resumes: 3, Relists: 2}, {Stalls: 7, Resumes: 3, Relists: 3}} {
		m.count(informer.State{State: s}, now.Add(time.Duration(n/2)*series.Step)) // the first two in one step
	}
	for chart, want := range map[*chart][2]float32{&m.stalls: {3, 4}, &m.resumes: {3, 0}, &m.relists: {2, 1}} {
		if got := chart.Read(now.Add(series.Step)); [2]float32(got[series.Steps-2:]) != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
