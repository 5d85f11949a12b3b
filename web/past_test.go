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

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/list"
	"watchglass/web/past"
	"watchglass/web/route"
	"watchglass/web/tab/events"
	"watchglass/web/tab/summary"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// remembered is a time that the fake hub remembers.
type remembered struct {
	from, to time.Time
	recorded *port.RecordingInfo
}

// moment returns a moment, as a share of the time that is remembered.
func (r remembered) moment(percent int) time.Time {
	return r.from.Add(r.to.Sub(r.from) * time.Duration(percent) / 100)
}

// rowsFirst is how long the rows of another moment have before the shell and the address follow.
const rowsFirst = 60 * time.Millisecond

// hour is an hour that ends now.
func hour() remembered { return remembered{from: time.Now().Add(-time.Hour), to: time.Now()} }

// travels returns the travels since the last call.
func (w *tab) travels() []port.Travel {
	var out []port.Travel
	for _, m := range w.takeSent() {
		if t, ok := m.(port.Travel); ok {
			out = append(out, t)
		}
	}
	return out
}

// sendPast says what the hub shows.
func (w *tab) sendPast(of remembered, m port.Past) {
	m.From, m.To, m.Recorded = of.from, of.to, of.recorded
	w.in <- m
	synctest.Wait()
}

// arrive answers travels as the hub does, until there are no more.
func (w *tab) arrive(of remembered) {
	w.t.Helper()
	for range 10 {
		all := w.travels()
		if len(all) == 0 {
			return
		}
		t := all[len(all)-1]
		m := port.Past{At: t.At, Playing: t.Playing, Speed: t.Speed, Seq: t.Seq}
		if t.Close {
			of.recorded = nil
		}
		if !t.At.IsZero() && t.At.Before(of.from) {
			m.At = of.from
		}
		w.sendPast(of, m)
	}
	w.t.Fatal("it travels and travels")
}

// bar returns the bar of the past as it is drawn, or nil.
func (w *tab) bar() *element {
	for _, e := range draw(w.t, w.page) {
		if e.attrs["class"] == "past" && e.attrs["hidden"] != "true" {
			return e
		}
	}
	return nil
}

// inPast is onPage with a live list and an hour that is remembered.
func inPast(t *testing.T, address string, test func(t *testing.T, w *tab, of remembered)) {
	t.Helper()
	onPage(t, address, func(t *testing.T, w *tab) {
		of := hour()
		w.arrive(of)
		w.live()
		w.sendPast(of, port.Past{At: w.page.past.At(), Seq: w.lastTravel})
		w.screen.takeCalls()
		w.takeSent()
		test(t, w, of)
	})
}

// wantAddressKept checks that the address is not written when the shell follows the rows.
func (w *tab) wantAddressKept() {
	w.t.Helper()
	w.sleep(rowsFirst)
	synctest.Wait()
	if steps := w.screen.takeCalls(); strings.Contains(steps, "push") || strings.Contains(steps, "replace") {
		w.t.Errorf("the address is written again: %s", steps)
	}
}

// at returns a moment as an address has it.
func at(moment time.Time) string { return moment.UTC().Format(time.RFC3339Nano) }

// TestPastDoesNotGlow checks that what differs between two moments does not glow, as what changes now does.
func TestPastDoesNotGlow(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		show := func(status string) int {
			w.paper.lit = 0
			w.sendPatch(view.Patch{Seq: w.page.list.Asked().Seq, Columns: []view.Column{{Name: "Name"}, {Name: "Status"}}, Total: 1, Order: []int{-1}, Rows: []view.Row{{Key: "a/web", UID: "1", Cells: []string{"web", status}}}})
			return w.paper.lit
		}
		show("Running")
		if lit := show("Failed"); lit != 1 {
			t.Errorf("now: %d cells glow", lit)
		}
		w.Typed(ui.TimeSlider, "50000")
		if lit := show("Pending"); lit != 0 {
			t.Errorf("in the past: %d cells glow", lit)
		}
	})
}

// TestScrubAndLeave checks that a move is in the address before what follows it, as a part of the moves before it,
// although the address follows the rows.
func TestScrubAndLeave(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(w *tab)
		want  string
	}{
		"to live":   {func(w *tab) { w.Act(past.ToLive, "") }, "replace 40 push live"},
		"playing":   {func(w *tab) { w.Act(past.PlayPast, "") }, "replace 40"},
		"the focus": {func(w *tab) { w.Focused("grid") }, "replace 40"},
		"arrival":   {func(w *tab) {}, "replace 40"},
	} {
		t.Run(name, func(t *testing.T) {
			inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
				w.Typed(ui.TimeSlider, "50000")
				w.arrive(of)
				w.Typed(ui.TimeSlider, "40000")
				w.screen.takeCalls()
				c.leave(w)
				w.arrive(of)
				text := strings.NewReplacer("/pods?at="+at(of.moment(40)), "40", "/pods,", "live,").Replace(w.screen.takeCalls() + ",")
				var steps []string
				for _, call := range strings.Split(strings.TrimSuffix(text, ","), ", ") {
					if strings.HasPrefix(call, "push") || strings.HasPrefix(call, "replace") {
						steps = append(steps, call)
					}
				}
				if said := strings.Join(steps, " "); said != c.want {
					t.Errorf("%s, want %s", said, c.want)
				}
				w.wantAddressKept()
			})
		})
	}
}

// TestScrubAgain checks that the shell is drawn for the rows of the last move, not by the timer of an earlier one.
func TestScrubAgain(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		w.Typed(ui.TimeSlider, "50000")
		w.arrive(of)
		w.Typed(ui.TimeSlider, "40000")
		w.sleep(rowsFirst / 2)
		w.arrive(of)
		w.screen.takeCalls()
		w.Typed(ui.TimeSlider, "30000")
		w.sleep(rowsFirst - time.Millisecond)
		synctest.Wait()
		if steps := w.screen.takeCalls(); steps != "" {
			t.Errorf("before its time: %s", steps)
		}
		w.sleep(time.Millisecond)
		synctest.Wait()
		moment := of.moment(30)
		if steps := w.screen.takeCalls(); !strings.Contains(steps, "state past "+moment.Format(time.DateTime)) || !strings.Contains(steps, "replace /pods?at="+at(moment)) {
			t.Errorf("in its time: %s", steps)
		}
	})
}

// TestScrubAndBack checks that Back right after a move leads to the entry before, and that nothing is written there.
func TestScrubAndBack(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		of.recorded = &port.RecordingInfo{Cluster: "prod"}
		w.sendPast(of, port.Past{At: of.to})
		w.Typed(ui.TimeSlider, "50000")
		w.arrive(of)
		w.Typed(ui.TimeSlider, "40000")
		w.screen.takeCalls()
		w.Moved("/pods", "")
		w.wantAddressKept()
	})
}

// TestScrubAndOpen checks that what is opened right after a move leaves an entry with that move's moment, although the
// address follows the rows.
func TestScrubAndOpen(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		w.Typed(ui.TimeSlider, "50000")
		w.Typed(ui.TimeSlider, "40000")
		w.screen.takeCalls()
		w.Act(ui.GoTo, "nodes")
		steps := w.screen.takeCalls()
		one, two := strings.Index(steps, "replace /pods?at="+at(of.moment(40))), strings.Index(steps, "push /nodes?at="+at(of.moment(40)))
		if one < 0 || two < one || strings.Count(steps, "push") != 1 {
			t.Error(steps)
		}
		w.wantAddressKept()
	})
}

// TestScrub checks that one Travel is in flight while the slider moves, that the newest waits, and that
// all moves are one entry of the history.
func TestScrub(t *testing.T) {
	inPast(t, "/pods?q=a", func(t *testing.T, w *tab, of remembered) {
		w.Act(past.GoBack, "")
		w.screen.takeCalls()
		for _, slot := range []string{"50000", "40000", "30000", "20000"} {
			w.Typed(ui.TimeSlider, slot)
		}
		if all := w.travels(); len(all) != 1 || !all[0].At.Equal(of.moment(50)) {
			t.Fatalf("the first travel alone flies, but %+v", all)
		}
		if steps := w.screen.takeCalls(); strings.Count(steps, "push") != 1 || !strings.Contains(steps, "push /pods?q=a&at="+at(of.moment(50))) || strings.Contains(steps, "replace") {
			t.Errorf("the rows of the newest moment come first, but %s", steps)
		}
		w.sleep(rowsFirst)
		synctest.Wait()
		if steps := w.screen.takeCalls(); strings.Contains(steps, "push") || strings.Count(steps, "replace") != 1 || !strings.Contains(steps, "replace /pods?q=a&at="+at(of.moment(20))) {
			t.Errorf("then the shell and the address: %s", steps)
		}
		if text := w.bar().text; !strings.Contains(text, of.moment(20).Format(time.TimeOnly)+" 48m ago") {
			t.Errorf("the newest moment is not on screen: %s", text)
		}
		w.sendPast(of, port.Past{}) // as every second
		if all := w.travels(); len(all) != 0 {
			t.Fatalf("what is no answer lets %+v fly", all)
		}
		w.sendPast(of, port.Past{At: of.moment(50), Seq: 1})
		if all := w.travels(); len(all) != 1 || !all[0].At.Equal(of.moment(20)) || all[0].Seq != 4 {
			t.Fatalf("then the newest, but %+v", all)
		}
		w.sendPast(of, port.Past{At: of.moment(50), Seq: 1}) // as every second
		if !w.page.past.At().Equal(of.moment(20)) {
			t.Error("what is no answer moves the slider")
		}
		w.sendPast(of, port.Past{At: of.moment(20), Seq: 4})
		if all := w.travels(); len(all) != 0 || w.here() != "/pods?q=a&at="+at(of.moment(20)) {
			t.Error(all, w.here())
		}
	})
}

// TestPastIsSaid checks that everything that says whether the page is live says that it is not.
func TestPastIsSaid(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		moment := of.to.Add(-5 * time.Minute)
		w.in <- port.State{Source: w.page.state.Source, Proxy: nil}
		w.Act(past.MovePast, "-300")
		w.arrive(of)
		steps := w.screen.takeCalls()
		if !strings.Contains(steps, "state past "+w.page.past.Clock(moment)+" · pods · Watchglass") {
			t.Error(steps)
		}
		all := draw(t, w.page)
		if badge := find(t, all, "id", "badge"); badge.text != "Past" || badge.attrs["data-tone"] != "past" {
			t.Errorf("%+v", badge)
		}
		if text := w.bar().text; !strings.Contains(text, "5m ago") || !strings.Contains(text, "Back to live") {
			t.Error(text)
		}
		if find(t, all, "data-action", string(TogglePause)).attrs["hidden"] != "true" {
			t.Error("it can be paused")
		}
		if got := w.page.panel.Announcement(); got != "Showing the past." {
			t.Error(got)
		}
		if all := w.page.past.CommandsNow(); !strings.Contains(all, "not as of "+w.page.past.Clock(moment)) {
			t.Error(all)
		}
		w.setSource(port.Source{Resource: "pods", State: port.Syncing})
		if badge := find(t, draw(t, w.page), "id", "badge").text; badge != "Past, syncing" {
			t.Errorf("a list that is not whole is said to be %q", badge)
		}
		w.setSource(port.Source{Resource: "pods", State: "stale", Synced: true})
		if steps := w.screen.takeCalls(); strings.Contains(steps, "state stale") {
			t.Error(steps)
		}
		w.setSource(port.Source{Resource: "pods", State: "live", Synced: true})
		w.screen.takeCalls()
		w.Press(ui.Key{Name: "L", InGrid: true})
		w.arrive(of)
		if steps := w.screen.takeCalls(); !strings.Contains(steps, "push /pods,") || !strings.Contains(steps, "state live pods · Watchglass") {
			t.Error(steps)
		}
		if w.bar() != nil || w.page.panel.Announcement() != "pods: live" {
			t.Error("it is not live again")
		}
	})
}

// TestPastInvalid checks that a page whose address has no valid time says so, and is live.
func TestPastInvalid(t *testing.T) {
	onPage(t, "/pods?at=yesterday", func(t *testing.T, w *tab) {
		for _, c := range []struct{ query, want string }{
			{"", "Invalid in the address: at=yesterday."}, {"?at=2026-13-01T00:00:00Z", "Invalid in the address: at=2026-13-01T00:00:00Z."}, {"?at=%1b" + strings.Repeat("9", 99), "Invalid in the address: at=␛" + strings.Repeat("9", 59) + "…."},
		} {
			if c.query != "" {
				w.Moved("/pods", c.query)
			}
			w.live()
			if got := w.notice(); got != c.want || w.page.past.On() {
				t.Errorf("%q, want %q; in the past: %t", got, c.want, w.page.past.On())
			}
		}
	})
}

// TestPastAddress checks that an address leads to its moment, that Back and Forward do, and that what
// else changes the address keeps it.
func TestPastAddress(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(w *tab, of remembered)
		at   time.Duration // before now, where it leads; 0: live
		here string        // without the moment
	}{
		"an object":      {func(w *tab, _ remembered) { w.Clicked("a/p1") }, 10 * time.Minute, "/pods?sel=a/p1"},
		"another kind":   {func(w *tab, _ remembered) { w.Act(ui.GoTo, "nodes") }, 10 * time.Minute, "/nodes"},
		"a filter":       {func(w *tab, _ remembered) { w.Typed("filter", "x") }, 10 * time.Minute, "/pods?q=x"},
		"Back":           {func(w *tab, _ remembered) { w.Moved("/pods", "") }, 0, "/pods"},
		"Back to before": {func(w *tab, of remembered) { w.Moved("/pods", "at="+at(of.to.Add(-time.Minute))) }, time.Minute, "/pods"},
		"live":           {func(w *tab, _ remembered) { w.Act(past.ToLive, "") }, 0, "/pods"},
		"Esc":            {func(w *tab, _ remembered) { w.Press(ui.Key{Name: "Escape", InGrid: true}) }, 0, "/pods"},
		"Esc, on slider": {func(w *tab, _ remembered) { w.Press(ui.Key{Name: "Escape", Field: ui.TimeSlider}) }, 0, "/pods"},
		"an arrow":       {func(w *tab, _ remembered) { w.Press(ui.Key{Name: "ArrowLeft", Field: ui.TimeSlider}) }, 10*time.Minute + time.Second, "/pods"},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				of := hour()
				w.live()
				w.Moved("/pods", "at="+at(of.to.Add(-10*time.Minute)))
				w.arrive(of)
				c.do(w, of)
				w.arrive(of)
				want := c.here
				if c.at != 0 {
					want += map[bool]string{true: "&", false: "?"}[strings.Contains(want, "?")] + "at=" + at(of.to.Add(-c.at))
				}
				path, moment, _ := strings.Cut(w.here(), "at=")
				wantPath, wantMoment, _ := strings.Cut(want, "at=")
				moment, rest, _ := strings.Cut(moment, "&")
				if moment != wantMoment || strings.TrimRight(path+rest, "?&") != strings.TrimRight(wantPath, "?&") {
					t.Errorf("at %s, not %s", w.here(), want)
				}
				if got := w.page.past.On(); got != (c.at != 0) {
					t.Errorf("in the past: %v", got)
				}
			})
		})
	}
}

// TestLinkToPast checks a link with a moment, and one whose moment is not in history.
func TestLinkToPast(t *testing.T) {
	for since, want := range map[time.Duration]string{10 * time.Minute: "", 2 * time.Hour: " is not in history: this tab started watching at "} {
		synctest.Test(t, func(t *testing.T) {
			moment := time.Now().Add(-since)
			w := &tab{t: t, screen: &screen{kept: map[string]string{}}, paper: &fakePainter{rows: map[int]*line{}}, in: make(chan port.Message), prefix: "a/p", total: 5}
			w.Page = NewPage(w, w.screen, "", "/pods", "at="+at(moment), func() {})
			defer close(w.in)
			go w.Run()
			if all := w.travels(); len(all) != 1 || !all[0].At.Equal(moment) {
				t.Fatal(all)
			}
			w.Attach(w.paper, 20*ui.RowHeight)
			m := port.Past{At: moment, Seq: 1}
			if want != "" {
				m.At = time.Now().Add(-time.Hour) // the nearest that is remembered
			}
			w.sendPast(hour(), m)
			if want != "" {
				w.arrive(hour())
			}
			if want == "" {
				if text := find(t, draw(t, w.page), "class", "past").text; w.here() != "/pods?at="+at(moment) || strings.Contains(text, "history") {
					t.Error(w.here(), text)
				}
				return
			}
			if w.here() != "/pods" || w.page.past.On() || !strings.Contains(w.bar().text, moment.Format(time.TimeOnly)+want) {
				t.Error(w.here(), w.bar())
			}
		})
	}
}

// TestPastAges checks that ages count from the moment on screen.
func TestPastAges(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		w.Act(past.MovePast, "-1800")
		w.arrive(of)
		moment := w.page.past.At()
		if got := w.page.past.Now(); !got.Equal(of.to.Add(-30 * time.Minute)) {
			t.Fatal(got)
		}
		all := events.New(w.page)
		all.Open()
		doc, _ := json.Marshal(related.EventList{Events: []related.Event{{Reason: "x", Last: moment.Add(-5 * time.Minute).Unix()}}})
		all.OnDetail(doc)
		if got := find(t, parts(t, all.Draw()), "class", "when").text; got != "5m" {
			t.Errorf("the event was %s ago", got)
		}
		describes := summary.New(w.page)
		describes.Open()
		doc, _ = json.Marshal(detail.Summary{Sections: []detail.Section{{Rows: []detail.Row{{Lines: []detail.Line{{{At: moment.Add(-time.Minute).Unix()}}}}}}}})
		describes.OnDetail(doc)
		if got := content(parts(t, describes.Draw().(app.Composer).Render())); !strings.Contains(got, "60s ago") {
			t.Errorf("the summary says %q", got)
		}
		w.Act(past.ToLive, "")
		w.arrive(of)
		if got := w.page.past.Now(); !got.Equal(time.Now()) {
			t.Error(got)
		}
	})
}

// TestPastSteps checks that keys step from change to change, as often as they are pressed, one question
// at a time.
func TestPastSteps(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		asks := func() (all []port.Ask, travels []port.Travel) {
			for _, m := range w.takeSent() {
				switch m := m.(type) {
				case port.Ask:
					all = append(all, m)
				case port.Travel:
					travels = append(travels, m)
				}
			}
			return all, travels
		}
		for range 3 {
			w.Press(ui.Key{Name: ",", InGrid: true})
		}
		for i := 1; i <= 3; i++ {
			all, _ := asks()
			if len(all) != 1 || all[0].Method != "past.step" || string(all[0].Args) != "[-1]" || all[0].List != list.ID {
				t.Fatalf("step %d asks %+v", i, all)
			}
			moment := of.to.Add(-time.Duration(i) * time.Minute)
			value, _ := json.Marshal(map[string]any{"at": moment})
			w.in <- port.Answer{ID: all[0].ID, Value: value}
			synctest.Wait()
			all, travels := asks()
			if len(all) != 0 || len(travels) != 1 || !travels[0].At.Equal(moment) {
				t.Fatalf("step %d leads to %+v, and asks %+v", i, travels, all)
			}
			w.sendPast(of, port.Past{At: moment, Seq: travels[0].Seq})
		}
		if all, _ := asks(); len(all) != 0 {
			t.Fatalf("three presses are three steps, but %+v", all)
		}
		w.Press(ui.Key{Name: ".", InGrid: true})
		all, _ := asks()
		if string(all[0].Args) != "[1]" {
			t.Errorf("%s", all[0].Args)
		}
		w.in <- port.Answer{ID: all[0].ID, Value: json.RawMessage("{}")}
		synctest.Wait()
		if got := w.notice(); got != "No later changes seen in this list." {
			t.Error(got)
		}
	})
}

// TestStepMissed checks that a step says where changes may be missing: on the way to a change, or up to the end of history.
func TestStepMissed(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		gap := port.Interruption{From: of.from, To: of.from.Add(time.Second)}
		between := words.FromTo(gap.From, gap.To)
		for _, c := range []struct {
			by    int
			found map[string]any
			want  string
		}{
			{-1, nil, "No earlier changes seen in this list."},
			{1, map[string]any{"missed": gap, "gaps": 1}, "No later changes seen in this list. Changes may be missing (" + between + ")."},
			{-1, map[string]any{"missed": gap, "gaps": 1, "unwatched": true}, "No earlier changes known: this list was not watched (" + between + ")."},
			{-1, map[string]any{"at": of.from, "missed": gap, "gaps": 3}, "Changes may be missing in this step (" + between + " and 2 more gaps)."},
		} {
			value, _ := json.Marshal(c.found)
			w.Act(past.StepPast, strconv.Itoa(c.by))
			for _, m := range w.takeSent() {
				if ask, ok := m.(port.Ask); ok && ask.Method == "past.step" {
					w.in <- port.Answer{ID: ask.ID, Value: value}
				}
			}
			synctest.Wait()
			if got := w.notice(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		}
	})
}

// TestPlayPast checks playing: the moment that the hub sends runs, while the address stays until it is
// stopped.
func TestPlayPast(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		w.Act(past.MovePast, "-600")
		w.arrive(of)
		begun := w.here()
		w.Act(past.SetSpeed, "10")
		w.Press(ui.Key{Name: "p", InGrid: true})
		all := w.travels()
		if len(all) != 1 || !all[0].Playing || all[0].Speed != 10 || w.page.list.Paused() {
			t.Fatalf("%+v", all)
		}
		for i := range 3 {
			w.sendPast(of, port.Past{At: of.to.Add(time.Duration(i*10-590) * time.Second), Playing: true, Speed: 10, Seq: all[0].Seq})
		}
		if text := w.bar().text; w.here() != begun || !strings.Contains(text, of.to.Add(-570*time.Second).Format(time.TimeOnly)) {
			t.Error(w.here(), text)
		}
		w.Press(ui.Key{Name: " ", Field: ui.TimeSlider})
		w.arrive(of)
		if want := "/pods?at=" + at(of.to.Add(-570*time.Second)); w.here() != want || w.page.past.Playing() {
			t.Error(w.here(), want)
		}
		var speeds []string
		for _, e := range draw(t, w.page) {
			if e.attrs["data-action"] == string(past.SetSpeed) {
				speeds = append(speeds, e.attrs["data-value"])
			}
		}
		if fmt.Sprint(speeds) != "[1 10 60]" {
			t.Error(speeds)
		}
	})
}

// TestTravelScript checks what scripts get.
func TestTravelScript(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		var heard []string
		w.On("state", func(doc json.RawMessage) { heard = append(heard, string(doc)) })
		travel := func(at time.Time) (doc, failed string) {
			done := make(chan struct{})
			go func() {
				d, f := w.Travel(at)
				doc, failed = string(d), f
				close(done)
			}()
			synctest.Wait()
			w.arrive(of)
			<-done
			return doc, failed
		}
		moment := of.to.Add(-time.Minute)
		if doc, failed := travel(moment); failed != "" || !strings.Contains(doc, `"at":"`+moment.Format(time.RFC3339Nano)) {
			t.Error(doc, failed)
		}
		synctest.Wait()
		if len(heard) != 1 || !strings.Contains(heard[0], `"state":"past"`) {
			t.Error(heard)
		}
		if _, failed := travel(of.from.Add(-time.Minute)); !strings.Contains(failed, "is not in history") {
			t.Error(failed)
		}
		if doc, failed := travel(time.Time{}); doc != "null" || failed != "" {
			t.Error(doc, failed)
		}
	})
}

// TestMissed checks that times in which changes may be missing are drawn and said.
func TestMissed(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		w.Act(past.MovePast, "-1800")
		w.arrive(of)
		gap := port.Interruption{From: of.to.Add(-31 * time.Minute), To: of.to.Add(-29 * time.Minute)}
		w.sendPast(of, port.Past{At: w.page.past.At(), Seq: w.lastTravel, Missed: []port.Interruption{gap}})
		if text := w.bar().text; !strings.Contains(text, "Changes may be missing here.") {
			t.Error(text)
		}
		drawn := slices.ContainsFunc(draw(t, w.page), func(e *element) bool {
			return strings.Count(e.attrs["d"], "M") >= 6 && strings.HasPrefix(e.attrs["d"], "M48333 1l")
		})
		if !drawn {
			t.Error("the gap is not drawn")
		}
	})
}

// TestPastOverview checks that the overview and the list of problems, which are one list, both say that they
// show the past.
func TestPastOverview(t *testing.T) {
	for address, key := range map[string]string{"/problems": route.OverviewID, "/": port.Problems} {
		inPast(t, address, func(t *testing.T, w *tab, of remembered) {
			w.Act(past.MovePast, "-60")
			w.arrive(of)
			w.screen.takeCalls()
			w.Act(ui.GoTo, key)
			if calls := w.screen.takeCalls(); !strings.Contains(calls, "state past ") || strings.Contains(calls, "state live ") {
				t.Errorf("%s to %s: %s", address, key, calls)
			}
		})
	}
}

// TestNotRemembered checks that a list of which nothing is known at a moment is not said to be empty or
// forbidden, and that the rights that are noted stay.
func TestNotRemembered(t *testing.T) {
	inPast(t, "/nodes", func(t *testing.T, w *tab, of remembered) {
		w.Act(past.MovePast, "-60")
		w.arrive(of)
		refused := port.Source{Resource: "nodes", ID: "nodes", Kind: "Node", State: port.Denied, Cause: &wire.Status{Origin: wire.FromTab, Code: 403, Message: "nodes were not watched at this time"}}
		w.sendPatch(view.Patch{Seq: w.page.list.Asked().Seq, Columns: []view.Column{{Name: "Name"}}})
		w.setSource(refused)
		text := find(t, draw(t, w.page), "class", "panel").text
		if text != "Nodes not in history Nodes were not watched at this time. Choose another time, or go back to live." {
			t.Error(text)
		}
		for _, e := range draw(t, w.page) {
			if e.attrs["id"] != "who" && (strings.Contains(e.text, "permission") || strings.Contains(e.text, "denied") || strings.Contains(e.text, "admin")) {
				t.Fatal(e.text)
			}
		}
		if gaps := w.page.sidebar.Gaps([]view.Gap{{Resource: "nodes", State: port.Denied}}); gaps[0].Text(1) != "Nodes: not in history." || gaps[0].Refused {
			t.Error(gaps)
		}
		w.page.access.NoteGaps([]view.Gap{{Resource: "nodes", State: port.Denied}})
		if len(w.page.access.Refused()) != 0 {
			t.Error("what is not in history counts as forbidden")
		}
		w.setSource(port.Source{Resource: "nodes", ID: "nodes", Kind: "Node", State: port.Live, Synced: true})
		if text := find(t, draw(t, w.page), "class", "panel").text; text != "No nodes There were none in this cluster at this time." {
			t.Error(text)
		}
	})
}

// TestRecordedRights checks that what the user may not list now is not said of a recording, which somebody
// else may have made.
func TestRecordedRights(t *testing.T) {
	onPage(t, "/nodes", func(t *testing.T, w *tab) {
		w.live()
		w.page.access.NoteGaps([]view.Gap{{Resource: "nodes", State: port.Denied}})
		said := func() (count string, limits bool) {
			return countOf(t, w.page, "nodes", "Nodes"), strings.Contains(content(parts(t, w.page.session.Draw())), "Limits")
		}
		if count, limits := said(); count != "denied" || !limits {
			t.Errorf("live: %q, limits: %v", count, limits)
		}
		of := hour()
		of.recorded = &port.RecordingInfo{Cluster: "x"}
		w.sendPast(of, port.Past{At: of.to})
		w.live()
		if count, limits := said(); count != words.Count(w.total) || limits {
			t.Errorf("in a recording: %q, limits: %v", count, limits)
		}
	})
}

// TestPastLimits checks that the past does not say of namespaces that a right is missing: those that the
// address names need no word, and others were not watched.
func TestPastLimits(t *testing.T) {
	for address, want := range map[string]string{
		"/pods?n=a": "",
		"/pods":     "Showing namespace a only: other namespaces are not in history.",
	} {
		inPast(t, address, func(t *testing.T, w *tab, of remembered) {
			w.Act(past.MovePast, "-300")
			w.arrive(of)
			w.setSource(port.Source{Resource: "pods", State: "live", Synced: true, Namespace: "a", Namespaced: true})
			all := draw(t, w.page)
			if got := find(t, all, "class", "banner").text; got != want {
				t.Errorf("%s: %q, not %q", address, got, want)
			}
		})
	}
}
