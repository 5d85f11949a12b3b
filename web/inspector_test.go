package web

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/tools"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// inspected is an answer of the worker, with names that no report may have.
const inspected = `{"worker":{"name":"secret-worker","shared":true,"since":"2026-11-24T10:00:00Z"},"pages":[{},{}],
"packed":{"bytes":2097152,"limit":201326592,"dropped":3},"history":{"bytes":1024,"limit":67108864},"memory":{"worker":5242880},
"clusters":[{"context":"secret-context","server":"secret-host"}],
"sources":[{"resource":"pods","namespace":"secret-ns","selector":"metadata.name=secret-pod","state":"live","objects":1234,"bytes":3145728,
"resumes":2,"relists":7,"stalls":4,"packed":500,"error":"secret-error","indexes":[{"name":"namespace","values":3},{"name":"node","values":4,"broken":1}],
"relistings":[{"at":"2026-11-23T12:01:02+02:00","cause":"version expired"},{"at":"2026-11-24T10:03:00Z","cause":"watch failed"}],
"checks":{"audits":5,"differences":1,"unaudited":"secret-said"},
"meter":{"now":[3.24,2048,7,1500,2.5,11],"series":[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]]}},
{"resource":"nodes","state":"syncing","elsewhere":true,"context":"secret-context","checks":{"unaudited":"secret-said"}}]}`

// TestInspectorReport checks the copied text: all figures, and no name of an object, a namespace,
// a host or a context.
func TestInspectorReport(t *testing.T) {
	var in tools.Inspection
	if err := json.Unmarshal([]byte(inspected), &in); err != nil {
		t.Fatal(err)
	}
	heard := time.Date(2026, 11, 24, 12, 5, 0, 0, time.FixedZone("", 2*60*60))
	got := in.Report("v1.2.3", heard, "")
	for _, want := range []string{
		"Watchglass v1.2.3, 2026-11-24T10:05:00Z\nworker shared by 2 tabs, running since 2026-11-24T10:00:00Z\nheap 5.0 MB\npacked objects 2.0 MB of 192.0 MB, 3 dropped\nhistory 1.0 KB of 64.0 MB\n",
		"\npods in a namespace (selected)\tlive\t1,234\t3.0 MB\t5 · 1 with differences\t3.2\t2.0 KB\t7\t1.5 s\t2.5 ms\t11.0 ms\t4\t2\t7\t7\t500 B\n",
		"\nnodes · another context\tsyncing\t0\t0 B\t0 · failed\t–\t–\t–\t–\t–\t–\t0\t0\t0\t0\t0 B\n", "\nrelist\t2026-11-23T10:01:02Z\tpods\tversion expired", "\nindex\tpods\tnode\t4\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "secret") {
		t.Errorf("the report has a name:\n%s", got)
	}
	if len(tools.Columns) != len(tools.Titles) || len(in.Sources[0].Cells("")) != len(tools.Columns) {
		t.Error("a column has no title or no cell")
	}
	if got := in.Sources[1].Name(); got != "nodes · context secret-context" {
		t.Errorf("on screen: %q", got)
	}
	if tools.ChartsFirst+tools.MeterCharts != len(tools.Columns) {
		t.Error("a chart has no column")
	}
}

// TestInspectorCharts checks that each of the last cells has its chart, and that a source without a
// reading has none.
func TestInspectorCharts(t *testing.T) {
	var in tools.Inspection
	if err := json.Unmarshal([]byte(inspected), &in); err != nil {
		t.Fatal(err)
	}
	for i := range in.Sources[0].Meter.Series {
		in.Sources[0].Meter.Series[i] = make([]float32, i+1)
	}
	for i, cell := range in.Sources[0].Draw()[tools.ChartsFirst:] {
		if got := app.HTMLString(cell); !strings.Contains(got, sparklinePath(make([]float32, i+1))) {
			t.Errorf("%s: %s", tools.Columns[tools.ChartsFirst+i], got)
		}
	}
	for _, cell := range append(in.Sources[0].Draw()[:tools.ChartsFirst], in.Sources[1].Draw()...) {
		if got := app.HTMLString(cell); strings.Contains(got, "spark") {
			t.Errorf("a chart of nothing: %s", got)
		}
	}
}

// sparklinePath returns the attribute with the path of a series, as it is drawn.
func sparklinePath(values []float32) string {
	_, path, _ := strings.Cut(app.HTMLString(ui.Sparkline(values, 1, "")), ` d="`)
	path, _, _ = strings.Cut(path, `"`)
	return ` d="` + path + `"`
}

// TestInspectorDetails checks the tooltips: all known reasons of reloads and every index by its name.
func TestInspectorDetails(t *testing.T) {
	var in tools.Inspection
	if err := json.Unmarshal([]byte(inspected), &in); err != nil {
		t.Fatal(err)
	}
	titles := make(map[string]string)
	for i, cell := range in.Sources[0].Draw() {
		if title := parts(t, cell)[0].attrs["title"]; title != "true" { // go-app writes an empty one so
			titles[tools.Columns[i]] = strings.ReplaceAll(title, `\n`, "\n") // and quotes others as Go does
		}
	}
	want := map[string]string{
		"Source":  "metadata.name=secret-pod",
		"Relists": "5 earlier\n2026-11-23T10:01:02Z version expired\n2026-11-24T10:03:00Z watch failed",
		"Indexes": "namespace: 3 values\nnode: 4 values, 1 object left out",
	}
	if !maps.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
}

// TestInspectorAsks shows that the inspector asks again every inspectEvery while it is open, and
// never once it is closed.
func TestInspectorAsks(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		var last uint32
		asked := func() (n int) {
			synctest.Wait()
			for _, m := range w.takeSent() {
				if a, ok := m.(port.Ask); ok && a.Method == "inspect" {
					n, last = n+1, a.ID
				}
			}
			return n
		}
		answer := func() {
			w.in <- port.Answer{ID: last, Value: json.RawMessage(inspected)}
			synctest.Wait()
		}
		w.Act(OpenInspector, "")
		if n := asked(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		answer()
		w.Act(CopyInspector, "")
		if got := w.screen.takeCalls(); !strings.Contains(got, "pods in a namespace") || strings.Contains(got, "secret") {
			t.Errorf("copied %q", got)
		}
		w.sleep(inspectEvery)
		if n := asked(); n != 1 {
			t.Errorf("asked %d times again", n)
		}
		w.Act(ui.Leave, "")
		answer()
		w.sleep(3 * inspectEvery)
		if n := asked(); n != 0 {
			t.Errorf("asked %d times when closed", n)
		}
	})
}

// TestInspectorSilent shows that the inspector says when the worker does not answer, does not ask
// again meanwhile, and dates the copied figures by the answer that they came with.
func TestInspectorSilent(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		wantSummary := func(want string) {
			t.Helper()
			synctest.Wait()
			w.locked(func(g *page) { // which asks by itself
				if got := find(t, parts(t, g.inspector.Draw()), "id", "inspected").text; !strings.HasPrefix(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			})
		}
		asked := func() (last uint32) {
			w.locked(func(g *page) { last = g.lastAsk })
			return last
		}
		w.Act(OpenInspector, "")
		wantSummary("Loading…")
		w.sleep(silentAfter + time.Second)
		wantSummary("No answer for 7.0 s")
		w.in <- port.Answer{ID: asked(), Value: json.RawMessage(inspected)}
		wantSummary("worker shared by 2 tabs")
		answered, first := time.Now(), asked()
		w.sleep(time.Second + 12*time.Second) // it asks again a second later
		wantSummary("No answer for 12s · worker shared by 2 tabs")
		if n := asked() - first; n != 1 {
			t.Errorf("asked %d times", n)
		}
		w.screen.takeCalls()
		w.Act(CopyInspector, "")
		if got, want := w.screen.takeCalls(), words.Stamp(answered)+"\nNo answer for 12s\nworker "; !strings.Contains(got, want) {
			t.Errorf("copied %q without %q", got, want)
		}
	})
}
