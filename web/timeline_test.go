package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/history/timeline"
	"watchglass/internal/port"
	"watchglass/web/chart"
	"watchglass/web/drawer"
	"watchglass/web/filter"
	"watchglass/web/ui"
)

// noonPicture is ten minutes from noon in ten bars, with two lanes and a gap.
func noonPicture() timeline.Picture {
	at := func(minute float64) int64 { return noon.UnixMilli() + int64(minute*60e3) }
	return timeline.Picture{
		From: at(0), To: at(10), Step: 60e3, Total: 8, Folded: 31,
		Bars: map[timeline.Class][]int{timeline.Changed: {4, 0, 0, 0, 0, 0, 1}, timeline.Warned: {0, 0, 0, 2}, timeline.Restarted: {0, 0, 0, 1}},
		Lanes: []timeline.Lane{
			{Name: "web", Namespace: "shop", Field: "owner", Value: "Deployment/web", Total: 7, Marks: []timeline.Mark{
				{At: at(0), To: at(0.9), Class: timeline.Changed, Count: 4, Text: "replicas 1 → 2", Of: "Deployment/web"},
				{At: at(3), Class: timeline.Warned, Count: 1, Text: "BackOff", Of: "Pod", Resource: "pods", Key: "shop/web-1"},
			}},
			{Name: "api", Total: 1, Marks: []timeline.Mark{{At: at(6), Class: timeline.Changed, Count: 1, Text: "ready\u202e", Of: "Pod", Resource: "pods", Key: "shop/api-1"}}},
		},
		More:  460,
		Gaps:  []timeline.Gap{{From: at(4), To: at(5), Why: "away"}},
		Rules: []timeline.Folding{{Name: "leases", Words: "Leases", Count: 30}, {Name: "status", Words: "Heartbeats", Count: 1, Off: true}},
	}
}

// tellTimeline sends a picture.
func (w *tab) tellTimeline(id uint32, p timeline.Picture) {
	w.t.Helper()
	doc, err := json.Marshal(p)
	if err != nil {
		w.t.Fatal(err)
	}
	w.in <- port.Detail{ID: id, Part: port.TimelinePart, Doc: doc}
	w.sleep(redrawEvery)
	synctest.Wait()
}

// timelines returns the questions about timelines since the last call, and what was closed.
func (w *tab) timelines() string {
	var all []string
	for _, m := range w.takeSent() {
		switch m := m.(type) {
		case port.OpenTimeline:
			all = append(all, fmt.Sprintf("%d of %d/%d by %q from %d to %d without %q", m.ID, m.List, m.Object, m.Lanes, m.From.Unix(), m.To.Unix(), m.Unfolded))
		case port.Close:
			all = append(all, fmt.Sprint("close ", m.ID))
		}
	}
	return strings.Join(all, "; ")
}

// The charts, as the names of their fields begin, the hub's IDs for their timelines, and what the names of fields with
// lanes end in.
const (
	listChart   = "timeline"
	objectChart = "object-timeline"

	listTimelineID   = 4
	objectTimelineID = 5

	lanesMark = "-lanes"
	namesMark = "-names"

	mostLanes = 40
)

const never = -62135596800 // the zero time

// said returns the said text of a chart.
func (w *tab) said() string {
	for _, e := range draw(w.t, w.page) {
		if e.attrs["class"] == "said" {
			return e.text
		}
	}
	return "none"
}

// clock is a minute after noon as the page shows it.
func clock(minute int) string {
	return noon.Add(time.Duration(minute) * time.Minute).Local().Format("15:04:05")
}

// during is how an address has the time between two minutes after noon.
func during(from, to int) string {
	at := func(minute int) string {
		return noon.Add(time.Duration(minute) * time.Minute).UTC().Format(time.RFC3339)
	}
	return "tfrom=" + at(from) + "&tto=" + at(to)
}

// TestTimelineAsks opens and closes timelines with what the page shows: a histogram above a list once it
// is switched on, lanes in the timeline view and in the tab of an object.
func TestTimelineAsks(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.Resized(1200, w.page.list.Room().Font)
		asks := func(want string) {
			t.Helper()
			if got := w.timelines(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		all := fmt.Sprintf("from %d to %d", never, never)
		asks("")
		w.Press(ui.Key{Name: "B"})
		asks(`4 of 1/0 by "" ` + all + ` without []`)
		if w.screen.Recall("bars") != "on" {
			t.Error("the choice is not remembered")
		}
		w.Press(ui.Key{Name: "B"})
		asks("close 4")
		w.Press(ui.Key{Name: "T"})
		asks("4 of 1/0 by \"owner\" " + all + ` without []`)
		w.Act(chart.SetLanes, "node")
		asks(`4 of 1/0 by "node" ` + all + ` without []`)
		w.tellTimeline(listTimelineID, noonPicture())
		w.Act(chart.ToggleNoise, "leases")
		asks(`4 of 1/0 by "node" ` + all + ` without ["leases"]`)
		w.Act(chart.ToggleNoise, "leases")
		w.takeSent()
		if got := w.page.address.String(""); got != "/timeline?lanes=node" {
			t.Error(got)
		}
		w.in <- port.Reset{}
		synctest.Wait()
		if got := w.timelines(); !strings.Contains(got, `4 of 1/0 by "node"`) {
			t.Errorf("after a reset: %s", got)
		}
	})
	onPage(t, "/pods?sel=a/p1&tab=timeline", func(t *testing.T, w *tab) {
		sent := w.takeSent()
		focus, ask := -1, -1
		for i, m := range sent {
			switch m := m.(type) {
			case port.Focus:
				focus = i
			case port.OpenTimeline:
				if ask = i; m.Object != drawer.ID || m.Lanes != "kind" {
					t.Errorf("%+v", m)
				}
			}
		}
		if focus < 0 || ask < focus {
			t.Errorf("the timeline is asked for at %d, its object at %d", ask, focus)
		}
		w.Press(ui.Key{Name: "1"})
		if got := w.timelines(); !strings.Contains(got, "close 5") {
			t.Errorf("the tab was left: %s", got)
		}
	})
}

// TestTimelineWords says what there is, what is missing and what is loading. Nothing is silent.
func TestTimelineWords(t *testing.T) {
	onPage(t, "/timeline", func(t *testing.T, w *tab) {
		loading := func(want string) {
			t.Helper()
			for _, e := range draw(t, w.page) {
				if e.attrs["role"] == "status" && strings.Contains(e.text, "history") {
					if e.text != want {
						t.Errorf("%q, want %q", e.text, want)
					}
					return
				}
			}
			t.Error("it does not say that it loads")
		}
		loading("No history yet")
		w.sendPast(hour(), port.Past{})
		loading("Reading history…")
		p := noonPicture()
		w.tellTimeline(listTimelineID, timeline.Picture{From: p.From, To: p.To, Step: p.Step, Reading: 40})
		loading("Reading history: 40 %")
		says := func(p timeline.Picture, want string) {
			t.Helper()
			w.tellTimeline(listTimelineID, p)
			if got := w.said(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		says(p, "2 warnings, 1 restart, 5 changed · 31 folded · Not watched "+clock(4)+"–"+clock(5)+": the tab was asleep or not connected")
		p.Gaps = append(p.Gaps, timeline.Gap{From: p.From - 5, To: p.From + 180e3, Why: "closed"}, timeline.Gap{From: p.To - 60e3, To: p.To, Why: "denied", Kind: "Secret"})
		says(p, "2 warnings, 1 restart, 5 changed · 31 folded · Not watched before "+clock(3)+" and 2 more gaps")
		p.Gaps = p.Gaps[2:]
		says(p, "2 warnings, 1 restart, 5 changed · 31 folded · Secret not watched since "+clock(9)+": no permission")
		p.Gaps[0].Why = "unread"
		says(p, "2 warnings, 1 restart, 5 changed · 31 folded · Secret incomplete since "+clock(9)+": an object can't be read")
		p.Gaps, p.Bars, p.Folded, p.Partial = []timeline.Gap{{From: p.From, To: p.From + 120e3, Why: "closed"}}, nil, 0, []string{"nodes"}
		says(p, "No changes seen since "+clock(0)+" · Not watched before "+clock(2)+" · Not in history: nodes")
		p.Partial = nil
		says(p, "No watched object has changed since "+clock(2)+", when this tab started watching the cluster · Not watched before "+clock(2))
		p.Gaps[0].From, p.Gaps[0].Kind = p.From+1, "Pod" // the first bar begins before the history
		says(p, "No watched object has changed since "+clock(2)+", when this tab started watching Pod · Pod not watched "+clock(0)+"–"+clock(2))
		p.Gaps = append(p.Gaps, timeline.Gap{From: p.From + 180e3, To: p.From + 185e3, Why: "away"})
		says(p, "No changes seen since "+clock(0)+" · Pod not watched "+clock(0)+"–"+clock(2)+" and 1 more gap")
		p.Gaps = []timeline.Gap{{From: p.From, To: p.To, Why: "closed", Kind: "Pod"}}
		says(p, "No changes seen since "+clock(0)+" · Pod not watched")
		p = noonPicture()
		p.Gaps, p.Folded, p.Total = nil, 0, timeline.MostRows+1
		says(p, "2 warnings, 1 restart, 5 changed · List shows only the newest 2,000")
		p.Total--
		w.Act(chart.NarrowLane, "owner:Deployment/web")
		says(p, "2 warnings, 1 restart, 5 changed · The filter applies to the list only")
		w.Act(filter.RemoveTerm, "owner:Deployment/web")
		w.Act(chart.OnlyClass, listChart+" warning") // which the chart goes by
		says(p, "2 warnings")
	})
}

// TestTimelineBrush narrows the time by the pointer and by keys, and names what happened in bars.
func TestTimelineBrush(t *testing.T) {
	onPage(t, "/timeline", func(t *testing.T, w *tab) {
		w.tellTimeline(listTimelineID, noonPicture())
		const field = listChart + ui.InBars
		address := func(want string) {
			t.Helper()
			if got := w.page.address.String(""); got != "/timeline"+want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		says := func(want string) {
			t.Helper()
			if got := w.said(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		press := func(keys ...string) {
			for _, k := range keys {
				w.Press(ui.Key{Name: k, Field: field})
			}
		}
		w.Brushed(field, ui.BrushPoints, 0.35, 0.5)
		says(clock(3) + " to " + clock(4) + ": 2 warnings, 1 restart")
		w.Brushed(field, ui.BrushPoints, 0.45, 0.5)
		says(clock(4) + " to " + clock(5) + ": changes may be missing")
		w.Brushed(field, ui.BrushLeaves, 2, 0)
		press("ArrowLeft", "ArrowLeft")
		says(clock(8) + " to " + clock(9) + ": no unfolded changes")
		press("Shift+ArrowLeft", "Shift+ArrowLeft", "Enter")
		address("?" + during(6, 9))
		from, until := noon.Add(6*time.Minute).Unix(), noon.Add(9*time.Minute).Unix()
		if looks := w.looks(); len(looks) == 0 || looks[len(looks)-1].From != from || looks[len(looks)-1].Until != until {
			t.Errorf("the entries are not those of the time: %+v", looks)
		}
		w.Moved("/timeline", "")
		w.tellTimeline(listTimelineID, noonPicture())
		w.Brushed(field, ui.BrushBegins, 0.35, 0)
		w.Brushed(field, ui.BrushMoves, 0.55, 0)
		w.Brushed(field, ui.BrushEnds, 0.55, 0)
		address("?" + during(3, 6))
		w.Act(chart.WidenTime, "")
		address("")
		w.Brushed(field, ui.BrushBegins, 0.35, 0)
		w.Brushed(field, ui.BrushClicks, 0.35, 0)
		address("?" + during(3, 4))
		press("Escape")
		address("")
		w.screen.takeCalls()
		press("Escape")
		w.want("focus grid")
		w.Act(chart.OnlyClass, "timeline warning")
		if got := w.page.address.Filter; got != "what:warning" {
			t.Errorf("the chip of a class filters by %q", got)
		}
		says("2 warnings · 31 folded · Not watched " + clock(4) + "–" + clock(5) + ": the tab was asleep or not connected")
		w.Brushed(field, ui.BrushPoints, 0.05, 0.5) // it has others
		says(clock(0) + " to " + clock(1) + ": none of these changes")
	})
}

// TestTimelineMarks walks the marks of lanes by keys and by the pointer, and opens their objects.
func TestTimelineMarks(t *testing.T) {
	onPage(t, "/timeline", func(t *testing.T, w *tab) {
		w.tellTimeline(listTimelineID, noonPicture())
		const field = listChart + lanesMark
		lanes := func(want string) {
			t.Helper()
			if got := find(t, draw(t, w.page), "id", field).attrs["aria-valuetext"]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		press := func(keys ...string) {
			for _, k := range keys {
				w.Press(ui.Key{Name: k, Field: field})
			}
		}
		lanes("Use the arrow keys to move between changes")
		press("ArrowLeft")
		lanes("web: " + clock(3) + " Pod web-1: BackOff")
		press("ArrowLeft", "ArrowLeft")
		lanes("web: " + clock(0) + " Deployment web: replicas 1 → 2 and 3 more")
		press("ArrowDown")
		lanes("api: " + clock(6) + " Pod api-1: ready‹U+202E›")
		press("ArrowUp")
		lanes("web: " + clock(3) + " Pod web-1: BackOff")
		p := noonPicture() // its lanes change places, and a mark comes before the one at the cursor
		web := &p.Lanes[0]
		web.Marks = slices.Insert(web.Marks, 1, timeline.Mark{At: p.From + 120e3, Class: timeline.Changed, Count: 1, Text: "x"})
		slices.Reverse(p.Lanes)
		w.tellTimeline(listTimelineID, p)
		lanes("web: " + clock(3) + " Pod web-1: BackOff")
		press(" ")
		if got := w.page.address.Filter; got != "owner:Deployment/web" {
			t.Errorf("the lane narrows to %q", got)
		}
		press("Enter")
		if got := w.page.address; got.Selected == "" || !strings.Contains(got.Selected, "web-1") {
			t.Errorf("Enter opens %s", got.String(""))
		}
		w.takeSent()
		press("h")
		want := at(noon.Add(3*time.Minute + time.Millisecond))
		if all := w.travels(); len(all) != 1 || at(all[0].At) != want {
			t.Errorf("%v, want %s", all, want)
		}
		p.Lanes = p.Lanes[:1]
		w.tellTimeline(listTimelineID, p)
		lanes("Use the arrow keys to move between changes")
		if text, action, value := noticeOf(t, w.page); action != ui.TravelTo || at(noon.Add(3*time.Minute)) != at(millis(t, value)) {
			t.Error(text, action, value)
		}
	})
	onPage(t, "/timeline", func(t *testing.T, w *tab) {
		w.tellTimeline(listTimelineID, noonPicture())
		const field = listChart + lanesMark
		w.Brushed(field, ui.BrushPoints, 0.605, 0.7)
		if got, want := w.said(), clock(6)+" Pod api-1: ready‹U+202E›"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		w.Brushed(field, ui.BrushPoints, 0.7, 0.7)
		if got := w.said(); strings.Contains(got, "api-1") {
			t.Error("a mark is found where there is none")
		}
		w.Brushed(field, ui.BrushBegins, 0.05, 0.2)
		w.Brushed(field, ui.BrushClicks, 0.05, 0.2) // several entries: their time
		if got := w.page.address.String(""); got != "/timeline?"+during(0, 1) {
			t.Error(got)
		}
		w.Act(chart.NarrowLane, "owner:Deployment/web")
		if got := w.page.address.Filter; got != "owner:Deployment/web" {
			t.Errorf("%q", got)
		}
	})
}

// TestLanesStay checks that lanes keep their places while the pointer is at them or at their names, and take those of
// the picture once it has left; and that lanes are asked of the class that shows alone.
func TestLanesStay(t *testing.T) {
	lanes := func(names ...string) (all []timeline.Lane) {
		for _, n := range names {
			all = append(all, timeline.Lane{Name: n, Field: "owner", Value: n})
		}
		return all
	}
	for _, field := range []string{lanesMark, namesMark} {
		onPage(t, "/timeline", func(t *testing.T, w *tab) {
			order := func(want ...string) {
				t.Helper()
				var all []string
				for _, e := range draw(t, w.page) {
					if e.attrs["data-action"] == string(chart.NarrowLane) {
						all = append(all, e.text)
					}
				}
				if !slices.Equal(all, want) {
					t.Errorf("%s: %q, want %q", field, all, want)
				}
			}
			tell := func(names ...string) {
				p := noonPicture()
				p.Lanes = lanes(names...)
				w.tellTimeline(listTimelineID, p)
			}
			tell("Pod/a", "Pod/b", "Pod/c")
			w.Brushed(listChart+field, ui.BrushPoints, 0.3, 0.5)
			tell("Pod/d", "Pod/c", "Pod/a", "Pod/e")
			order("a · Pod", "d · Pod", "c · Pod", "e · Pod")
			w.Brushed(listChart+field, ui.BrushLeaves, 0.3, 0.5)
			tell("Pod/c", "Pod/d")
			order("c · Pod", "d · Pod")
			w.takeSent()
			w.Act(chart.OnlyClass, listChart+" "+string(timeline.Warned))
			asked := ""
			for _, m := range w.takeSent() {
				if o, ok := m.(port.OpenTimeline); ok {
					asked = o.Class
				}
			}
			if asked != string(timeline.Warned) {
				t.Errorf("lanes of %q are asked for", asked)
			}
		})
	}
}

// TestTimelineBounded draws many lanes with many marks in few elements.
func TestTimelineBounded(t *testing.T) {
	onPage(t, "/timeline", func(t *testing.T, w *tab) {
		before := len(draw(t, w.page))
		p := noonPicture()
		for len(p.Lanes) < 500 {
			l := timeline.Lane{Name: fmt.Sprint("lane ", len(p.Lanes))}
			for i := range 200 {
				l.Marks = append(l.Marks, timeline.Mark{At: p.From + int64(i)*3000, Class: timeline.Classes[i%len(timeline.Classes)], Count: 1, Text: "x"})
			}
			p.Lanes = append(p.Lanes, l)
		}
		w.tellTimeline(listTimelineID, p)
		if n := len(draw(t, w.page)) - before; n < mostLanes || n > 200 {
			t.Errorf("%d elements", n)
		}
	})
}

// TestTimelineTab lists the entries of an object, the latest first.
func TestTimelineTab(t *testing.T) {
	onPage(t, "/pods?sel=a/p1&tab=timeline", func(t *testing.T, w *tab) {
		w.tellTimeline(objectTimelineID, noonPicture())
		var all []string
		for _, e := range draw(t, w.page) {
			if e.attrs["data-action"] == string(chart.OpenMark) {
				all = append(all, e.attrs["data-value"])
			}
		}
		if got := strings.Join(all, ", "); got != "pods shop/api-1, pods shop/web-1" {
			t.Error(got)
		}
		w.Act(chart.OpenMark, "pods shop/web-1")
		if got := w.page.address.Selected; got != "shop/web-1" {
			t.Error(got)
		}
	})
	for name, do := range map[string]func(w *tab){
		"pointer": func(w *tab) {
			w.Brushed(objectChart+lanesMark, ui.BrushBegins, 0.3, 0.2)
			w.Brushed(objectChart+lanesMark, ui.BrushClicks, 0.3, 0.2)
		},
		"keys": func(w *tab) {
			w.Press(ui.Key{Name: "ArrowLeft", Field: objectChart + lanesMark})
			w.Press(ui.Key{Name: "Enter", Field: objectChart + lanesMark})
		},
	} {
		onPage(t, "/pods?sel=a/p1&tab=timeline", func(t *testing.T, w *tab) {
			w.tellTimeline(objectTimelineID, noonPicture())
			do(w)
			if text, action, _ := noticeOf(t, w.page); w.page.address.Selected == "a/p1" || action != ui.TravelTo || text == "" {
				t.Errorf("%s: %q is open, with the notice %q", name, w.page.address.Selected, text)
			}
		})
	}
}

func millis(t *testing.T, text string) time.Time {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.UnixMilli(n)
}

// TestBarsRead checks that nothing is said to be unchanged while the history is still being read.
func TestBarsRead(t *testing.T) {
	onPage(t, "/timeline", func(t *testing.T, w *tab) {
		p := noonPicture()
		p.Gaps, p.Reading = nil, 40 // 40 % has been read
		w.tellTimeline(listTimelineID, p)
		const field = listChart + ui.InBars
		w.Brushed(field, ui.BrushPoints, 0.85, 0.5)
		if got := w.said(); strings.Contains(got, "no changes") {
			t.Errorf("while 40 %% of the history has been read: %q", got)
		}
		w.Brushed(field, ui.BrushLeaves, 2, 0)
		w.Act(chart.OnlyClass, listChart+" deleted")
		for _, e := range draw(t, w.page) {
			if strings.Contains(e.attrs["aria-valuetext"], "None of these changes") {
				t.Errorf("while 40 %% of the history has been read: %q", e.attrs["aria-valuetext"])
			}
		}
	})
}

// TestBarsFolded checks that folded changes are changes.
func TestBarsFolded(t *testing.T) {
	onPage(t, "/timeline", func(t *testing.T, w *tab) {
		p := noonPicture()
		p.Gaps, p.Bars, p.Lanes, p.Total = nil, map[timeline.Class][]int{}, nil, 0 // 31 changes, all folded
		w.tellTimeline(listTimelineID, p)
		if got := w.said(); strings.Contains(got, "Nothing has changed") {
			t.Errorf("after 31 changes that rules fold: %q", got)
		}
	})
}
