package hub

import (
	"encoding/json"
	"testing"
	"time"

	"watchglass/internal/series"
	"watchglass/internal/wire"
)

// metered returns the sources as the inspector sees them.
func (b *fixture) metered() []inspected {
	b.t.Helper()
	var out struct{ Sources []inspected }
	if err := json.Unmarshal([]byte(b.ask("inspect", `[{"meters":true}]`)), &out); err != nil {
		b.t.Fatal(err)
	}
	return out.Sources
}

// TestMeters checks what the inspector shows of a source: rates while something happens and none
// later, in charts that keep 15 minutes, and the delay onto the screen.
func TestMeters(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		if s := b.inspected(); s[0].Meter != nil || s[0].Packed != 0 {
			t.Errorf("for scripts: %+v", s[0])
		}
		for range 40 {
			b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
			b.wait(100 * time.Millisecond)
		}
		s := b.metered()[0]
		if got := s.Meter.Now[eventRate]; got < 5 || got > 20 {
			t.Errorf("%v events/s", got)
		}
		if got := s.Meter.Now[byteRate]; got < 100 {
			t.Errorf("%v bytes/s", got)
		}
		if s.Packed == 0 || len(s.Meter.Series[eventRate]) != series.Steps {
			t.Errorf("%+v", s)
		}
		b.wait(series.Step * 3)
		s = b.metered()[0]
		chart := s.Meter.Series[eventRate]
		if s.Meter.Now[eventRate] > 0 || chart[series.Steps-1] > 0 || chart[series.Steps-4] < 5 || chart[0] != series.Unknown {
			t.Errorf("later: %v, %v", s.Meter.Now, chart)
		}
		b.wait(series.Step * series.Steps)
		for _, n := range b.metered()[0].Meter.Series[eventRate] {
			if n > 5 || n == series.Unknown {
				t.Fatalf("after 15 minutes: %v", n)
			}
		}
	})
}
