package web

import (
	"strings"
	"testing"

	"watchglass/internal/port"
	"watchglass/internal/view"
)

// TestOneTarget (13) moves the mark while an object is open: the drawer goes along, so
// that every key acts on the row that is marked.
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
				if strings.Contains(w.screen.take(), "push") {
					t.Error("every row is a step for Back")
				}
				w.Press(Key{Name: "x"})
				if d := w.page.dialogs.open.Load(); d == nil || !strings.Contains(d.commands[0].text(), " "+strings.TrimPrefix(c.want, "a/")) && !strings.Contains(d.commands[0].text(), "/"+strings.TrimPrefix(c.want, "a/")) {
					t.Errorf("%+v", d)
				}
				w.Press(Key{Name: "Escape"})
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

// TestLeftMarked (13) goes on from the row of an object that was closed.
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

// TestTargetComing (13) does what a key asks for to the row that the mark is on its way
// to, and not to the one before.
func TestTargetComing(t *testing.T) {
	for key, want := range map[string]string{"Enter": "/pods?sel=a/p999", "y": "/pods?sel=a/p999&tab=yaml", "x": "/pods"} {
		for _, open := range []bool{false, true} {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live().press("j")
				if open {
					w.press("Enter")
				}
				before := w.here()
				w.Press(Key{Name: "End", InGrid: true})
				w.Press(Key{Name: key, InGrid: true})
				if w.here() != before || w.Modal() {
					t.Fatalf("%s: %s", key, w.here())
				}
				w.answer()
				switch got := w.here(); {
				case key == "x":
					if d := w.page.dialogs.open.Load(); d == nil || !strings.Contains(d.commands[0].text(), "p999") {
						t.Errorf("%s: %+v", key, d)
					}
				case open && key == "Enter": // it is open already, and closes
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

// TestSameRow keeps the container and the run of a log that is open when a key at the edge
// of the list leads to the row that is marked already.
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

// TestScrolledAway scrolls away from a row that a key has moved to, before that row has
// come: the mark stays where it was, keys act on it at once, and what was to be done to the
// other row is never done.
func TestScrolledAway(t *testing.T) {
	away := map[string]func(w *tab){
		"before the answer": func(w *tab) { w.Scrolled(0, 20*RowHeight) },
		"and a key waited": func(w *tab) {
			w.Press(Key{Name: "x", InGrid: true})
			w.Scrolled(0, 20*RowHeight)
		},
		"out of a lower box": func(w *tab) { w.Scrolled(w.page.list.geometry.Scroll, 2*RowHeight) },
	}
	for name, scroll := range away {
		for at, keys := range map[string]string{"/pods": "jj", "/pods?sel=a/p0": "j"} {
			t.Run(name+" at "+at, func(t *testing.T) {
				onPage(t, at, func(t *testing.T, w *tab) {
					w.live().press(strings.Split(keys, "")...)
					w.Press(Key{Name: "G", InGrid: true})
					scroll(w)
					w.answer()
					w.press("y")
					const want = "/pods?sel=a/p1&tab=yaml"
					if got := w.here(); got != want || w.Modal() {
						t.Error(got)
					}
					w.Scrolled(27440, 20*RowHeight)
					w.answer()
					if got := w.here(); got != want || w.Modal() {
						t.Error("and back:", got)
					}
				})
			})
		}
	}
}

// TestOwnScroll lets the page's own scroll come back from the browser, which may round it:
// the row that keys moved to is still the one.
func TestOwnScroll(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().press("j")
		w.Press(Key{Name: "G", InGrid: true})
		w.Scrolled(w.page.list.geometry.Scroll-1, 20*RowHeight)
		w.Press(Key{Name: "d", InGrid: true})
		w.answer()
		if got := w.here(); got != "/pods?sel=a/p999" {
			t.Error(got)
		}
	})
}

// TestClickedInDrawer clicks in the drawer, and steps through its tabs, while the mark is
// on its way: that is for the object which shows, and does not wait.
func TestClickedInDrawer(t *testing.T) {
	for name, c := range map[string]struct {
		do         func(w *tab)
		want, then string
	}{
		"a tab":    {func(w *tab) { w.Act(OpenTab, "yaml") }, "/pods?sel=a/p0&tab=yaml", "/pods?sel=a/p0&tab=yaml"},
		"commands": {func(w *tab) { w.Act(Commands, "") }, "/pods?sel=a/p0", "/pods?sel=a/p0"},
		"]": {func(w *tab) {
			w.Press(Key{Name: "]"})
			w.Press(Key{Name: "]"})
		}, "/pods?sel=a/p0&tab=events", "/pods?sel=a/p999&tab=events"},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods?sel=a/p0", func(t *testing.T, w *tab) {
				w.live()
				w.Press(Key{Name: "G", InGrid: true})
				c.do(w)
				if got := w.here(); got != c.want {
					t.Error(got)
				}
				if d := w.page.dialogs.open.Load(); (name == "commands") != (d != nil) || d != nil && !strings.HasSuffix(d.commands[0].text(), "/p0") {
					t.Errorf("%+v", d)
				}
				w.answer()
				if got := w.here(); got != c.then {
					t.Error("then:", got)
				}
			})
		})
	}
}

// TestEmptied does nothing to the first row that comes into a list that went empty, while
// a key waited for its last.
func TestEmptied(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().press("j")
		w.Press(Key{Name: "G", InGrid: true})
		w.Press(Key{Name: "d", InGrid: true})
		w.total = 0
		w.answer()
		w.Scrolled(0, 20*RowHeight) // the browser's: there is nothing to scroll
		w.total = 3
		w.answer()
		w.give(w.window(w.page.list.asked))
		if got := w.here(); got != "/pods" {
			t.Error(got)
		}
	})
}

// TestKeysAhead presses keys behind a filter, before the list has its rows: they are for
// the rows that are asked for, and not for those that still show.
func TestKeysAhead(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Typed("filter", "x")
		for _, k := range []string{"j", "j", "k", "Enter"} {
			w.Press(Key{Name: k, InGrid: true})
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

// TestTargetGone (13) acts on no row that the list does not have any more, and goes on
// from where it was.
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
				w.give(gone(w.window(w.page.list.asked)))
				looks := w.looks()
				if len(looks) != 1 || looks[0].Locate != "a/p5" {
					t.Fatalf("%+v", looks)
				}
				w.give(gone(w.window(looks[0])))
				w.Press(Key{Name: "Enter", InGrid: true})
				w.Press(Key{Name: "y", InGrid: true})
				if got := w.here(); got != "/pods" {
					t.Errorf("what is not there was opened: %s", got)
				}
				w.Press(Key{Name: c.key, InGrid: true})
				w.wantMarked("active " + c.next)
			})
		})
	}
}

// TestAddressMarks (16) opens an address that selects a row: it is scrolled into sight
// and marked, wherever it is, and keys go on from it.
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
				w.screen.take()
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

// TestAddressMarksOnce (16) shows that a row is followed while its list comes in, until
// the list is whole or somebody scrolls.
func TestAddressMarksOnce(t *testing.T) {
	for name, c := range map[string]struct {
		then func(w *tab)
		want string
	}{
		"while it comes in": {func(*tab) {}, "scroll 27734"},
		"once it is whole":  {func(w *tab) { w.live() }, ""},
		"scrolled":          {func(w *tab) { w.Scrolled(0, 20*RowHeight) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods?sel=a/p500", func(t *testing.T, w *tab) {
				w.answer()
				w.want("scroll 13734, mark watchglass:first-row")
				c.then(w)
				w.looks()
				w.screen.take()
				p := w.window(w.page.list.asked)
				for i := range p.Rows {
					p.Rows[i].Key = "a/new" + p.Rows[i].Key[3:]
				}
				p.Total = 2000
				w.give(p)
				looks := w.looks()
				if len(looks) != 1 || looks[0].Locate != "a/p500" {
					t.Fatalf("%+v", looks)
				}
				p.Seq, p.Located = looks[0].Seq, 1000
				w.give(p)
				w.want(c.want)
			})
		})
	}
}

// TestAddressMarksLast (16) is told that the list is whole after the patch that made it so,
// which moved the row, and before the answer that says where to: the row is still followed.
func TestAddressMarksLast(t *testing.T) {
	onPage(t, "/pods?sel=a/p500", func(t *testing.T, w *tab) {
		w.answer()
		p := w.window(w.page.list.asked)
		for i := range p.Rows {
			p.Rows[i].Key = "a/new" + p.Rows[i].Key[3:]
		}
		p.Total = 2000
		w.give(p)
		looks := w.looks()
		if len(looks) != 1 || looks[0].Locate != "a/p500" {
			t.Fatalf("%+v", looks)
		}
		w.screen.take()
		w.tell(port.Source{Resource: "pods", State: "live", Synced: true})
		w.screen.take()
		p.Seq, p.Located = looks[0].Seq, 1000
		w.give(p)
		w.want("scroll 27734")
		p.Seq, p.Located = w.page.list.asked.Seq, 100
		w.give(p) // it is whole: what moves now is news
		w.want("")
	})
}

// TestSelectedFilteredOut (16) says of an object that is open that the filter leaves it
// out of the list.
func TestSelectedFilteredOut(t *testing.T) {
	for located, want := range map[int]bool{view.Hidden: true, view.Absent: false} {
		onPage(t, "/pods?q=crash&sel=b/p1", func(t *testing.T, w *tab) {
			w.tell(port.Source{Resource: "pods", State: "live", Synced: true})
			p := w.window(w.page.list.asked)
			p.Located = located
			w.give(p)
			said := find(t, draw(t, w.page), "id", "filtered-out")
			if hides := said.attrs["hidden"] == "true"; hides == want {
				t.Errorf("located at %d: %+v", located, said)
			}
		})
	}
}
