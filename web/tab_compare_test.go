package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/internal/port"
	"watchglass/internal/wire"
	"watchglass/web/list"
	"watchglass/web/past"
	"watchglass/web/route"
	"watchglass/web/tab/compare"
	"watchglass/web/ui"
)

// compareOptions returns the options that the worker was sent last.
func (w *tab) compareOptions() (o detail.CompareOptions) {
	w.t.Helper()
	w.Page.mu.Lock()
	defer w.Page.mu.Unlock()
	if err := json.Unmarshal(w.page.drawer.Asked().Options, &o); err != nil {
		w.t.Fatal(err)
	}
	return o
}

// TestMark marks rows with a key, compares others with the marked one and removes the mark. The
// mark stays while the page goes elsewhere, and each step is an address.
func TestMark(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.press("j", "=")
		w.want("focus grid, replace /pods?with=pods:a/p0")
		w.press("=")
		w.want("replace /pods")
		w.press("=", "j")
		w.want("replace /pods?with=pods:a/p0, focus grid")
		w.press("=")
		w.want("push /pods?sel=a/p1&tab=compare&with=pods:a/p0, focus tab-compare")
		if o := w.compareOptions(); o.With != (detail.Ref{Resource: "pods", Namespace: "a", Name: "p0"}) || o.Context != "" || o.Places {
			t.Errorf("%+v", o)
		}
		w.press("Escape")
		w.Act(ui.GoTo, "services")
		if here := w.here(); here != "/services?with=pods:a/p0" {
			t.Error(here)
		}
		w.Act(ui.Unmark, "")
		if here := w.here(); here != "/services" {
			t.Error(here)
		}
	})
}

// TestMarkNone checks that an object without the Compare tab is not marked: the mark would lead nowhere.
func TestMarkNone(t *testing.T) {
	onPage(t, "/releases.helm.sh?sel=shop/web", func(t *testing.T, w *tab) {
		w.setSource(port.Source{Resource: detail.Releases, ID: detail.Releases, State: port.Live, Synced: true, Namespaced: true, Kind: "Release"})
		w.press("=")
		if got := w.notice(); got != "No compare for Helm releases." || w.page.address.With.Name != "" {
			t.Errorf("%q, marked %+v", got, w.page.address.With)
		}
	})
}

// TestCompareSuggested clicks what the tab offers to compare with, with the value that the browser has of it: go-app
// trims the values of attributes.
func TestCompareSuggested(t *testing.T) {
	for text, want := range map[string]string{"b": "/pods?sel=a/p1&tab=compare&with=pods:b/p1", "there": "/pods?sel=a/p1&tab=compare&with=pods:a/p1&wc=there"} {
		onPage(t, "/pods?sel=a/p1&tab=compare", func(t *testing.T, w *tab) {
			w.live()
			w.page.state.Proxy = &wire.Welcome{Context: "here", Contexts: "here\nthere"}
			w.part(route.CompareID, detail.ObjectPair{Places: &detail.Places{Names: []string{"b"}, State: detail.Live}})
			drawn := parts(t, w.page.drawer.Tab().Draw())
			i := slices.IndexFunc(drawn, func(e *element) bool { return e.tag == "button" && e.text == text })
			if i < 0 {
				t.Fatalf("no %s is offered", text)
			}
			if w.Act(ui.Action(drawn[i].attrs["data-action"]), strings.ReplaceAll(drawn[i].attrs["data-value"], `\n`, "\n")); w.here() != want {
				t.Errorf("%s leads to %s", text, w.here())
			}
		})
	}
}

// TestCompareContext checks that the worker is asked for another context only when the user has
// opened it before or allows it, and that a failure is shown and can be retried.
func TestCompareContext(t *testing.T) {
	for context, c := range map[string]struct{ before, after string }{
		"trusted": {"", ""}, "new": {"has not opened it before", ""}, "lost": {"has not opened it before", "no such context"},
	} {
		t.Run(context, func(t *testing.T) {
			onPage(t, "/pods?sel=a/p1&tab=compare&with=pods:a/p0&wc="+context, func(t *testing.T, w *tab) {
				w.live()
				w.page.state.Proxy = nil
				w.in <- port.State{ID: list.ID, Source: w.page.state.Source, Proxy: &wire.Welcome{Context: "here", Contexts: "here\nnew\nlost\ntrusted"}}
				synctest.Wait()
				if text := content(parts(t, w.page.drawer.Tab().Draw())); !strings.Contains(text, c.before) {
					t.Errorf("%q", text)
				}
				if c.before != "" {
					if o := w.compareOptions(); o.With.Name != "" || strings.Contains(w.screen.takeCalls(), "reach") {
						t.Error("another context is opened unasked")
					}
					w.Act(compare.Connect, context)
					synctest.Wait()
				}
				if c.after != "" {
					if text := content(parts(t, w.page.drawer.Tab().Draw())); !strings.Contains(text, c.after) || !strings.Contains(text, "Retry") {
						t.Errorf("%q", text)
					}
					return
				}
				if o := w.compareOptions(); o.Context != context || o.With.Name != "p0" {
					t.Errorf("%+v", o)
				}
				w.Lost("another", "signed out there")
				w.Lost(context, "signed out")
				if o := w.compareOptions(); o.Context != "" || o.With.Name != "" {
					t.Errorf("signed out: %+v", o)
				}
				if text := content(parts(t, w.page.drawer.Tab().Draw())); !strings.Contains(text, "signed out Retry") {
					t.Errorf("signed out: %q", text)
				}
			})
		})
	}
}

// TestCompareHostile checks that names in an address, which somebody may have made, are shown as they are and
// in bounds.
func TestCompareHostile(t *testing.T) {
	for _, query := range []string{"&with=pods:n\u202es/evil\u202e" + strings.Repeat("x", 9000), "&with=pods:a/p0&wc=evil\u202e" + strings.Repeat("x", 9000)} {
		onPage(t, "/pods?sel=a/p1&tab=compare"+query, func(t *testing.T, w *tab) {
			w.live()
			w.page.state.Proxy = &wire.Welcome{Context: "here"}
			for _, drawn := range []app.UI{w.page.drawer.Tab().Draw(), w.page.drawer.DrawMark()} {
				if text := content(parts(t, drawn)); strings.Contains(text, "\u202e") || len(text) > 2000 {
					t.Errorf("%d bytes: %.200q", len(text), text)
				}
			}
		})
	}
}

// TestCompareElsewhere checks that a mark keeps its context when the page switches to another one.
func TestCompareElsewhere(t *testing.T) {
	g := still(func(g *page) {
		g.state = port.State{Proxy: &wire.Welcome{Context: "dev", Contexts: "dev\nprod"}}
	})
	g.address.With = route.Object{Resource: "pods", Namespace: "a", Name: "p"}
	if got := g.drawer.MarkedIn("prod"); got.Context != "dev" {
		t.Errorf("%+v", got)
	}
	g.address.With.Context = "prod"
	if got := g.drawer.MarkedIn("prod"); got.Context != "" {
		t.Errorf("%+v", got)
	}
	g.address.With.Context = "dev"
	if got := g.drawer.Marked(); got.Context != "" {
		t.Errorf("%+v is of another context", got)
	}
}

// compared returns a document with a field of each kind.
func compared() detail.ObjectPair {
	return detail.ObjectPair{Known: true, Left: detail.Side{Kind: "Pod", State: detail.Live}, Right: detail.Side{Kind: "Pod", State: detail.Live}, Equal: 7, Rows: []detail.FieldPair{
		{Path: "spec.image", Kind: diff.Changed, Left: "web:1", Right: "web:2"},
		{Path: "spec.only", Kind: diff.Removed, Left: "left"},
		{Path: "spec.text", Kind: diff.Changed, Lines: []diff.Line{{Text: "both"}, {Kind: diff.Removed, Text: "old"}, {Kind: diff.Added, Text: "new"}, {Skip: 9}}, Cut: true},
		{Path: "spec.same", Kind: detail.SameNow, At: 1000},
	}}
}

// TestCompareDrawn checks the words of a comparison, either way round, and its text to copy.
func TestCompareDrawn(t *testing.T) {
	onPage(t, "/pods?sel=a/p1&tab=compare&with=pods:a/p0", func(t *testing.T, w *tab) {
		w.live()
		w.part(route.CompareID, compared())
		text := func() string { return content(parts(t, w.page.drawer.Tab().Draw())) }
		for _, want := range []string{"3 fields differ · 7 equal", "spec.image", "not set", "− old + new", "9 more lines", "Show all", "Now equal", "changed "} {
			if !strings.Contains(text(), want) {
				t.Errorf("there is no %q in %s", want, text())
			}
		}
		w.Act(compare.Swap, "")
		if got := text(); !strings.Contains(got, "− new + old") || strings.Index(got, "not set") > strings.Index(got, "left") {
			t.Error(got)
		}
		w.screen.takeCalls()
		w.Act(compare.CopyAll, "")
		want := "--- pods:a/p1\n+++ pods:a/p0\n@@ spec.image @@\n-web:2\n+web:1\n@@ spec.only @@\n+left\n@@ spec.text @@\n both\n-new\n+old\n@@ 9 lines @@\n"
		if got := w.screen.takeCalls(); !strings.Contains(got, want) {
			t.Errorf("copied %q", got)
		}
		more := compared()
		more.More = 12
		w.part(route.CompareID, more)
		w.Act(compare.CopyAll, "")
		if got := w.screen.takeCalls(); !strings.Contains(got, "@@ and 12 more fields @@\n") {
			t.Errorf("copied %q", got)
		}
		short := compared()
		short.Short, short.Rows = true, nil
		w.part(route.CompareID, short)
		if got := text(); strings.Contains(got, "No differences") || !strings.Contains(got, "0 different fields found · cut short") || !strings.Contains(got, "Other fields may differ too") {
			t.Error(got)
		}
		for state, want := range map[detail.State]string{detail.Loading: "Loading…", detail.Denied: "No permission", detail.Missing: "Not found", detail.Stale: "Stale"} {
			w.part(route.CompareID, detail.ObjectPair{Left: detail.Side{State: state}, Right: detail.Side{State: detail.Live}})
			if got := text(); !strings.Contains(got, want) || strings.Contains(got, "fields differ") || strings.Contains(got, "No differences") {
				t.Errorf("%s: %s", state, got)
			}
		}
	})
}

// TestComparePast checks that in the past a comparison says of which moment each side is: an object of another context is
// as it is now.
func TestComparePast(t *testing.T) {
	for with, want := range map[string][2]string{"pods:a/p0": {"", ""}, "pods:a/p0&wc=trusted": {" · as of ", " · now"}} {
		inPast(t, "/pods?sel=a/p1&tab=compare&with="+with, func(t *testing.T, w *tab, of remembered) {
			w.in <- port.State{ID: list.ID, Source: w.page.state.Source, Proxy: &wire.Welcome{Context: "here", Contexts: "here\ntrusted"}}
			synctest.Wait()
			w.part(route.CompareID, compared())
			w.Act(past.MovePast, "-60")
			w.arrive(of)
			var sides []string // the marked object, and the open one
			for _, e := range parts(t, w.page.drawer.Tab().Draw()) {
				if e.attrs["class"] == "dim" && strings.HasPrefix(e.text, "Pod in a") {
					sides = append(sides, strings.TrimPrefix(e.text, "Pod in a"))
				}
			}
			if len(sides) != 2 || !strings.HasSuffix(sides[0], want[1]) || !strings.Contains(sides[1], want[0]) || want[0] == "" && sides[0]+sides[1] != "" {
				t.Errorf("with %s: %q", with, sides)
			}
		})
	}
}
