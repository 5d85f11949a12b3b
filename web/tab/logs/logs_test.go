package logs

import (
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/log"
	logline "watchglass/internal/detail/log/line"
	"watchglass/web/tab"
	"watchglass/web/tab/tabtest"
	"watchglass/web/ui"
)

// drawn returns the text of the tab in a state.
func drawn(h *tabtest.Host, s *state) string {
	return tabtest.Text((&logs{Base: tab.Base{Host: h}, shown: s}).Draw())
}

// TestLogsStanding checks the message when there are no lines.
func TestLogsStanding(t *testing.T) {
	of := func(state, said string) []log.State {
		return []log.State{{Pod: "p1", Container: "web", State: state, Said: said}}
	}
	for want, l := range map[string]*state{
		"Loading logs…": {},
		"No pods. Logs will appear here when a pod is created.": {doc: &log.Document{}},
		"No pod has a container with this name.":                {doc: &log.Document{Head: log.Head{Pods: 1}}},
		"The container has not started: ImagePullBackOff: no":   {doc: &log.Document{Head: log.Head{Pods: 1, Sources: of("waiting", "ImagePullBackOff: no")}}},
		"You can't read these logs; the apiserver said: no":     {doc: &log.Document{Head: log.Head{Pods: 1, Sources: of("denied", "the apiserver said: no")}}},
		"Disconnected and retrying; the network said: EOF":      {doc: &log.Document{Head: log.Head{Pods: 1, Sources: of("away", "the network said: EOF")}}},
		"No lines yet.":                           {doc: &log.Document{Head: log.Head{Pods: 1, Sources: of("live", "")}}},
		"None of 7 lines match the filter.":       {ask: log.Options{Filter: "x"}, doc: &log.Document{Head: log.Head{Pods: 1, Held: 7, Sources: of("live", "")}}},
		"None of 7 lines are in this time range.": {ask: log.Options{From: 5}, doc: &log.Document{Head: log.Head{Pods: 1, Held: 7, Sources: of("live", "")}}},
		"": {doc: &log.Document{Head: log.Head{Rows: 1}}},
	} {
		if _, got := l.emptyMessage(""); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	live := &state{doc: &log.Document{Head: log.Head{Pods: 1, Sources: of("live", "")}}}
	if _, got := live.emptyMessage("This recording has no logs for this pod."); got != "No lines recorded up to this time." {
		t.Errorf("before the first line of a recording: %q", got)
	}
}

// TestDefaultOf checks that the default container has its name as soon as that is known.
func TestDefaultOf(t *testing.T) {
	two := []detail.Container{{Name: "web"}, {Name: "side"}}
	for want, h := range map[string]*detail.Head{
		"Default container": nil,
		"web (default)":     {Containers: two},
		"side (default)":    {Containers: two, Default: "side"},
	} {
		if got := defaultOf(h); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLogsStale checks that an open log is not called live while the object is stale.
func TestLogsStale(t *testing.T) {
	for is, want := range map[detail.State]string{detail.Live: "live", detail.Stale: "stale"} {
		text := drawn(&tabtest.Host{Of: tab.Subject{Head: &detail.Head{Kind: "Pod", State: is}}}, &state{doc: &log.Document{Head: log.Head{Rows: 1, Lines: 1, Held: 1, Pods: 1, Sources: []log.State{{State: log.Live}}}}})
		if !strings.Contains(text, want) || !strings.Contains(text, "1 line") || strings.Contains(text, "1 lines") {
			t.Errorf("%s: %q", is, text)
		}
	}
}

// TestLogsEarlier checks that the status says that lines before the first may have been rotated away, of any of the logs.
func TestLogsEarlier(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		all := []log.State{{State: log.Live}, {State: log.Live, Earlier: earlier}}
		text := drawn(new(tabtest.Host), &state{doc: &log.Document{Head: log.Head{Rows: 1, Lines: 1, Held: 1, Pods: 1, Sources: all}}})
		if strings.Contains(text, "earlier lines may have been rotated away by the kubelet") != earlier {
			t.Errorf("%t: %q", earlier, text)
		}
		l := state{doc: &log.Document{Head: log.Head{Sources: []log.State{{}, {}}}}}
		if l.differs(&log.Document{Head: log.Head{Sources: []log.State{{}, {Earlier: earlier}}}}) != earlier {
			t.Error("it is not drawn again")
		}
	}
}

// TestLogsRecorded checks that the log of a recording is not called live.
func TestLogsRecorded(t *testing.T) {
	text := drawn(&tabtest.Host{At: tab.Moment{Past: true, Recorded: true}, Of: tab.Subject{Head: &detail.Head{Kind: "Pod", State: detail.Live}}}, &state{doc: &log.Document{Head: log.Head{Rows: 1, Lines: 1, Held: 1, Pods: 1, Sources: []log.State{{State: log.Live}}}}})
	if strings.Contains(text, "live") || !strings.Contains(text, "recorded") {
		t.Error(text)
	}
}

// TestLogsLacking checks that logs that the past or a recording lacks are not called denied.
func TestLogsLacking(t *testing.T) {
	for at, want := range map[tab.Moment][2]string{
		{}:                           {"denied", "You can't read these logs; no"},
		{Past: true}:                 {"not in history", "Logs are not in history."},
		{Past: true, Recorded: true}: {"not recorded", "This recording has no logs for this pod."},
	} {
		text := drawn(&tabtest.Host{At: at}, &state{doc: &log.Document{Head: log.Head{Pods: 1, Sources: []log.State{{State: log.Denied, Said: "no"}}}}})
		if !strings.Contains(text, want[0]) || !strings.Contains(text, want[1]) || want[0] != "denied" && strings.Contains(text, "denied") {
			t.Errorf("%+v: %q, want %q", at, text, want)
		}
	}
}

// TestNoLogs checks that only the reason is shown if there are no logs, and that buffered lines keep
// their controls.
func TestNoLogs(t *testing.T) {
	const none = "It has no selector."
	shown := func(h log.Head, resource string) string {
		return drawn(&tabtest.Host{Of: tab.Subject{Ref: detail.Ref{Resource: resource}}}, &state{doc: &log.Document{Head: h}})
	}
	if text := shown(log.Head{Said: none}, "services"); text != none {
		t.Errorf("%q, want %q", text, none)
	}
	for _, h := range []log.Head{{Said: none, Held: 3}, {Said: none, Pods: 1}} {
		if text := shown(h, "deployments.apps"); !strings.Contains(text, "Save") || !strings.Contains(text, none) {
			t.Errorf("%+v: nothing can be done with what is there: %q", h, text)
		}
	}
}

func TestShortNames(t *testing.T) {
	pods := func(names ...string) (all []log.State) {
		for _, n := range names {
			pod, container, _ := strings.Cut(n, "/")
			all = append(all, log.State{Pod: pod, Container: container})
		}
		return all
	}
	for _, c := range []struct {
		all  []log.State
		want string
	}{
		{pods("web-1/a"), ""},
		{pods("web-5d9c-x2x1/a", "web-5d9c-x3/a"), "x2x1 x3"},
		{pods("web-5d9c-x2x1/a", "web-77-x3/a", "web-5d9c-x2x1/b"), "5d9c-x2x1/a 77-x3/a 5d9c-x2x1/b"},
		{pods("p/a", "p/b"), "a b"},
		{pods("ab/a", "cd/a"), "ab cd"},
		{pods("web/a", "web-1/a"), "web web-1"},
	} {
		if got := strings.Join(shortNames(c.all), " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestLookClass(t *testing.T) {
	for look, want := range map[log.Style]string{
		0: "", 2: "c2", 2 | 5<<5 | log.Bold: "c2 b5 bold", log.Inverse: "c17 b17", 3 | log.Inverse: "c17 b3", log.Dim | log.Underline: "faint under",
	} {
		if got := lookClass(look, false); got != want {
			t.Errorf("%d: %q, want %q", look, got, want)
		}
	}
}

// TestLogsRows paints the time, the level and what is expanded.
func TestLogsRows(t *testing.T) {
	at := int64(1_795_316_400_123_000_000)
	text := func(s string) []log.Run { return []log.Run{{Text: s}} }
	for _, c := range []struct {
		logs state
		row  log.Row
		want string
	}{
		{state{levels: true, wide: true}, log.Row{Time: at, Level: logline.Warn, Spans: text("slow")}, "03:00:00.123 |WARN|  |slow|"},
		{state{levels: true}, log.Row{Time: at, Level: logline.Error, Opens: true, ID: 5, Folded: 2, Spans: text("no")}, "03:00:00 |ERROR| |no| ▸ 2 more lines|logs-expand 5"},
		{state{levels: true}, log.Row{Time: at, Level: logline.Error, Part: 1, Spans: text("more")}, "               |more|"},
		{state{levels: true}, log.Row{Time: at, Level: logline.Error, Kind: log.BranchRow, Spans: text("  a: b")}, "               |  a: b|"},
		{state{levels: true}, log.Row{Time: at, Level: logline.Error, Kind: log.TraceRow, Spans: text("at x")}, "03:00:00 |      |at x|"},
		{state{levels: true, times: true}, log.Row{Time: at, Spans: text("x")}, "2026-11-22 03:00:00.123Z |      |x|"},
		{state{levels: true, ask: log.Options{Raw: true}}, log.Row{Time: at, Level: logline.Error, Spans: text("x")}, "x|"},
		{state{}, log.Row{Time: at, Note: true, Spans: text("it ended")}, "03:00:00 |it ended|"},
	} {
		c.logs.doc = &log.Document{}
		l, got := c.logs.line(c.row), ""
		for _, s := range l.Spans {
			got += s.Text + "|"
		}
		if l.Click != "" {
			got += l.Click + " " + l.Of
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC).UnixNano()

// TestLogsUnknown checks that a time before the first line of a recorded log is not said to have no lines.
func TestLogsUnknown(t *testing.T) {
	h := &log.Histogram{From: noon, Width: 10e9, Bars: []log.Bar{{Unknown: true}, {Lines: 2}, {Unknown: true, Gap: true}, {}}}
	for bar, want := range []string{"no lines recorded", "2 lines", "no lines recorded, some missing", "0 lines"} {
		if got := barText(ui.Brush{Pointed: noon + int64(bar)*10e9}, h); !strings.HasSuffix(got, ": "+want) {
			t.Errorf("%d: %q, want %q", bar, got, want)
		}
	}
}
