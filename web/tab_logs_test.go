package web

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/detail"
	"watchglass/internal/detail/log"
	logline "watchglass/internal/detail/log/line"
	"watchglass/internal/port"
	"watchglass/internal/query"
	"watchglass/web/grid"
	"watchglass/web/tab/logs"
	"watchglass/web/ui"
)

// fakeTextPainter is a fake painter of a long text that holds what the user would see.
type fakeTextPainter struct{ rows map[int]grid.Line }

func (*fakeTextPainter) Length(int)                   {}
func (*fakeTextPainter) Place(int, int)               {}
func (*fakeTextPainter) Paint()                       {}
func (s *fakeTextPainter) Line(slot int, l grid.Line) { s.rows[slot] = l }
func (s *fakeTextPainter) Hide(slot int)              { delete(s.rows, slot) }

// onLogs opens the logs of a pod on a screen of ten rows.
func onLogs(t *testing.T, address string, test func(t *testing.T, w *tab, s *fakeTextPainter)) {
	onPage(t, address, func(t *testing.T, w *tab) {
		s := &fakeTextPainter{rows: make(map[int]grid.Line)}
		w.AttachText(s)
		w.live()
		w.TextScrolled(0, 10*ui.TextRowHeight, 80)
		test(t, w, s)
	})
}

// askedLogs returns the last request for logs.
func (w *tab) askedLogs() (o log.Options, seq uint32) {
	w.t.Helper()
	all := w.focused()
	if len(all) == 0 {
		w.t.Fatal("nothing was asked")
	}
	last := all[len(all)-1]
	if err := json.Unmarshal(last.Options, &o); err != nil {
		w.t.Fatal(err)
	}
	return o, last.Seq
}

// tellLogs sends the number of rows and a window of them, by default in answer to the last request.
func (w *tab) tellLogs(h log.Head, limit int) {
	w.t.Helper()
	if h.Seq == 0 {
		h.Seq = w.logsAsked().Seq
	}
	d := &log.Document{Head: h}
	for i := range min(limit, h.Rows-h.Offset) {
		d.Window = append(d.Window, log.Row{Position: uint64(h.Offset + i), Spans: []log.Run{{Text: fmt.Sprint("line ", h.Offset+i), Style: 2}}})
	}
	doc, err := d.Append(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.in <- port.Detail{Seq: 99, Part: "logs", Doc: doc}
	synctest.Wait()
}

// taking returns the last request for lines of a log, and whether there is one and a pull of it.
func (w *tab) taking() (take log.SaveOptions, id uint32, pulled bool) {
	w.t.Helper()
	synctest.Wait()
	for _, m := range w.takeSent() {
		switch m := m.(type) {
		case port.Ask:
			all := []log.SaveOptions{{}}
			if m.Method != "log.save" {
				continue
			}
			if err := json.Unmarshal(m.Args, &all); err != nil {
				w.t.Fatal(err)
			}
			take, id, pulled = all[0], m.ID, false
		case port.Pull:
			pulled = m.ID == id || id == 0 // of this request, or of one before
		}
	}
	return take, id, pulled
}

// giveLines sends lines of a log, and the answer if they are the last.
func (w *tab) giveLines(id uint32, text string, last bool) {
	w.in <- port.Chunk{ID: id, Data: []byte(text)}
	if last {
		w.in <- port.Answer{ID: id, Value: json.RawMessage(`{}`)}
	}
	synctest.Wait()
}

// logsAsked returns what the worker was asked last.
func (w *tab) logsAsked() (o log.Options) {
	w.t.Helper()
	if err := json.Unmarshal(w.page.drawer.Asked().Options, &o); err != nil {
		w.t.Fatal(err)
	}
	return o
}

// The fields of the tab.
const (
	logsFilterField    = "logs-filter"
	logsFindField      = "logs-find"
	logsContainerField = "logs-container"
	logsSinceField     = "logs-since"
	logsBarsField      = "logs-histogram"
)

const logsAddress = "/pods?sel=a/p1&tab=logs&ct=web"

// TestLogsFollow checks that the end is followed until the user scrolls up, and again at the end.
func TestLogsFollow(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, s *fakeTextPainter) {
		if o, _ := w.askedLogs(); !o.Follow || o.Container != "web" || o.Limit < 10 {
			t.Errorf("%+v", o)
		}
		w.want("")
		w.tellLogs(log.Head{Rows: 100, Offset: 60}, 40)
		if got := w.screen.takeCalls(); !strings.Contains(got, fmt.Sprint("scroll text ", 90*ui.TextRowHeight)) {
			t.Errorf("%s", got)
		}
		w.tellLogs(log.Head{Rows: 103, Offset: 63}, 40)
		if got := w.screen.takeCalls(); !strings.Contains(got, fmt.Sprint("scroll text ", 93*ui.TextRowHeight)) {
			t.Errorf("%s", got)
		}
		w.TextScrolled(50*ui.TextRowHeight, 10*ui.TextRowHeight, 80)
		if o, _ := w.askedLogs(); o.Follow || o.Offset > 44 || o.Offset+o.Limit < 66 {
			t.Errorf("%+v", o)
		}
		w.screen.takeCalls()
		w.tellLogs(log.Head{Rows: 120, Offset: 0}, 120)
		w.want("")
		shown := false
		for _, l := range s.rows {
			shown = shown || slices.Contains(l.Spans, grid.Span{Text: "line 55", Look: "c2"})
		}
		if !shown {
			t.Errorf("%+v", s.rows)
		}
		for _, e := range draw(t, w.page) {
			if e.attrs["class"] == "chip" && e.attrs["data-action"] == string(logs.Follow) && e.text != "17 new below" {
				t.Errorf("%q", e.text)
			}
		}
		w.tellLogs(log.Head{Rows: 115, Gone: 5, Offset: 0}, 115)
		w.want(fmt.Sprint("scroll text ", 45*ui.TextRowHeight))
		w.Act(logs.Follow, "")
		if o, _ := w.askedLogs(); !o.Follow {
			t.Errorf("%+v", o)
		}
	})
}

// TestLogsFollowOn checks that following continues when it is the browser that moves the text: rows
// were dropped, while the box changes its height or is hidden and shown again.
func TestLogsFollowOn(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		follows := func(top int) {
			t.Helper()
			if got := w.screen.takeCalls(); !strings.Contains(got, fmt.Sprint("scroll text ", top*ui.TextRowHeight)) {
				t.Errorf("%q, want %d rows above", got, top)
			}
			if !w.logsAsked().Follow {
				t.Fatal("it follows no more")
			}
		}
		w.tellLogs(log.Head{Rows: 100, Offset: 60}, 40)
		follows(90)
		w.tellLogs(log.Head{Rows: 80, Gone: 25, Offset: 40}, 40)
		follows(70)
		w.TextScrolled(70*ui.TextRowHeight, 9*ui.TextRowHeight, 80)
		follows(71)
		w.TextScrolled(0, 0, 80)
		w.tellLogs(log.Head{Rows: 90, Gone: 25, Offset: 50}, 40)
		w.TextScrolled(0, 10*ui.TextRowHeight, 80)
		follows(80)
		w.TextScrolled(70*ui.TextRowHeight, 10*ui.TextRowHeight, 80)
		if w.logsAsked().Follow {
			t.Error("who scrolls up is not left there")
		}
	})
}

// TestLogsOfBefore checks that a document with other lines than those requested is ignored.
func TestLogsOfBefore(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		for _, change := range []func(){
			func() { w.Typed(logsContainerField, log.AllContainers) },
			func() { w.Act(logs.Previous, "") },
			func() { w.Typed(logsSinceField, "60") },
		} {
			before := w.logsAsked()
			change()
			if w.tellLogs(log.Head{Seq: before.Seq, Rows: 3}, 3); w.page.drawer.Tab().Long().Rows() != 0 {
				t.Error("the lines of before are shown")
			}
			now := w.logsAsked()
			w.Typed(logsFilterField, fmt.Sprint(now.Seq))
			if w.tellLogs(log.Head{Seq: now.Seq, Rows: 3}, 3); w.page.drawer.Tab().Long().Rows() == 0 {
				t.Error("the lines that were asked for are not shown")
			}
		}
	})
}

// TestPauseOvertaken pauses a log that the worker then reads again. The page says paused only while the log is, and
// an answer from before the pause does not end it.
func TestPauseOvertaken(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		w.tellLogs(log.Head{Rows: 3}, 3)
		before, _ := w.askedLogs()
		w.Act(logs.Pause, "")
		w.tellLogs(log.Head{Seq: before.Seq, Rows: 3}, 3)
		for _, c := range []struct {
			head log.Head
			says bool
		}{{log.Head{Rows: 3, Paused: true, Waiting: 2}, true}, {log.Head{Rows: 2}, false}} {
			w.tellLogs(c.head, 2)
			if says := strings.Contains(find(t, draw(t, w.page), "data-action", string(logs.Follow)).text, "pending · resume"); says != c.says || (find(t, draw(t, w.page), "data-action", string(logs.Pause)).text == "Resume p") != c.says {
				t.Errorf("%+v: the page says paused: %v", c.head, says)
			}
		}
		w.Act(logs.Pause, "")
		if o, _ := w.askedLogs(); !o.Paused {
			t.Error("it can't be paused again")
		}
	})
}

// TestLogsStartOver pauses a log, selects a line and expands another. Other logs are not paused, or none of
// their lines would show, and nothing is selected or expanded in them.
func TestLogsStartOver(t *testing.T) {
	for name, change := range map[string]func(w *tab){
		"container": func(w *tab) { w.Typed(logsContainerField, log.AllContainers) },
		"previous":  func(w *tab) { w.Act(logs.Previous, "") },
		"since":     func(w *tab) { w.Typed(logsSinceField, "3600") },
		"back":      func(w *tab) { w.Moved("/pods", "sel=a/p1&tab=logs&ct=side") },
	} {
		t.Run(name, func(t *testing.T) {
			onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
				w.tellLogs(log.Head{Rows: 3}, 3)
				w.Act(logs.Pick, "1")
				w.Act(logs.Expand, "7")
				w.Act(logs.Pause, "")
				if o, _ := w.askedLogs(); !o.Paused || o.Follow || len(o.Open) != 1 {
					t.Fatalf("%+v", o)
				}
				change(w)
				if o, _ := w.askedLogs(); o.Paused || !o.Follow || len(o.Open) > 0 {
					t.Errorf("%+v", o)
				}
				w.Act(logs.Copy, "")
				if take, _, _ := w.taking(); take.To != math.MaxInt64 {
					t.Errorf("lines of before are copied: %+v", take)
				}
			})
		})
	}
}

// TestLogsAsk checks the request of each control.
func TestLogsAsk(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		w.tellLogs(log.Head{Rows: 3}, 3)
		for _, c := range []struct {
			do   func()
			want func(o log.Options) bool
		}{
			{func() { w.Typed(logsFilterField, "!x") }, func(o log.Options) bool { return o.Filter == "!x" }},
			{func() { w.Typed(logsFindField, "y") }, func(o log.Options) bool { return o.Search == "y" && o.Seek.Seq == 1 && o.Seek.Back }},
			{func() { w.Act(logs.Next, "") }, func(o log.Options) bool { return o.Seek.Seq == 2 && !o.Seek.Back }},
			{func() { w.Typed(logsSinceField, "300") }, func(o log.Options) bool { return o.Since == 300 && !o.All }},
			{func() { w.Typed(logsSinceField, "all") }, func(o log.Options) bool { return o.Since == 0 && o.All }},
			{func() { w.Typed(logsContainerField, log.AllContainers) }, func(o log.Options) bool { return o.Container == log.AllContainers }},
			{func() { w.Act(logs.Previous, "") }, func(o log.Options) bool { return o.Previous }},
			{func() { w.Act(logs.Pause, "") }, func(o log.Options) bool { return o.Paused }},
			{func() { w.Act(logs.Follow, "") }, func(o log.Options) bool { return !o.Paused && o.Follow }},
			{func() { w.Act(logs.Wrap, "") }, func(o log.Options) bool { return o.Columns > 50 && o.Columns < 70 }},
			{func() { w.Act(logs.Times, "") }, func(o log.Options) bool { return o.Columns > 40 && o.Columns < 50 }},
			{func() { w.Act(logs.Raw, "") }, func(o log.Options) bool { return o.Raw }},
			{func() { w.Act(logs.Raw, "") }, func(o log.Options) bool { return !o.Raw }},
			{func() { w.Act(logs.Expand, "7") }, func(o log.Options) bool { return slices.Equal(o.Open, []uint64{7}) && !o.Follow }},
			{func() { w.Act(logs.Expand, "9") }, func(o log.Options) bool { return slices.Equal(o.Open, []uint64{7, 9}) }},
			{func() { w.Act(logs.Expand, "7") }, func(o log.Options) bool { return slices.Equal(o.Open, []uint64{9}) }},
			{func() { w.TextScrolled(0, 180, 100) }, func(o log.Options) bool { return o.Columns > 60 && o.Columns < 80 }},
			{func() { w.Act(logs.Clear, "") }, func(o log.Options) bool { return o.Cleared == 1 }},
		} {
			c.do()
			if o, _ := w.askedLogs(); !c.want(o) {
				t.Errorf("%+v", o)
			}
		}
		if a := w.page.address; a.Container != log.AllContainers {
			t.Errorf("%+v", a)
		}
	})
}

// TestLogsLeft goes to the end before a match is found: the answer does not take the user back.
func TestLogsLeft(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		w.tellLogs(log.Head{Rows: 100, Offset: 60}, 40)
		w.Typed(logsFindField, "y")
		w.Act(logs.Follow, "")
		w.screen.takeCalls()
		w.tellLogs(log.Head{Rows: 101, Offset: 61, Found: &log.Found{Seq: 1, Row: 7}}, 40)
		w.want(fmt.Sprint("scroll text ", 91*ui.TextRowHeight))
		w.Act(logs.Next, "")
		w.tellLogs(log.Head{Rows: 101, Offset: 61, Found: &log.Found{Seq: 2, Row: 7}}, 40)
		w.want(fmt.Sprint("scroll text ", 7*ui.TextRowHeight))
	})
}

// TestLogsByKey chooses a container and its previous logs by keys alone, and in the palette.
func TestLogsByKey(t *testing.T) {
	onLogs(t, "/pods?sel=a/p1&tab=logs", func(t *testing.T, w *tab, _ *fakeTextPainter) {
		doc, err := json.Marshal(detail.Head{Name: "p1", Containers: []detail.Container{{Name: "web"}, {Name: "proxy", Role: "sidecar"}}})
		if err != nil {
			t.Fatal(err)
		}
		w.in <- port.Detail{Seq: 99, Part: port.HeadPart, Doc: doc}
		synctest.Wait()
		w.screen.takeCalls()
		w.Press(ui.Key{Name: "o", Drawer: "logs", OnTab: true})
		w.want("focus logs-container")
		w.Press(ui.Key{Name: "Escape", Drawer: "logs", Typing: true, Field: logsContainerField})
		w.want("focus text")
		w.Press(ui.Key{Name: "P", Drawer: "logs"})
		if o, _ := w.askedLogs(); !o.Previous {
			t.Errorf("%+v", o)
		}
		for text, want := range map[string]ui.Action{"current logs": logs.Previous, "container proxy": logs.Choose, "all cont": logs.Choose} {
			if all := offers(w.page.palette, text); len(all) == 0 || all[0].Action != want {
				t.Errorf("%q leads to %+v", text, all)
			}
		}
		w.Press(ui.Key{Name: ":", Drawer: "logs"})
		w.Typed("palette", "container proxy")
		w.Press(ui.Key{Name: "Enter", Typing: true})
		if o, _ := w.askedLogs(); o.Container != "proxy" || !o.Previous {
			t.Errorf("%+v", o)
		}
	})
}

// TestLogsTake copies lines, and saves a file, one chunk after another.
func TestLogsTake(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		w.tellLogs(log.Head{Rows: 3}, 3)
		w.Act(logs.Pick, "2")
		w.Act(logs.Pick, "1")
		w.Act(logs.Copy, "")
		take, id, pulled := w.taking()
		if !take.Copy || take.From != 1 || take.To != 2 || !pulled {
			t.Fatalf("%+v", take)
		}
		w.screen.takeCalls()
		w.giveLines(id, "line 1\nline 2\n", true)
		w.want("copy line 1\nline 2\n")
		w.Act(logs.Save, "raw")
		take, id, pulled = w.taking()
		if !take.Export.Raw || !take.Export.All || !pulled {
			t.Errorf("%+v", take)
		}
		w.giveLines(id, "one\n", false)
		if _, _, pulled := w.taking(); !pulled {
			t.Error("no more is pulled")
		}
		w.screen.takeCalls()
		w.giveLines(id, "two\n", true)
		w.want("save text/plain;charset=utf-8")
		if w.screen.saved != "p1-web.log\none\ntwo\n" {
			t.Errorf("%q", w.screen.saved)
		}
	})
}

// TestLogsTakeEnds checks that after the last chunk no request asks for another, and that none is saved or
// copied: neither what comes late nor what a new worker answers.
func TestLogsTakeEnds(t *testing.T) {
	for of, take := range map[string]func(w *tab){
		"save": func(w *tab) { w.Act(logs.Save, "text") },
		"copy": func(w *tab) { w.Act(logs.Copy, "") },
	} {
		t.Run(of, func(t *testing.T) {
			onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
				w.tellLogs(log.Head{Rows: 3}, 3)
				take(w)
				_, first, _ := w.taking()
				w.giveLines(first, "one\n", true)
				w.screen.takeCalls()
				w.takeSent()
				w.Act(logs.Wrap, "")
				if _, id, pulled := w.taking(); id != 0 || pulled {
					t.Errorf("a request goes on asking for %d", id)
				}
				for range 2 {
					w.giveLines(first, "", true)
				}
				if got := w.screen.takeCalls(); strings.Contains(got, "save text") || strings.Contains(got, "copy") {
					t.Errorf("%q", got)
				}
				take(w)
				_, second, _ := w.taking()
				if second <= first {
					t.Errorf("the next one is %d", second)
				}
				take(w) // before the second has ended
				if _, third, _ := w.taking(); third != 0 || !strings.HasPrefix(w.notice(), "Still saving") {
					t.Errorf("another request, and %q", w.notice())
				}
				w.giveLines(second, "two\n", true)
				if got := w.screen.takeCalls(); !strings.Contains(got, of) {
					t.Errorf("%q", got)
				}
				take(w)
				_, fourth, _ := w.taking()
				w.locked(func(g *page) { g.drawer.Close() })
				w.giveLines(fourth, "four\n", true)
				if got := w.screen.takeCalls(); strings.Contains(got, "save text") || strings.Contains(got, "copy") {
					t.Errorf("%q", got)
				}
			})
		})
	}
}

// TestLogsTakeCut checks that a file is not saved in part, that the user learns it, and that a file which is
// complete has the name of the container that it was requested of.
func TestLogsTakeCut(t *testing.T) {
	for _, c := range []struct {
		end         port.Answer
		saved, said string
	}{
		{port.Answer{Error: port.ErrReloaded.Error()}, "", "The logs were reloaded or filtered before they could be saved. Save again."},
		{port.Answer{Value: json.RawMessage(`{}`)}, "p1-web.log\none\n", ""},
	} {
		onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
			w.tellLogs(log.Head{Rows: 3}, 3)
			w.Act(logs.Save, "raw")
			_, id, _ := w.taking()
			w.giveLines(id, "one\n", false)
			w.Typed(logsContainerField, "side")
			c.end.ID = id
			w.in <- c.end
			synctest.Wait()
			if w.screen.saved != c.saved {
				t.Errorf("%q is saved, want %q", w.screen.saved, c.saved)
			}
			if got := w.notice(); got != c.said {
				t.Errorf("%q, want %q", got, c.said)
			}
			w.takeSent()
			w.Act(logs.Wrap, "")
			if _, id, pulled := w.taking(); id != 0 || pulled {
				t.Errorf("a request goes on asking for %d", id)
			}
		})
	}
}

// TestLogsLevels picks levels, which are part of the filter and of the address.
func TestLogsLevels(t *testing.T) {
	onLogs(t, logsAddress+"&lq=status>%3D500&since=60&wrap=true", func(t *testing.T, w *tab, _ *fakeTextPainter) {
		if o, _ := w.askedLogs(); o.Filter != "status>=500" || o.Since != 60 || o.Columns == 0 {
			t.Errorf("%+v", o)
		}
		w.screen.takeCalls()
		w.tellLogs(log.Head{Rows: 3, Held: 3, Levels: [logline.Levels]int{logline.Error: 12_345, logline.Info: 2}}, 3)
		if got := find(t, draw(t, w.page), "id", logsFilterField).attrs["value"]; got != "status>=500" {
			t.Errorf("the field has %q", got)
		}
		for _, c := range []struct{ level, want string }{
			{"error", "status>=500 level:error"}, {"warn", "status>=500 level:error,warn"}, {"error", "status>=500 level:warn"}, {"warn", "status>=500"},
		} {
			w.Act(logs.Level, c.level)
			if o, _ := w.askedLogs(); o.Filter != c.want || w.page.address.Log.Filter != c.want {
				t.Errorf("%q, in the address %q, want %q", o.Filter, w.page.address.Log.Filter, c.want)
			}
		}
		w.Act(logs.Level, "info")
		var labels []string
		for _, e := range draw(t, w.page) {
			if e.attrs["data-action"] == string(logs.Level) {
				labels = append(labels, e.text+", "+e.attrs["title"]+" "+e.attrs["aria-pressed"])
			}
		}
		if want := []string{"Error 12k, 12,345 lines with level error false", "Warn 0, 0 lines with level warn false", "Info 2, 2 lines with level info true", "Debug 0, 0 lines with level debug false"}; !slices.Equal(labels, want) {
			t.Errorf("%q, want %q", labels, want)
		}
		w.Act(logs.Raw, "")
		if got, want := w.page.address.String(""), "/pods?sel=a/p1&tab=logs&ct=web&lq=status%3E=500+level:info&since=60&wrap=true&raw=true"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestLogsComplete completes fields and their values with counts.
func TestLogsComplete(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		w.tellLogs(log.Head{Rows: 3}, 3)
		for _, c := range []struct {
			typed  string
			fields log.Fields
			want   string
		}{
			{"slow st", log.Fields{All: []query.ValueCount{{Text: "user", Count: 1}, {Text: "status", Count: 1204}, {Text: "stage", Count: 3}}}, "slow status: (status:  1,204 lines), slow stage: (stage:  3 lines)"},
			{"status:5", log.Fields{Of: "status", All: []query.ValueCount{{Text: "200", Count: 9}, {Text: "503", Count: 1}}}, "status:503 (503  1 line)"},
			{"!(user:a", log.Fields{Of: "user", All: []query.ValueCount{{Text: "ana", Count: 2}}}, "!(user:ana (ana  2 lines)"},
			{"status:5", log.Fields{All: []query.ValueCount{{Text: "status", Count: 1}}}, ""},
		} {
			w.Typed(logsFilterField, c.typed)
			if o, _ := w.askedLogs(); o.Complete == nil || c.want != "" && o.Complete.Field != c.fields.Of {
				t.Errorf("%q asks for %+v", c.typed, o.Complete)
			}
			w.tellLogs(log.Head{Rows: 3, Fields: &c.fields}, 3)
			var got []string
			in := false
			for _, e := range draw(t, w.page) {
				if in = e.attrs["id"] == "logs-fields" || in && e.tag == "option"; in && e.tag == "option" {
					got = append(got, e.attrs["value"]+" ("+e.attrs["label"]+")")
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%q: %q, want %q", c.typed, got, c.want)
			}
		}
	})
}

// TestLogsFailed chooses the container that failed, and names it.
func TestLogsFailed(t *testing.T) {
	onLogs(t, "/pods?sel=a/p1&tab=logs", func(t *testing.T, w *tab, _ *fakeTextPainter) {
		doc, err := json.Marshal(detail.Head{Name: "p1", Containers: []detail.Container{{Name: "web"}, {Name: "side"}}})
		if err != nil {
			t.Fatal(err)
		}
		w.in <- port.Detail{Seq: 99, Part: port.HeadPart, Doc: doc}
		w.tellLogs(log.Head{Rows: 3, Usual: "web"}, 3)
		if w.page.address.Container != "" {
			t.Errorf("%q is chosen", w.page.address.Container)
		}
		w.tellLogs(log.Head{Rows: 3, Usual: "side", Failed: true}, 3)
		if o, _ := w.askedLogs(); o.Container != "side" || w.page.address.Container != "side" {
			t.Errorf("%q is asked for, and %q in the address", o.Container, w.page.address.Container)
		}
		w.tellLogs(log.Head{Rows: 3, Usual: "side", Failed: true}, 3)
		var options []string
		for _, e := range draw(t, w.page) {
			if e.tag == "option" && (e.attrs["value"] == "side" || e.attrs["value"] == "") {
				options = append(options, e.text)
			}
		}
		if got := strings.Join(options, ", "); !strings.HasPrefix(got, "side (failed)") {
			t.Errorf("%s", got)
		}
		w.Typed(logsContainerField, "web")
		w.tellLogs(log.Head{Rows: 3, Usual: "side", Failed: true}, 3)
		if w.page.address.Container != "web" {
			t.Errorf("%q is chosen instead", w.page.address.Container)
		}
	})
}

// TestLogsEnter expands the match that was found last, or the first line in view.
func TestLogsEnter(t *testing.T) {
	onLogs(t, logsAddress, func(t *testing.T, w *tab, _ *fakeTextPainter) {
		d := &log.Document{Head: log.Head{Seq: w.logsAsked().Seq, Rows: 3}, Window: []log.Row{{ID: 4}, {ID: 5, Opens: true, Position: 1}, {ID: 6, Opens: true, Position: 2}}}
		tell := func() {
			doc, err := d.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			w.in <- port.Detail{Seq: 99, Part: "logs", Doc: doc}
			synctest.Wait()
		}
		tell()
		w.Press(ui.Key{Name: "Enter", Drawer: "logs"})
		if o, _ := w.askedLogs(); len(o.Open) > 0 {
			t.Errorf("%v are expanded by a key elsewhere", o.Open)
		}
		w.Press(ui.Key{Name: "Enter", Drawer: "logs", OnText: true})
		if o, _ := w.askedLogs(); !slices.Equal(o.Open, []uint64{5}) {
			t.Errorf("%v are expanded", o.Open)
		}
		d.Found, d.Seq = &log.Found{Hit: 0, Position: 2}, w.logsAsked().Seq
		tell()
		w.Press(ui.Key{Name: "Enter", Drawer: "logs", OnText: true})
		if o, _ := w.askedLogs(); !slices.Equal(o.Open, []uint64{5, 6}) {
			t.Errorf("%v are expanded", o.Open)
		}
	})
}
