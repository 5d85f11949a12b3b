package logs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/wire"
)

// TestContainers reads all containers together, filtered. Logs that are requested again are
// read again, and those that are not are closed.
func TestContainers(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		all := log.AllContainers
		h.ask(log.Options{Container: all})
		h.object(newPod("two", "web", "side"))
		h.wantOpen("two/side last 1000", "two/web last 1000")
		h.kubelet.write("two/web", "2026-11-22T03:00:01Z w1\n2026-11-22T03:00:03Z w3\n")
		h.kubelet.write("two/side", "2026-11-22T03:00:02Z s2\n2026-11-22T03:00:04Z s4\n")
		h.wantRows("w1", "s2", "w3", "s4")
		d := h.last()
		for i, want := range []string{"web", "side", "web", "side"} {
			if got := d.Sources[d.Window[i].Source].Container; got != want {
				t.Errorf("row %d is of %s, want %s", i, got, want)
			}
		}
		h.ask(log.Options{Container: all, Filter: "!/[24]$/"})
		h.wantRows("w1", "w3")
		h.ask(log.Options{Container: all, Filter: "/[/"})
		if w := h.last().Wrong; w == nil || w.From != 1 {
			t.Errorf("%+v", w)
		}
		h.wantRows("w1", "w3") // the previous filter applies
		h.ask(log.Options{Container: all, Cleared: 1})
		h.wantRows()
		h.ask(log.Options{Container: "side", Since: 60})
		h.wantOpen("two/side all since 60s")
		h.ask(log.Options{Container: "side", All: true})
		h.wantOpen("two/side all")
		h.Close()
		h.wantOpen()
	})
}

// TestAsMany shows the first lines of another container even if there are as many as before it.
func TestAsMany(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{Container: "web"})
		h.object(newPod("two", "web", "side"))
		h.kubelet.write("two/web", "2026-11-22T03:00:01Z of web\n")
		h.wantRows("of web")
		h.ask(log.Options{Container: "side"})
		h.wantState(log.Live, "")
		h.kubelet.write("two/side", "2026-11-22T03:00:01Z of side\n")
		h.wantRows("of side")
	})
}

// TestQuiet returns nothing before options have come, ignores invalid ones, and shows nothing
// twice.
func TestQuiet(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		shown := func() (n int) {
			h.Wait(time.Minute)
			h.Do(func() { h.RequestUpdate() })
			h.Wait(time.Minute)
			h.Do(func() { n = len(h.docs) })
			return n
		}
		h.object(newPod("two", "web"))
		h.Do(func() { h.pane.Options([]byte(`{`)); h.Update() })
		if n := shown(); n > 0 {
			t.Errorf("%d documents without options", n)
		}
		h.wantOpen()
		h.Do(func() { h.pane.Options(nil); h.Update() })
		n := shown()
		if n == 0 {
			t.Error("no document of the default options")
		}
		h.wantOpen("two/web last 1000")
		if more := shown(); more > n {
			t.Errorf("%d documents, and nothing has changed", more-n)
		}
	})
}

// TestPace shows lines that come by themselves every documentEvery at most, and what the
// page asks for at once.
func TestPace(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("two", "web"))
		h.Wait(time.Second)
		h.Do(func() { h.at = nil })
		for i := range 100 {
			h.kubelet.write("two/web", fmt.Sprintf("1990-01-01T00:00:00.%02dZ %d\n", i, i))
			h.Wait(10 * time.Millisecond)
		}
		h.Wait(soon)
		h.Do(func() {
			if n := len(h.at); n < 10 || n > 12 {
				t.Errorf("%d documents in a second", n)
			}
			for i := 1; i < len(h.at); i++ {
				if gap := h.at[i].Sub(h.at[i-1]); gap < documentEvery {
					t.Errorf("a document %s after another", gap)
				}
			}
			if n := len(h.docs[len(h.docs)-1].Window); n != 100 {
				t.Errorf("%d lines", n)
			}
		})
		for seq := range 3 {
			h.ask(log.Options{Seq: seq + 1})
			h.Do(func() {
				if last := h.docs[len(h.docs)-1]; last.Seq != seq+1 {
					t.Errorf("options %d are not answered at once", seq+1)
				}
			})
		}
	})
}

// TestYield looks at many lines in steps, with no more than yieldFor between them, and shows
// what the first and the last of them found.
func TestYield(t *testing.T) {
	for _, all := range []int{1500, 3000} { // two steps, and three
		onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
			h.ask(log.Options{})
			h.object(newPod("two", "web"))
			line := "1990-01-01T00:00:01Z " + strings.Repeat("x", 1000) + "\n"
			for range all / 50 {
				h.kubelet.write("two/web", strings.Repeat(line, 50))
			}
			h.Wait(time.Second)
			lines := func() int { n, _, _ := h.pane.lines.view.Count(); return n }
			for range 2 { // the second has to wait for the next document
				h.kubelet.write("two/web", "1990-01-01T00:00:02Z y\n")
				synctest.Wait()
			}
			h.Do(func() { h.docs = nil })
			h.ask(log.Options{Filter: "x"})
			h.Do(func() {
				if d := h.docs[0]; !d.Busy || d.Lines == 0 || d.Lines >= all {
					t.Errorf("%d lines were looked at, busy: %t", d.Lines, d.Busy)
				}
				before := lines()
				if h.Update(); lines() > before {
					t.Error("the browser does not run between two steps")
				}
			})
			h.Wait(2 * yieldFor)
			h.Do(func() {
				if n := lines(); n != all {
					t.Errorf("%d lines were looked at, and the rest has to wait for a document", n)
				}
			})
			if d := h.last(); d.Busy || d.Lines != all {
				t.Errorf("%d lines were looked at, busy: %t", d.Lines, d.Busy)
			}
		})
	}
}

// TestWindow shows the requested rows, or the end of the log, and counts the lines that a pause
// holds back.
func TestWindow(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.askAsIs(log.Options{Limit: 2})
		h.object(newPod("two", "web"))
		h.kubelet.write("two/web", "1990-01-01T00:00:01Z a\n1990-01-01T00:00:02Z b\n1990-01-01T00:00:03Z c\n")
		h.wantRows("a", "b")
		h.askAsIs(log.Options{Limit: 2, Follow: true})
		h.wantRows("b", "c")
		h.askAsIs(log.Options{Limit: 2, Offset: 9})
		h.wantRows("c")
		h.askAsIs(log.Options{Limit: 2, Offset: -9, Paused: true})
		h.kubelet.write("two/web", "1990-01-01T00:00:04Z d\n")
		h.wantRows("a", "b")
		if d := h.last(); d.Waiting != 1 || d.Held != 4 || d.Rows != 3 {
			t.Errorf("%+v", d.Head)
		}
	})
}

// TestPauseOvertaken pauses a log whose lines then are read again: by another worker, which gets the pause with its
// first request, or since the page goes back in time. What is shown is not called paused, and a later pause is one.
func TestPauseOvertaken(t *testing.T) {
	const text = "1990-01-01T00:00:01Z a\n1990-01-01T00:00:02Z b\n"
	for name, overtake := range map[string]func(t *testing.T, h *host){
		"new worker": func(t *testing.T, h *host) {
			h.askAsIs(log.Options{Limit: 9, Paused: true})
			h.object(newPod("two", "web"))
			h.kubelet.write("two/web", text)
		},
		"going back": func(t *testing.T, h *host) {
			h.askAsIs(log.Options{Limit: 9})
			h.object(newPod("two", "web"))
			h.kubelet.write("two/web", text)
			h.wantRows("a", "b")
			h.askAsIs(log.Options{Limit: 9, Paused: true})
			if d := h.last(); !d.Paused {
				t.Errorf("not paused: %+v", d.Head)
			}
			h.Do(func() { h.Moment = h.Now().Add(-time.Hour); h.Update() })
			h.kubelet.write("two/web", text)
		},
	} {
		onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
			overtake(t, h)
			h.wantRows("a", "b")
			h.kubelet.write("two/web", "1990-01-01T00:00:03Z c\n")
			h.wantRows("a", "b", "c")
			if d := h.last(); d.Paused || d.Waiting != 0 {
				t.Errorf("%s: %+v", name, d.Head)
			}
			h.askAsIs(log.Options{Limit: 9})
			h.askAsIs(log.Options{Limit: 9, Paused: true})
			h.kubelet.write("two/web", "1990-01-01T00:00:04Z d\n")
			h.wantRows("a", "b", "c")
			if d := h.last(); !d.Paused || d.Waiting != 1 {
				t.Errorf("%s: %+v", name, d.Head)
			}
		})
	}
}

// TestSeek goes to a hit once for each request, and follows its row.
func TestSeek(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		o := log.Options{Search: "hit"}
		h.ask(o)
		h.object(newPod("two", "web"))
		h.kubelet.write("two/web", "1990-01-01T00:00:01Z hit a\n1990-01-01T00:00:02Z b\n1990-01-01T00:00:03Z hit c\n")
		if d := h.last(); d.Hits != 2 || d.Found != nil {
			t.Errorf("%+v", d.Head)
		}
		o.Seek = &log.Seek{Seq: 1, From: 0}
		for range 2 {
			h.ask(o)
			if f := h.last().Found; f == nil || f.Seq != 1 || f.Hit != 1 || f.Row != 2 {
				t.Errorf("%+v", f)
			}
		}
		o.Search = "nothing"
		h.ask(o)
		if f := h.last().Found; f != nil {
			t.Errorf("%+v is found of another search", f)
		}
		o.Seek = &log.Seek{Seq: 2}
		h.ask(o)
		if f := h.last().Found; f == nil || f.Hit != -1 {
			t.Errorf("%+v", f)
		}
	})
}

// TestExport returns the parts of a file in order, each once, and the text to copy. A file ends when its lines are dropped.
func TestExport(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("two", "web", "side"))
		line := "1990-01-01T00:00:01Z " + strings.Repeat("x", 1023) + "\n"
		for range 30 {
			h.kubelet.write("two/web", strings.Repeat(line, 50))
		}
		h.Wait(soon)
		begin := func(take log.SaveOptions) (e *Export) {
			h.Do(func() { e = h.pane.Export(take) })
			return e
		}
		next := func(e *Export) (text []byte, more, ok bool) {
			h.Do(func() { text, more, ok = e.Next() })
			return text, more, ok
		}
		file := begin(log.SaveOptions{Export: log.Export{All: true}})
		first, more, ok := next(file)
		if !more || !ok || len(first) != chunkBytes {
			t.Fatalf("%d bytes, more %v, %v", len(first), more, ok)
		}
		rest, more, ok := next(file)
		if more || !ok || len(first)+len(rest) != 1500*1024 || file.Lost > 0 {
			t.Errorf("%d bytes more, more %v, %v", len(rest), more, ok)
		}
		copied := begin(log.SaveOptions{Copy: true, From: 0, To: 1})
		if text, more, ok := next(copied); more || !ok || len(text) != 2*1024 || copied.Lost > 0 {
			t.Errorf("%d bytes, more %v, %v", len(text), more, ok)
		}
		file = begin(log.SaveOptions{Export: log.Export{All: true}})
		if _, more, ok := next(file); !more || !ok {
			t.Fatalf("more %v, %v", more, ok)
		}
		h.ask(log.Options{Container: "side"})
		if text, _, ok := next(file); ok || len(text) > 0 {
			t.Errorf("a file goes on in another log: %d bytes", len(text))
		}
	})
}

// TestExportFiltered checks that a file with the lines shown ends if others are shown, and that one with all lines, or a
// search, does not end it.
func TestExportFiltered(t *testing.T) {
	all, shown := log.Export{All: true}, log.Export{}
	for name, c := range map[string]struct {
		export log.Export
		after  log.Options
		ok     bool
	}{
		"same":          {shown, log.Options{}, true},
		"search":        {shown, log.Options{Search: "x", Columns: 80}, true},
		"filter":        {shown, log.Options{Filter: "y"}, false},
		"range":         {shown, log.Options{To: 1}, false},
		"filter of all": {all, log.Options{Filter: "y"}, true},
	} {
		onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
			h.ask(log.Options{})
			h.object(newPod("two", "web", "side"))
			for range 30 {
				h.kubelet.write("two/web", strings.Repeat("1990-01-01T00:00:01Z "+strings.Repeat("x", 1023)+"\n", 50))
			}
			h.Wait(soon)
			var first, rest []byte
			var more, ok bool
			var e *Export
			h.Do(func() {
				e = h.pane.Export(log.SaveOptions{Export: c.export})
				first, more, _ = e.Next()
			})
			h.ask(c.after)
			h.Do(func() { rest, _, ok = e.Next() })
			if !more || ok != c.ok || ok && len(first)+len(rest) != 1500*1024 {
				t.Errorf("%s: %d and %d bytes, goes on: %v", name, len(first), len(rest), ok)
			}
		})
	}
}

// TestClose releases every list and ends every goroutine, whatever each of them waits for.
func TestClose(t *testing.T) {
	for name, disturb := range map[string]func(h *host){
		"reading": func(*host) {},
		"opening": func(h *host) { h.kubelet.stalls(); h.kubelet.end("p0/web", dropped); h.Wait(time.Second) },
		"waiting": func(h *host) { h.kubelet.refuses(dropped); h.kubelet.end("p0/web", dropped); h.Wait(time.Second) },
		"gone":    func(h *host) { h.cluster.change(wire.Deleted, "pods", newPod("p0", "web")); h.Wait(soon) },
		"posting": nil,
	} {
		t.Run(name, func(t *testing.T) {
			c := (&cluster{}).has("jobs", manifest{name: "it-1", controller: "CronJob/it"})
			for i := range 3 {
				p := newPod(fmt.Sprint("p", i), "web", "side")
				p.controller, p.labels = "Job/it-1", map[string]string{"job-name": "it-1"}
				c.has("pods", p)
			}
			onPane(t, "cronjobs", c, func(t *testing.T, h *host) {
				h.ask(log.Options{Container: log.AllContainers})
				h.object(manifest{name: "it"})
				h.Wait(soon)
				if got := len(h.kubelet.reading()); got != 6 {
					t.Fatalf("%d logs are open", got)
				}
				if got, want := c.watches(), []string{"jobs ", "pods job-name"}; !slices.Equal(got, want) {
					t.Fatalf("%q are watched", got)
				}
				if disturb != nil {
					disturb(h)
					h.Close()
				} else {
					h.Do(func() { // lines are on their way
						h.kubelet.write("p0/web", "1990-01-01T00:00:01Z one\n")
						synctest.Wait()
						h.CloseOnLoop()
					})
				}
				if n := h.Running(); n > 0 {
					t.Errorf("%d goroutines are left", n)
				}
				h.wantOpen()
				h.Wait(2 * linger)
				if got := c.watches(); len(got) > 0 {
					t.Errorf("%q are watched still", got)
				}
				h.kubelet.times()
				h.Wait(time.Minute)
				if got := h.kubelet.times(); len(got) > 0 {
					t.Error("a log is opened after Close")
				}
			})
		})
	}
}

// TestCloseOnly ends the streams by Close alone, before the Host ends their context.
func TestCloseOnly(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("two", "web"))
		h.Wait(soon)
		h.Do(h.pane.Close)
		if n := h.Running(); n > 0 {
			t.Errorf("%d goroutines are left", n)
		}
	})
}

// TestHostEnds ends the streams with the context of the pane, before Close.
func TestHostEnds(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("two", "web"))
		h.Wait(soon)
		h.End()
		synctest.Wait()
		if n := h.Running(); n > 0 {
			t.Errorf("%d goroutines are left", n)
		}
	})
}
