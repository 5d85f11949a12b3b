package web

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/web/tab/summary"
	"watchglass/web/ui"
)

// summary sends a summary from the worker.
func (w *tab) summary(s detail.Summary) {
	w.t.Helper()
	doc, err := json.Marshal(s)
	if err != nil {
		w.t.Fatal(err)
	}
	w.in <- port.Detail{Seq: 1, Part: "summary", Doc: doc}
	synctest.Wait()
}

// drawn returns the elements of the drawer.
func (w *tab) drawn() []*element {
	return parts(w.t, w.page.drawer.Tab().Draw().(app.Composer).Render())
}

func text(line string) []detail.Line { return []detail.Line{{{Text: line}}} }

func told(phase string) detail.Summary {
	return detail.Summary{Sections: []detail.Section{
		{Title: "Pod", Rows: []detail.Row{
			{Name: "Status", Lines: []detail.Line{{{Text: phase, Style: detail.Status}}}},
			{Name: "Node", Lines: []detail.Line{{{Text: "n1", Ref: &detail.Ref{Kind: "Node", Name: "n1"}}}}},
			{Name: "Selector", Lines: []detail.Line{{{Text: "app=web", List: &detail.Listing{Resource: "pods", Namespace: "b", Labels: "app=web"}}}}},
			{Name: "Created", Lines: []detail.Line{{{At: time.Now().Unix() - 90}}}},
			{Name: "Long", Lines: text(strings.Repeat("ö", 1000)), More: 7},
			{Name: "Notes", Folded: true, Lines: append(text("one"), text("two")...)},
			{Name: "Cut", Lines: []detail.Line{{{Text: "begins", Cut: 1 << 20}}}},
		}, Tables: []detail.Table{{Title: "Conditions", Columns: []detail.Column{{Name: "Type"}, {Name: "Count", Right: true}}, Rows: [][]detail.Line{{{{Text: "Ready"}}, {{Text: phase}}}}}}},
		{Title: "Later", Folded: true, Rows: []detail.Row{{Name: "Secretive", Lines: text("shut away")}}},
	}, More: 3}
}

func content(all []*element) string { return all[0].text }

// TestSummaryOfNothing checks that the tab does not wait for an object that is missing or denied, but
// does wait for one that is loading.
func TestSummaryOfNothing(t *testing.T) {
	for state, waits := range map[detail.State]bool{detail.Loading: true, detail.Live: true, detail.Missing: false, detail.Denied: false} {
		onPage(t, "/pods?sel=a/p1", func(t *testing.T, w *tab) {
			w.live()
			w.head(1, detail.Head{Kind: "Pod", Name: "p1", State: state})
			if got := strings.Contains(w.drawn()[0].attrs["class"], "skeleton"); got != waits {
				t.Errorf("%s: waits %v", state, got)
			}
		})
	}
}

// TestSummaryDrawn checks how a summary is drawn and expanded.
func TestSummaryDrawn(t *testing.T) {
	onPage(t, "/pods?sel=a/p1", func(t *testing.T, w *tab) {
		w.live()
		if got := content(w.drawn()); got != "" {
			t.Errorf("%q is drawn of nothing", got)
		}
		w.summary(told("Running"))
		all := w.drawn()
		for _, want := range []string{"Running", "90s ago", "Show 2 lines", "Show all 2,000 bytes", "7 more lines", "1,048,576 more bytes not shown", "3 more values", "Conditions"} {
			if !strings.Contains(content(all), want) {
				t.Errorf("%q is not drawn", want)
			}
		}
		for _, none := range []string{"shut away", "one", "two", strings.Repeat("ö", 300)} {
			if strings.Contains(content(all), none) {
				t.Errorf("%q is drawn", none)
			}
		}
		if a := find(t, all, "data-value", "nodes n1"); a.attrs["href"] != "/nodes?sel=n1" {
			t.Errorf("%v", a.attrs)
		}
		if a := find(t, all, "data-action", string(ui.GoListing)); a.attrs["href"] != "/pods?n=b&l=app=web" {
			t.Errorf("%v", a.attrs)
		}
		find(t, all, "data-tone", "ok")
		w.Act(summary.Fold, "/Later")
		w.Act(summary.Fold, "/Pod/Notes")
		w.Act(summary.Whole, "/Pod/Long/0")
		for _, want := range []string{"shut away", "two", strings.Repeat("ö", 1000), "Show less"} {
			if !strings.Contains(content(w.drawn()), want) {
				t.Errorf("%q is not drawn when it is opened", want)
			}
		}
		if kept := w.screen.Recall("facts"); kept != "/Later,/Pod/Notes" {
			t.Errorf("%q is remembered", kept)
		}
		w.screen.takeCalls()
		w.Act(ui.GoListing, "pods\nb\napp=web") // as the browser has it: without the line of the filter
		w.want(`push /pods?n=b&l=app=web, filter=""`)
	})
}

// TestSummaryPast checks that the previous object's summary is hidden while another is loading, and
// that nothing is marked as changed then.
func TestSummaryPast(t *testing.T) {
	onPage(t, "/pods?sel=a/p1", func(t *testing.T, w *tab) {
		w.live()
		w.summary(told("Running"))
		w.Clicked("a/p2")
		synctest.Wait()
		find(t, w.drawn(), "data-past", "true")
		doc, err := json.Marshal(told("Failed"))
		if err != nil {
			t.Fatal(err)
		}
		w.in <- port.Detail{Seq: w.page.drawer.Asked().Seq, Part: "summary", Doc: doc}
		synctest.Wait()
		for _, e := range w.drawn() {
			if e.attrs["data-past"] == "true" || strings.Contains(e.attrs["class"], "glow") {
				t.Errorf("%v", e.attrs)
			}
		}
	})
}

// TestSummaryGlows checks that changed values glow, every time they change, and none at first.
func TestSummaryGlows(t *testing.T) {
	onPage(t, "/pods?sel=a/p1", func(t *testing.T, w *tab) {
		w.live()
		for _, c := range []struct {
			phase string
			glows string
		}{{"Pending", ""}, {"Pending", ""}, {"Running", "glow-1"}, {"Running", "glow-1"}, {"Failed", "glow-0"}} {
			w.summary(told(c.phase))
			glowing := map[string]int{}
			for _, e := range w.drawn() {
				if _, glow, ok := strings.Cut(e.attrs["class"], "is glow-"); ok {
					glowing["glow-"+glow]++
				}
			}
			want := map[string]int{}
			if c.glows != "" {
				want[c.glows] = 2 // the row and the cell
			}
			if len(glowing) != len(want) || glowing[c.glows] != want[c.glows] {
				t.Errorf("%s: %v glows, want %v", c.phase, glowing, want)
			}
		}
	})
}

// TestSummaryUsage checks that usage is drawn with its age, its values and a line with gaps, and that
// the line's progress makes nothing glow.
func TestSummaryUsage(t *testing.T) {
	onPage(t, "/pods?sel=a/p1", func(t *testing.T, w *tab) {
		w.live()
		usage := func(values ...float32) detail.Summary {
			return detail.Summary{Sections: []detail.Section{{Title: "Usage", Badge: detail.Line{{At: time.Now().Unix() - 12}}, Rows: []detail.Row{
				{Name: "CPU", Lines: []detail.Line{{{Text: "120m"}, {Text: " · 24% of request 500m", Style: detail.Quiet}}, {{Text: "Last 15 minutes: 60m to 120m", Values: values}}}},
			}}}}
		}
		w.summary(usage(60, -1, 120))
		w.summary(usage(60, -1, 120, 120))
		all := w.drawn()
		if got := content(all); got != "Usage 12s ago CPU 120m · 24% of request 500m" {
			t.Errorf("%q", got)
		}
		find(t, all, "aria-label", "Last 15 minutes: 60m to 120m")
		if e := find(t, all, "d", "M56 50h0M58 6L59 6"); e.tag != "path" {
			t.Errorf("%+v", e)
		}
		for _, e := range all {
			if strings.Contains(e.attrs["class"], "glow") {
				t.Errorf("%v", e.attrs)
			}
		}
		w.sleep(5 * time.Second)
		if got := content(w.drawn()); !strings.Contains(got, "17s ago") {
			t.Errorf("its age does not tick: %q", got)
		}
	})
}

// TestWhyPod leads from what is wrong with a workload to the pod that has it, by one click.
func TestWhyPod(t *testing.T) {
	onPage(t, "/deployments.apps?sel=a/web", func(t *testing.T, w *tab) {
		w.live()
		for pod, want := range map[string]string{"web-1": "pods a/web-1", "": ""} {
			w.summary(detail.Summary{Why: []detail.Why{{Reason: "OOMKilled", Tone: "failed", Text: "2 of 3 pods: OOMKilled", Logs: true, Pod: pod}}})
			value := ""
			for _, e := range w.drawn() {
				if e.attrs["class"] == "ref" {
					value = e.attrs["data-value"]
				}
			}
			if value != want {
				t.Errorf("it leads to %q, want %q", value, want)
			}
		}
	})
}
