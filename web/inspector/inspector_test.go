package inspector

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/inspection"
	"watchglass/web/ui"
)

// chartsFirst is the index of the first column with a chart. The charts are in the order of the meter's.
const chartsFirst = 5

// inspected returns an answer of the worker, with names that no report may have.
func inspected(t *testing.T) json.RawMessage {
	t.Helper()
	doc, err := os.ReadFile("testdata/answer.json")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestReport checks the copied text: all figures, and no name of an object, a namespace,
// a host or a context.
func TestReport(t *testing.T) {
	var in inspection.Hub
	if err := json.Unmarshal(inspected(t), &in); err != nil {
		t.Fatal(err)
	}
	heard := time.Date(2026, 11, 24, 12, 5, 0, 0, time.FixedZone("", 2*60*60))
	got := report(&in, "v1.2.3", heard, "")
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
	for _, c := range columns {
		if c.title == "" || c.total == nil && (c.chart == nil || c.format == nil) {
			t.Errorf("%s has no title or no cell", c.name)
		}
	}
	if got := name(&in.Sources[1]); got != "nodes · context secret-context" {
		t.Errorf("on screen: %q", got)
	}
	if chartsFirst+reflect.TypeFor[inspection.Meter]().NumField() != len(columns) {
		t.Error("a chart has no column")
	}
}

// TestCharts checks that each of the last cells has its chart, and that a source without a
// reading has none.
func TestCharts(t *testing.T) {
	var in inspection.Hub
	if err := json.Unmarshal(inspected(t), &in); err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[inspection.Meter]().NumField() {
		reflect.ValueOf(in.Sources[0].Meter).Elem().Field(i).Set(reflect.ValueOf(inspection.Chart{Series: make([]float32, i+1)}))
	}
	for i, cell := range drawSource(&in.Sources[0])[chartsFirst:] {
		if got := app.HTMLString(cell); !strings.Contains(got, sparklinePath(make([]float32, i+1))) {
			t.Errorf("%s: %s", columns[chartsFirst+i].name, got)
		}
	}
	for _, cell := range append(drawSource(&in.Sources[0])[:chartsFirst], drawSource(&in.Sources[1])...) {
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

// TestDetails checks the tooltips: all known reasons of reloads and every index by its name.
func TestDetails(t *testing.T) {
	var in inspection.Hub
	if err := json.Unmarshal(inspected(t), &in); err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for i, cell := range drawSource(&in.Sources[0]) {
		_, title, _ := strings.Cut(app.HTMLString(cell), ` title="`)
		if title, _, _ = strings.Cut(title, `"`); title != "true" && title != "" { // go-app writes an empty one so
			texts[columns[i].name] = strings.ReplaceAll(title, `\n`, "\n") // and quotes others as Go does
		}
	}
	want := map[string]string{
		"Source":  "metadata.name=secret-pod",
		"Relists": "5 earlier\n2026-11-23T10:01:02Z version expired\n2026-11-24T10:03:00Z watch failed",
		"Indexes": "namespace: 3 values\nnode: 4 values, 1 object left out",
	}
	if !maps.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}
