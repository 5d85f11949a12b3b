package web

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/port"
	"watchglass/web/tab/logs"
	"watchglass/web/ui"
)

var noonBar = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC).UnixNano()

// tellBars sends a document with a histogram of six bars of ten seconds.
func (w *tab) tellBars() {
	w.t.Helper()
	h := &log.Histogram{From: noonBar, Width: 10e9, Bars: []log.Bar{{Lines: 3}, {Lines: 1}, {}, {Lines: 40, Warn: 2, Fail: 1}, {Gap: true}, {Lines: 2}}}
	doc, err := (&log.Document{Head: log.Head{Seq: w.logsAsked().Seq, Rows: 3, Held: 46}, Histogram: h}).Append(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.in <- port.Detail{Seq: 99, Part: "logs", Doc: doc}
	synctest.Wait()
}

// bars returns the element of the histogram.
func (w *tab) bars() *element {
	w.t.Helper()
	return find(w.t, draw(w.t, w.page), "id", logsBarsField)
}

// TestLogsHistogram draws lines by time: their room is there before the first document, and is gone only
// if lines have no times or the histogram is switched off, which is in the address.
func TestLogsHistogram(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		hidden := func() string {
			all := ""
			for _, e := range draw(t, w.page) {
				if e.attrs["class"] == "histogram" {
					all += fmt.Sprint(e.attrs["hidden"] == "", " ")
				}
			}
			return all
		}
		if got := hidden(); got != "true " {
			t.Errorf("before the first lines: %q", got)
		}
		if o, _ := w.askedLogs(); o.Bars != 80 {
			t.Errorf("%d bars are asked for", o.Bars)
		}
		w.tellBars()
		if got := w.bars().attrs["aria-valuetext"]; got != "12:00:50 to 12:01:00: 2 lines" {
			t.Errorf("%q", got)
		}
		paths := map[string]string{}
		for _, e := range draw(t, w.page) {
			if e.tag == "path" && e.attrs["data-look"] != "" {
				paths[e.attrs["data-look"]] = e.attrs["d"]
			}
		}
		delete(paths, "chosen")
		delete(paths, "base")
		if got, want := fmt.Sprint(paths), "map[error:M3 240v-20h0.85V240z missing:M4 240l1 -240 rest:M0 240v-20h0.85V240zM1 240v-20h0.85V240zM3 240v-240h0.85V240zM5 240v-20h0.85V240z warn:M3 240v-40h0.85V240z]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		w.Act(logs.Bars, "")
		if o, _ := w.askedLogs(); o.Bars != 0 || !strings.HasSuffix(w.page.address.String(""), "&histogram=false") {
			t.Errorf("%d bars at %s", o.Bars, w.page.address.String(""))
		}
		w.Act(logs.Bars, "")
		w.tellLogs(log.Head{Rows: 3, Held: 3}, 3)
		if got := hidden(); got != "false " {
			t.Errorf("lines without times: %q", got)
		}
	})
}

// TestLogsBrush selects bars by the pointer and by keys, and narrows the log to them.
func TestLogsBrush(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		w.tellBars()
		press := func(keys ...string) {
			for _, k := range keys {
				w.Press(ui.Key{Name: k, Drawer: "logs", Field: logsBarsField})
			}
		}
		says := func(want string) {
			t.Helper()
			if got := w.bars().attrs["aria-valuetext"]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		asks := func(from, to int64, address string) {
			t.Helper()
			if o := w.logsAsked(); o.From != from || o.To != to {
				t.Errorf("lines are asked for from %d to %d, want %d to %d", o.From, o.To, from, to)
			}
			if got := w.page.address.String(""); got != logsAddress+address {
				t.Errorf("%s, want %s", got, address)
			}
		}
		w.Brushed(logsBarsField, ui.BrushPoints, 0.55, 0)
		says("12:00:30 to 12:00:40: 40 lines, 1 error, 2 warnings")
		w.Brushed(logsBarsField, ui.BrushLeaves, 0, 0)
		says("12:00:50 to 12:01:00: 2 lines")

		press("ArrowLeft", "ArrowLeft")
		says("12:00:40 to 12:00:50: 0 lines, some missing")
		press("Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft")
		says("12:00:10 to 12:00:50: 41 lines, 1 error, 2 warnings, some missing")
		press("Escape")
		says("12:00:50 to 12:01:00: 2 lines")
		press("Enter")
		asks(0, 0, "")
		press("ArrowLeft", "ArrowLeft", "ArrowLeft", "Shift+ArrowLeft")
		w.screen.takeCalls()
		press("Enter")
		asks(noonBar+20e9, noonBar+40e9, "&from=2026-11-22T12:00:20Z&to=2026-11-22T12:00:40Z")
		if got := w.screen.takeCalls(); !strings.HasPrefix(got, "push ") {
			t.Errorf("%s is no step", got)
		}
		chip := ""
		for _, e := range draw(t, w.page) {
			if e.attrs["data-action"] == string(logs.Widen) {
				chip = e.attrs["title"]
			}
		}
		if chip != "Remove time range 12:00:20 – 12:00:40" {
			t.Errorf("%q", chip)
		}
		press("Escape") // there is no selection now
		asks(0, 0, "")
		press("Escape")
		w.want("push " + logsAddress + ", focus text")

		w.Brushed(logsBarsField, ui.BrushBegins, 0.99, 0)
		w.Brushed(logsBarsField, ui.BrushClicks, 0.99, 0)
		asks(0, 0, "")
		w.Brushed(logsBarsField, ui.BrushBegins, 0.99, 0)
		w.Brushed(logsBarsField, ui.BrushMoves, 0.6, 0)
		says("12:00:30 to 12:01:00: 42 lines, 1 error, 2 warnings, some missing")
		w.Brushed(logsBarsField, ui.BrushMoves, -3, 0)
		w.Brushed(logsBarsField, ui.BrushMoves, 0.4, 0)
		w.Brushed(logsBarsField, ui.BrushEnds, 0.7, 0)
		asks(noonBar+40e9, noonBar+60e9, "&from=2026-11-22T12:00:40Z&to=2026-11-22T12:01:00Z")
		w.Act(logs.Widen, "")
		asks(0, 0, "")
	})
}

// TestLogsBack checks that Back takes back whatever narrows a log: the filter, a level, the time, where
// it begins, and the container.
func TestLogsBack(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		w.tellBars()
		base := w.logsAsked()
		for name, do := range map[string]func(){
			"filter": func() { w.Typed(logsFilterField, "s"); w.Typed(logsFilterField, "status>=500") },
			"level":  func() { w.Act(logs.Level, "error") },
			"time": func() {
				w.Brushed(logsBarsField, ui.BrushBegins, 0.1, 0)
				w.Brushed(logsBarsField, ui.BrushMoves, 0.5, 0)
				w.Brushed(logsBarsField, ui.BrushEnds, 0.5, 0)
			},
			"since":     func() { w.Typed(logsSinceField, "300") },
			"container": func() { w.Typed(logsContainerField, log.AllContainers) },
			"previous":  func() { w.Act(logs.Previous, "") },
		} {
			w.screen.takeCalls()
			do()
			if o := w.logsAsked(); o.Filter == base.Filter && o.From == base.From && o.Since == base.Since && o.Container == base.Container && o.Previous == base.Previous {
				t.Fatalf("%s asks for the same", name)
			}
			if got := w.screen.takeCalls(); strings.Count(got, "push ") != 1 {
				t.Errorf("%s: %s", name, got)
			}
			w.Moved("/pods", strings.TrimPrefix(logsAddress, "/pods"))
			o := w.logsAsked()
			if o.Filter != base.Filter || o.From != 0 || o.To != 0 || o.Since != 0 || o.Container != base.Container || o.Previous {
				t.Errorf("after %s, Back asks for %+v", name, o)
			}
			if got := w.screen.takeCalls(); !strings.Contains(got, `logs-filter=""`) {
				t.Errorf("after %s, Back does %s", name, got)
			}
			w.tellBars()
		}
		before := w.logsAsked().Seq
		w.Moved("/pods", strings.TrimPrefix(logsAddress, "/pods")+"&sort=Age")
		if w.logsAsked().Seq != before {
			t.Error("the same log is asked for again")
		}
	})
}

// TestLogsLink opens what a link says: a time reaches as far back as it needs, and a start time that is
// not among the choices is named.
func TestLogsLink(t *testing.T) {
	onLogs(t, logsAddress+"&from=2000-01-01T00:00:00Z&to=2000-01-01T00:00:10.5Z&histogram=false", func(t *testing.T, w *tab, _ *fakeTextPainter) {
		o, _ := w.askedLogs() // a test begins at the beginning of 2000
		if o.From != 946684800e9 || o.To != 946684810.5e9 || o.Since < 60 || o.Since > 120 || o.Bars != 0 {
			t.Errorf("%+v", o)
		}
	})
	for since, want := range map[string]string{"120": "2m", "3700": "1h1m40s", "7200": "2h", "600": "10m", "36000": "10h", "9": "9s", "60": ""} {
		onLogs(t, logsAddress+"&since="+since, func(t *testing.T, w *tab, _ *fakeTextPainter) {
			got := ""
			for _, e := range draw(t, w.page) {
				if e.tag == "option" && e.attrs["selected"] != "" && e.attrs["value"] == since {
					got = e.text
				}
			}
			if want == "" {
				want = "1 minute"
			}
			if got != want {
				t.Errorf("since=%s is %q, want %q", since, got, want)
			}
		})
	}
}
