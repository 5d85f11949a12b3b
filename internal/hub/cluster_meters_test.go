package hub

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/inspection"
	"watchglass/internal/series"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// metered returns the sources as the inspector sees them.
func (b *fixture) metered() []inspection.Source {
	b.t.Helper()
	var out struct{ Sources []inspection.Source }
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
		if got := s.Meter.Events.Now; got < 5 || got > 20 {
			t.Errorf("%v events/s", got)
		}
		if got := s.Meter.Bytes.Now; got < 100 {
			t.Errorf("%v bytes/s", got)
		}
		if s.Packed == 0 || len(s.Meter.Events.Series) != series.Steps {
			t.Errorf("%+v", s)
		}
		b.wait(series.Step * 3)
		s = b.metered()[0]
		chart := s.Meter.Events.Series
		if s.Meter.Events.Now > 0 || chart[series.Steps-1] > 0 || chart[series.Steps-4] < 5 || chart[0] != series.Unknown {
			t.Errorf("later: %v, %v", s.Meter.Events.Now, chart)
		}
		b.wait(series.Step * series.Steps)
		for _, n := range b.metered()[0].Meter.Events.Series {
			if n > 5 || n == series.Unknown {
				t.Fatalf("after 15 minutes: %v", n)
			}
		}
	})
}

// TestMeterCharts checks the charts of what is counted and of sizes: a resume is in the step in which it
// was, the values of indexes are known from before the inspector was opened, and the packed bytes since.
func TestMeterCharts(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wait(2 * series.Step)
		b.proxy.setAway(true)
		b.wait(soon)
		b.proxy.setAway(false)
		b.wait(10 * time.Second)
		b.wait(2 * series.Step)
		s := b.metered()[0]
		sum := func(chart inspection.Chart) (n float32) {
			for _, v := range chart.Series {
				n += max(v, 0)
			}
			return n
		}
		if s.Resumes != 1 || sum(s.Meter.Resumes) != 1 || sum(s.Meter.Relists) != 0 || sum(s.Meter.Stalls) != 0 {
			t.Errorf("%d resumes: %v", s.Resumes, s.Meter)
		}
		last := func(chart inspection.Chart, back int) float32 { return chart.Series[series.Steps-1-back] }
		if last(s.Meter.Resumes, 0) != 0 || last(s.Meter.Resumes, series.Steps-1) != series.Unknown {
			t.Errorf("resumes: %v", s.Meter.Resumes.Series)
		}
		if last(s.Meter.Indexes, 0) != 2 || last(s.Meter.Indexes, 2) != 2 {
			t.Errorf("indexes: %v", s.Meter.Indexes.Series)
		}
		if last(s.Meter.Packed, 0) != float32(s.Packed) || last(s.Meter.Packed, 1) != series.Unknown {
			t.Errorf("memory: %v, %d", s.Meter.Packed.Series, s.Packed)
		}
	})
}

// TestMetersElsewhere checks that the inspector has the sources of the user's other contexts, named so,
// and none of another user's; scripts see only the page's own.
func TestMetersElsewhere(t *testing.T) {
	onPages(t, map[string]*proxy{"": three(), "prod": three(), "test": three()}, func(t *testing.T, c *pagesFixture) {
		first := c.connect("", "ana")
		first.showList("pods", view.Query{Seq: 1})
		c.connect("prod", "ana").showList("nodes", view.Query{Seq: 1})
		c.connect("test", "ben").showList("pods", view.Query{Seq: 1})
		first.wait(2 * time.Second)
		var got []string
		for _, s := range first.metered() {
			got = append(got, fmt.Sprint(s.Resource, " ", s.Elsewhere, " ", s.Context, " ", s.Meter != nil))
		}
		if want := "pods false  true, nodes true prod true"; strings.Join(got, ", ") != want {
			t.Errorf("%q, want %q", got, want)
		}
		if s := first.inspected(); len(s) != 1 {
			t.Errorf("for scripts: %+v", s)
		}
	})
}
