package web

import (
	"strings"
	"testing"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/ui"
)

// TestOneTarget (13) moves the mark while an object is open: the drawer follows, so that every key
// acts on the marked row.
func TestOneTarget(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"next":              {[]string{"j"}, "a/p1"},
		"next, and next":    {[]string{"j", "ArrowDown"}, "a/p2"},
		"before":            {[]string{"j", "j", "k"}, "a/p1"},
		"page":              {[]string{"PageDown"}, "a/p20"},
		"last, out of view": {[]string{"G"}, "a/p999"},
		"and first":         {[]string{"G", "g"}, "a/p0"},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods?tab=yaml&sel=a/p0&ct=web", func(t *testing.T, w *tab) {
				w.live()
				w.focused()
				w.press(c.keys...)
				w.wantMarked("active " + c.want + ", selected " + c.want)
				if got := w.here(); got != "/pods?sel="+c.want+"&tab=yaml" {
					t.Error(got)
				}
				if strings.Contains(w.screen.takeCalls(), "push") {
					t.Error("every row is a step for Back")
				}
				w.Press(ui.Key{Name: "x"})
				if command, open := firstCommand(t, w); !open || !strings.Contains(command, " "+strings.TrimPrefix(c.want, "a/")) && !strings.Contains(command, "/"+strings.TrimPrefix(c.want, "a/")) {
					t.Errorf("%q", command)
				}
				w.Press(ui.Key{Name: "Escape"})
				w.press("d")
				if got := w.here(); got != "/pods?sel="+c.want {
					t.Error(got)
				}
				w.press("Enter") // closes it
				if got := w.here(); got != "/pods" {
					t.Error(got)
				}
				w.wantMarked("active " + c.want)
			})
		})
	}
}

// TestLeftMarked (13) continues from the row of an object that was closed.
func TestLeftMarked(t *testing.T) {
	onPage(t, "/pods?sel=a/p7", func(t *testing.T, w *tab) {
		w.live().press("Escape")
		w.wantMarked("active a/p7")
		w.press("j")
		w.wantMarked("active a/p8")
		w.press("Escape")
		w.wantMarked("")
		w.press("j", "Enter")
		w.Moved("/pods", "") // Back closes it too
		w.answer()
		w.wantMarked("active a/p0")
	})
}

// TestPauseLeft checks that a pause ends with its list: another one, which is opened by a link, the address
// or Back, would stay empty.
func TestPauseLeft(t *testing.T) {
	for name, c := range map[string]struct {
		leave  func(w *tab)
		paused bool
	}{
		"a link":       {func(w *tab) { w.Act(ui.GoObject, "replicasets.apps a/web") }, false},
		"Back":         {func(w *tab) { w.Moved("/deployments.apps", "") }, false},
		"the same one": {func(w *tab) { w.Moved("/pods", "q=x") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live().Act(TogglePause, "")
				w.looks()
				c.leave(w)
				looks := w.looks()
				if len(looks) == 0 || looks[len(looks)-1].Paused != c.paused || w.page.list.Paused() != c.paused {
					t.Errorf("%+v", looks)
				}
			})
		})
	}
}

// TestTargetComing (13) checks that a key during a move of the mark acts on the new row, once that
// has arrived, and not on the old one.
func TestTargetComing(t *testing.T) {
	for key, want := range map[string]string{"Enter": "/pods?sel=a/p999", "y": "/pods?sel=a/p999&tab=yaml", "x": "/pods", "=": "/pods?with=pods:a/p999"} {
		for _, open := range []bool{false, true} {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live().press("j")
				if open {
					w.press("Enter")
				}
				before := w.here()
				w.Press(ui.Key{Name: "End", InGrid: true})
				w.Press(ui.Key{Name: key, InGrid: true})
				if w.here() != before || w.Modal() {
					t.Fatalf("%s: %s", key, w.here())
				}
				w.answer()
				switch got := w.here(); {
				case key == "x":
					if command, open := firstCommand(t, w); !open || !strings.Contains(command, "p999") {
						t.Errorf("%s: %q", key, command)
					}
				case open && key == "=": // the row's object follows, and is marked
					if got != "/pods?sel=a/p999&with=pods:a/p999" {
						t.Errorf("%s: %s", key, got)
					}
				case open && key == "Enter": // it is already open, so this closes it
					if got != "/pods" {
						t.Errorf("%s: %s", key, got)
					}
				case got != want:
					t.Errorf("%s: %s", key, got)
				}
			})
		}
	}
}

// TestSameRow checks that a key at the end of the list, which leads to the row already marked,
// keeps the container and the run of the open log.
func TestSameRow(t *testing.T) {
	for key, row := range map[string]string{"k": "a/p0", "ArrowUp": "a/p0", "g": "a/p0", "PageUp": "a/p0", "j": "a/p999", "G": "a/p999", "PageDown": "a/p999"} {
		t.Run(key, func(t *testing.T) {
			at := "/pods?sel=" + row + "&tab=logs&ct=web&previous=true"
			onPage(t, at, func(t *testing.T, w *tab) {
				w.answer()
				w.live().press(key)
				if got := w.here(); got != at {
					t.Error(got)
				}
			})
		})
	}
}

// TestScrolledAway scrolls away before the row that a key moved to has arrived. The mark stays where
// it was, keys act on it at once, and the action pending for the other row never runs.
func TestScrolledAway(t *testing.T) {
	away := map[string]func(w *tab){
		"before the answer": func(w *tab) { w.Scrolled(0, 20*ui.RowHeight) },
		"and a key waited": func(w *tab) {
			w.Press(ui.Key{Name: "x", InGrid: true})
			w.Scrolled(0, 20*ui.RowHeight)
		},
		"out of a lower box": func(w *tab) { w.Scrolled(w.page.list.Geometry().Scroll, 2*ui.RowHeight) },
	}
	for name, scroll := range away {
		for at, keys := range map[string]string{"/pods": "jj", "/pods?sel=a/p0": "j"} {
			t.Run(name+" at "+at, func(t *testing.T) {
				onPage(t, at, func(t *testing.T, w *tab) {
					w.live().press(strings.Split(keys, "")...)
					w.Press(ui.Key{Name: "G", InGrid: true})
					scroll(w)
					w.answer()
					w.press("y")
					const want = "/pods?sel=a/p1&tab=yaml"
					if got := w.here(); got != want || w.Modal() {
						t.Error(got)
					}
					w.Scrolled(27440, 20*ui.RowHeight)
					w.answer()
					if got := w.here(); got != want || w.Modal() {
						t.Error("and back:", got)
					}
				})
			})
		}
	}
}

// TestOwnScroll reports the page's own scrolling back, rounded as browsers do: the mark still goes
// to the row that the keys chose.
func TestOwnScroll(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().press("j")
		w.Press(ui.Key{Name: "G", InGrid: true})
		w.Scrolled(w.page.list.Geometry().Scroll-1, 20*ui.RowHeight)
		w.Press(ui.Key{Name: "d", InGrid: true})
		w.answer()
		if got := w.here(); got != "/pods?sel=a/p999" {
			t.Error(got)
		}
	})
}

// TestClickedInDrawer clicks in the drawer and steps through its tabs during a move of the mark.
// These act at once, on the visible object.
func TestClickedInDrawer(t *testing.T) {
	for name, c := range map[string]struct {
		do         func(w *tab)
		want, then string
	}{
		"a tab":    {func(w *tab) { w.Act(ui.OpenTab, "yaml") }, "/pods?sel=a/p0&tab=yaml", "/pods?sel=a/p0&tab=yaml"},
		"commands": {func(w *tab) { w.Act(ui.Commands, "") }, "/pods?sel=a/p0", "/pods?sel=a/p0"},
		"]": {func(w *tab) {
			w.Press(ui.Key{Name: "]"})
			w.Press(ui.Key{Name: "]"})
		}, "/pods?sel=a/p0&tab=events", "/pods?sel=a/p999&tab=events"},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods?sel=a/p0", func(t *testing.T, w *tab) {
				w.live()
				w.Press(ui.Key{Name: "G", InGrid: true})
				c.do(w)
				if got := w.here(); got != c.want {
					t.Error(got)
				}
				if command, open := firstCommand(t, w); (name == "commands") != open || open && !strings.HasSuffix(command, "/p0") {
					t.Errorf("%q", command)
				}
				w.answer()
				if got := w.here(); got != c.then {
					t.Error("then:", got)
				}
			})
		})
	}
}

// TestEmptied empties the list while a key waits for its last row. The pending action must not run
// on the first row that arrives later.
func TestEmptied(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().press("j")
		w.Press(ui.Key{Name: "G", InGrid: true})
		w.Press(ui.Key{Name: "d", InGrid: true})
		w.total = 0
		w.answer()
		w.Scrolled(0, 20*ui.RowHeight) // from the browser: there is nothing to scroll
		w.total = 3
		w.answer()
		w.sendPatch(w.window(w.page.list.Asked()))
		if got := w.here(); got != "/pods" {
			t.Error(got)
		}
	})
}

// TestKeysAhead presses keys after a filter, before its rows arrive. They apply to the new rows, not
// to those still shown.
func TestKeysAhead(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Typed("filter", "x")
		for _, k := range []string{"j", "j", "k", "Enter"} {
			w.Press(ui.Key{Name: k, InGrid: true})
		}
		w.wantMarked("")
		w.prefix = "a/q"
		w.answer()
		w.wantMarked("active a/q0, selected a/q0")
		if got := w.here(); got != "/pods?q=x&sel=a/q0" {
			t.Error(got)
		}
	})
}

// TestTargetGone (13) checks that keys do not act on a row that has left the list, and continue from
// where it was.
func TestTargetGone(t *testing.T) {
	for name, c := range map[string]struct{ key, next string }{"down": {"j", "a/q6"}, "up": {"k", "a/p4"}} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live().press("j", "j", "j", "j", "j", "j")
				w.wantMarked("active a/p5")
				gone := func(p view.Patch) view.Patch {
					p.Rows[5].Key, p.Located = "a/q6", view.Absent
					return p
				}
				w.sendPatch(gone(w.window(w.page.list.Asked())))
				looks := w.looks()
				if len(looks) != 1 || looks[0].Locate != "a/p5" {
					t.Fatalf("%+v", looks)
				}
				w.sendPatch(gone(w.window(looks[0])))
				w.Press(ui.Key{Name: "Enter", InGrid: true})
				w.Press(ui.Key{Name: "y", InGrid: true})
				if got := w.here(); got != "/pods" {
					t.Errorf("what is not there was opened: %s", got)
				}
				w.Press(ui.Key{Name: c.key, InGrid: true})
				w.wantMarked("active " + c.next)
			})
		})
	}
}

// TestAddressMarks (16) opens an address that selects a row. The row is scrolled into view and
// marked, wherever it is, and keys continue from it.
func TestAddressMarks(t *testing.T) {
	for name, c := range map[string]struct{ at, scroll, down string }{
		"on top":           {"/pods?sel=a/p0", "", "a/p1"},
		"in sight":         {"/pods?sel=a/p12", "", "a/p13"},
		"far down":         {"/pods?sel=a/p500", "scroll 13734", "a/p501"},
		"at the end":       {"/pods?sel=a/p999", "scroll 27440", "a/p999"},
		"in another order": {"/pods?sort=-Age&sel=a/p500", "scroll 13734", "a/p501"},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, c.at, func(t *testing.T, w *tab) {
				w.screen.takeCalls()
				w.answer()
				w.want(strings.TrimPrefix(c.scroll+", mark watchglass:first-row", ", "))
				key := strings.TrimPrefix(c.at[strings.Index(c.at, "sel="):], "sel=")
				w.wantMarked("active " + key + ", selected " + key)
				w.live().press("j")
				w.wantMarked("active " + c.down + ", selected " + c.down)
			})
		})
	}
}

// TestAddressMarksOnce (16) checks that the row stays in view while its list loads, until the list
// is complete or the user scrolls.
func TestAddressMarksOnce(t *testing.T) {
	for name, c := range map[string]struct {
		then func(w *tab)
		want string
	}{
		"while it comes in": {func(*tab) {}, "scroll 27734"},
		"once it is whole":  {func(w *tab) { w.live() }, ""},
		"scrolled":          {func(w *tab) { w.Scrolled(0, 20*ui.RowHeight) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods?sel=a/p500", func(t *testing.T, w *tab) {
				w.answer()
				w.want("scroll 13734, mark watchglass:first-row")
				c.then(w)
				w.looks()
				w.screen.takeCalls()
				p := w.window(w.page.list.Asked())
				for i := range p.Rows {
					p.Rows[i].Key = "a/new" + p.Rows[i].Key[3:]
				}
				p.Total = 2000
				w.sendPatch(p)
				looks := w.looks()
				if len(looks) != 1 || looks[0].Locate != "a/p500" {
					t.Fatalf("%+v", looks)
				}
				p.Seq, p.Located = looks[0].Seq, 1000
				w.sendPatch(p)
				w.want(c.want)
			})
		})
	}
}

// TestAddressMarksLast (16) gets the last patch, which moves the row, then the news that the list is
// complete, and only then the row's new index. The row is still followed.
func TestAddressMarksLast(t *testing.T) {
	onPage(t, "/pods?sel=a/p500", func(t *testing.T, w *tab) {
		w.answer()
		p := w.window(w.page.list.Asked())
		for i := range p.Rows {
			p.Rows[i].Key = "a/new" + p.Rows[i].Key[3:]
		}
		p.Total = 2000
		w.sendPatch(p)
		looks := w.looks()
		if len(looks) != 1 || looks[0].Locate != "a/p500" {
			t.Fatalf("%+v", looks)
		}
		w.screen.takeCalls()
		w.setSource(port.Source{Resource: "pods", State: "live", Synced: true})
		w.screen.takeCalls()
		p.Seq, p.Located = looks[0].Seq, 1000
		w.sendPatch(p)
		w.want("scroll 27734")
		p.Seq, p.Located = w.page.list.Asked().Seq, 100
		w.sendPatch(p) // complete: from now on, moves are changes
		w.want("")
	})
}

// TestSelectedFilteredOut (16) checks that the page says so if the filter excludes the open object.
func TestSelectedFilteredOut(t *testing.T) {
	for located, want := range map[int]bool{view.Hidden: true, view.Absent: false} {
		onPage(t, "/pods?q=crash&sel=b/p1", func(t *testing.T, w *tab) {
			w.setSource(port.Source{Resource: "pods", State: "live", Synced: true})
			p := w.window(w.page.list.Asked())
			p.Located = located
			w.sendPatch(p)
			said := find(t, draw(t, w.page), "id", "filtered-out")
			if hides := said.attrs["hidden"] == "true"; hides == want {
				t.Errorf("located at %d: %+v", located, said)
			}
		})
	}
}
