package logs

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/wire"
)

// TestLogsHaveGaps checks that what is known to be missing from a log is saved with it: the lines before the last ones that
// were asked for, and those of an interruption.
func TestLogsHaveGaps(t *testing.T) {
	onPane(t, "pods", new(cluster), func(t *testing.T, h *host) {
		h.object(newPod("it", "c"))
		h.ask(log.Options{Since: 60})
		h.Wait(soon)
		opened := time.Now().Add(-soon)
		at := opened.Add(-time.Second)
		h.kubelet.write("it/c", at.UTC().Format(time.RFC3339Nano)+" one\n")
		h.Wait(soon)
		h.kubelet.end("it/c", errors.New("cut"))
		h.Wait(soon)
		all := h.pane.Logs()
		if len(all) != 1 || !all[0].Known || len(all[0].Gaps) != 2 {
			t.Fatalf("%+v", all)
		}
		if g := all[0].Gaps[0]; !g.From.IsZero() || opened.Add(-time.Minute).Sub(g.To).Abs() > time.Second {
			t.Errorf("before the minute that was asked for: %+v", g)
		}
		if g := all[0].Gaps[1]; !g.From.Equal(at) || !g.To.Equal(h.pane.host.Now()) {
			t.Errorf("since the interruption: %+v", g)
		}
	})
}

// TestReplacedGaps checks that gaps in the log of a pod are saved as that pod's, also if another pod has its name by then.
func TestReplacedGaps(t *testing.T) {
	onPane(t, "pods", new(cluster), func(t *testing.T, h *host) {
		h.ask(log.Options{})
		before, after := podWith("it", running("web", "r1")), podWith("it", running("web", "r2"))
		before.uid, after.uid = "u1", "u2"
		write := func(text string) {
			h.kubelet.write("it/web", time.Now().UTC().Format(time.RFC3339Nano)+" "+text+"\n")
			h.Wait(soon)
		}
		h.object(before)
		h.Wait(soon)
		write("one")
		h.kubelet.end("it/web", dropped)
		h.Wait(soon)
		h.object(after)
		h.Wait(soon)
		write("two")
		got := ""
		for _, l := range h.pane.Logs() {
			for _, g := range l.Gaps {
				got += l.Pod + " " + g.UID + ";"
			}
		}
		if want := "it u1;"; got != want {
			t.Errorf("gaps of %s want %s", got, want)
		}
	})
}

// TestRecordedGaps checks that a log of a recording is not shown as without lines where it lacks some, and that the kubelet
// is not said to have rotated them away.
func TestRecordedGaps(t *testing.T) {
	for doc, want := range map[string]log.Bar{
		`{"missingKnown":true}`: {},
		`{"missingKnown":true,"missing":[{"from":0,"to":946684801500000000}]}`:                  {Gap: true},
		`{"missingKnown":true,"missing":[{"from":0,"to":946684801500000000,"uid":"u-it"}]}`:     {Gap: true},
		`{"missingKnown":true,"missing":[{"from":0,"to":946684801500000000,"uid":"u-before"}]}`: {}, // of another pod of the name
		`{}`: {Unknown: true},
		`{"known":true,"gaps":[[0,946684801500000000]]}`: {Unknown: true}, // of a proxy of an earlier version
		`{"missingKnown":true,"missing":[[0,1]]}`:        {Unknown: true}, // maybe of a later one
	} {
		onPane(t, "pods", new(cluster), func(t *testing.T, h *host) {
			h.object(newPod("it", "c", "d"))
			h.ask(log.Options{Container: log.AllContainers, Bars: 10})
			h.Wait(soon)
			h.kubelet.find("it/c").Send(wire.Bookmark, []byte(doc))
			h.kubelet.find("it/d").Send(wire.Bookmark, []byte(`{"missingKnown":true}`))
			for second, container := range []string{"d", "", "c", "d"} {
				if container != "" {
					h.kubelet.write("it/"+container, fmt.Sprintf("2000-01-01T00:00:0%dZ a line\n", second))
				}
			}
			h.Wait(soon)
			for _, s := range h.last().Sources {
				if s.Earlier {
					t.Errorf("%s: lines of %s are said to be rotated away by the kubelet", doc, s.Container)
				}
			}
			if d := h.last(); d.Histogram == nil || len(d.Histogram.Bars) < 4 {
				t.Fatalf("%+v", d.Histogram)
			} else if got := d.Histogram.Bars[1]; got != want {
				t.Errorf("%s: %+v, want %+v", doc, got, want)
			}
		})
	}
}
