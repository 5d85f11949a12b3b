package list

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// datedKinds have columns of dates as real projects define them: Crossplane's AGE is the
// creation, Argo's Age when a workflow started, in words of its own, and External Secrets'
// Last Sync is in the status. The rest is what a date can be.
var datedKinds = []struct{ plural, kind, columns string }{
	{"composites", "Composite", `{"name": "SYNCED", "type": "string", "jsonPath": ".status.phase"}, {"name": "AGE", "type": "date", "jsonPath": ".metadata.creationTimestamp"}`},
	{"flows", "Flow", `{"name": "Status", "type": "string", "jsonPath": ".status.phase", "description": "Status of the workflow"}, {"name": "Age", "type": "date", "format": "date-time", "jsonPath": ".status.startedAt", "description": "When the workflow was started"}`},
	{"secretsyncs", "SecretSync", `{"name": "Store", "type": "string", "jsonPath": ".spec.store"}, {"name": "Last Sync", "type": "date", "jsonPath": ".status.refreshTime"}, {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}, {"name": "Since", "type": "date", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].lastTransitionTime", "priority": 1}`},
	{"bares", "Bare", ``},
}

const datedGroup = "dates.e2e.example.com"

// definedDated is done once the kinds are there.
var definedDated sync.Once

// defineDated makes the kinds for all tests, and leaves them there: the apiserver rebuilds its OpenAPI for each kind
// that is removed.
func defineDated(t *testing.T) {
	t.Helper()
	definedDated.Do(func() { postDated(t) })
}

func postDated(t *testing.T) {
	t.Helper()
	waits := []string{"wait", "--for=condition=Established"}
	for _, k := range datedKinds {
		stage.Post(t, stage.DefinitionsPath, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "`+k.plural+`.`+datedGroup+`"},
			"spec": {"group": "`+datedGroup+`", "scope": "Namespaced", "names": {"plural": "`+k.plural+`", "singular": "`+strings.ToLower(k.kind)+`", "kind": "`+k.kind+`"},
			"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}, "additionalPrinterColumns": [`+k.columns+`]}]}}`)
		waits = append(waits, "crd/"+k.plural+"."+datedGroup)
	}
	stage.Kubectl(t, waits...)
}

// past is an instant in the past, as a status has it.
func past(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }

// dates are what a date may be in a status, but for null.
var dates = map[string]func() string{
	"seconds": func() string { return past(3 * time.Second) },
	"minutes": func() string { return past(7*time.Minute + 30*time.Second) },
	"hours":   func() string { return past(5*time.Hour + 20*time.Minute) },
	"days":    func() string { return past(75 * time.Hour) },
	"years":   func() string { return past(1200 * 24 * time.Hour) },
	"future":  func() string { return past(-time.Hour) },
	"ancient": func() string { return "1492-10-12T00:00:00Z" },
	"zero":    func() string { return "0001-01-01T00:00:00Z" },
	"empty":   func() string { return "" },
	"wrong":   func() string { return "yesterday" },
	"zoned":   func() string { return time.Now().Add(-time.Hour).In(time.FixedZone("", 19800)).Format(time.RFC3339) },
}

func datedPath(ns, plural, name string) string {
	return strings.TrimSuffix("/apis/"+datedGroup+"/v1/namespaces/"+ns+"/"+plural+"/"+name, "/")
}

// makeDated makes one object for each date of a kind, one with null and one without a status.
func makeDated(t *testing.T, ns, plural, kind string) {
	t.Helper()
	head := `{"apiVersion": "` + datedGroup + `/v1", "kind": "` + kind + `", "metadata": {"name": "`
	for name, at := range dates {
		date := fmt.Sprintf("%q", at())
		stage.Post(t, datedPath(ns, plural, ""), head+name+`"}, "spec": {"store": null}, "status": {"phase": "Running", "startedAt": `+date+`, "refreshTime": `+date+`, "conditions": [{"type": "Other", "status": "x", "lastTransitionTime": "2020-01-01T00:00:00Z"}, {"type": "Ready", "status": "True", "lastTransitionTime": `+date+`}]}}`)
	}
	stage.Post(t, datedPath(ns, plural, ""), head+`null"}, "spec": {"store": "vault"}, "status": {"phase": null, "startedAt": null, "refreshTime": null}}`)
	stage.Post(t, datedPath(ns, plural, ""), head+`none"}}`)
}

// touch changes when an object was synced, and what else has that date.
func touch(t *testing.T, ns, plural, name string) {
	t.Helper()
	now := past(0)
	doc := fmt.Appendf(nil, `{"status":{"startedAt":%q,"refreshTime":%q,"conditions":[{"type":"Ready","status":"False","lastTransitionTime":%q}]}}`, now, now, now)
	if err := stage.Admin.CoreV1().RESTClient().Patch(types.MergePatchType).AbsPath(datedPath(ns, plural, name)).Body(doc).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
}

// kubectlCells is what kubectl prints of a kind in a namespace, by the name.
func kubectlCells(t *testing.T, ns, plural string, columns []browser.Column) map[string][]string {
	t.Helper()
	lines := stage.Kubectl(t, "get", plural+"."+datedGroup, "-n", ns, "-o", "wide")
	var begins []int
	for _, c := range columns {
		from := 0
		if n := len(begins); n > 0 {
			from = begins[n-1] + 1
		}
		begins = append(begins, from+strings.Index(lines[0][from:], strings.ToUpper(c.Name)))
	}
	out := make(map[string][]string)
	for _, line := range lines[1:] {
		var cells []string
		for i, begin := range begins {
			end := len(line)
			if i+1 < len(begins) {
				end = min(end, begins[i+1])
			}
			cells = append(cells, strings.TrimRight(line[min(begin, len(line)):end], " "))
		}
		out[cells[0]] = cells
	}
	return out
}

// wantKubectl compares every cell on screen with what kubectl prints, before or after.
func (e eyes) wantKubectl(ns, plural string) {
	e.T.Helper()
	var wrong []string
	for range 10 {
		columns := e.Rows().Columns[1:] // behind the namespace
		before := kubectlCells(e.T, ns, plural, columns)
		rows := e.Rows()
		after := kubectlCells(e.T, ns, plural, columns)
		wrong = nil
		for _, row := range rows.Rows {
			name := strings.TrimPrefix(row.Key, ns+"/")
			for i, cell := range row.Cells[1:] {
				if b, a := before[name], after[name]; len(b) == 0 || len(a) == 0 || cell != b[i] && cell != a[i] {
					wrong = append(wrong, fmt.Sprintf("%s: %q is %q; kubectl has %q, then %q", name, columns[i].Name, cell, b, a))
				}
			}
		}
		if len(before) != len(rows.Rows) {
			wrong = append(wrong, fmt.Sprintf("%d rows, and kubectl has %d", len(rows.Rows), len(before)))
		}
		if len(wrong) == 0 {
			return
		}
	}
	e.T.Error(strings.Join(wrong, "\n"))
}

// names are those of the rows that match.
func (e eyes) names() (names []string) {
	e.T.Helper()
	for _, row := range e.Rows().Rows {
		names = append(names, row.Key[strings.IndexByte(row.Key, '/')+1:])
	}
	return names
}

// TestTableDates holds dates of custom resources to kubectl: when the page has opened, when
// time has passed, and when objects have changed; and that they sort and filter by what is
// shown.
func TestTableDates(t *testing.T) {
	ns := stage.Namespace(t)
	defineDated(t)
	for _, k := range datedKinds {
		makeDated(t, ns, k.plural, k.kind)
		t.Run(k.plural, func(t *testing.T) {
			e := show(t, "/"+k.plural+"."+datedGroup+"?cols=wide&n="+ns)
			exact(e)
			e.wantKubectl(ns, k.plural)
			stage.Post(t, datedPath(ns, k.plural, ""), `{"apiVersion": "`+datedGroup+`/v1", "kind": "`+k.kind+`", "metadata": {"name": "late"}, "status": {"startedAt": "`+past(0)+`"}}`)
			touch(t, ns, k.plural, "days")
			e.Await(`document.querySelector('[data-key="` + ns + `/late"]') !== null`)
			e.wantKubectl(ns, k.plural)
			last := len(e.Rows().Columns) - 1
			seconds := fmt.Sprintf(`document.querySelector('[role=row][data-key="%s/days"]').innerText`, ns)
			was := stage.Eval[string](e, seconds)
			e.Await(seconds + fmt.Sprintf(" !== %q", was)) // it ticks
			e.wantKubectl(ns, k.plural)
			if t.Failed() {
				t.Logf("the last column is %s", e.Rows().Columns[last].Name)
			}
			e.Keep("dates")
		})
	}
	t.Run("filter and sort", func(t *testing.T) {
		e := show(t, "/flows."+datedGroup+"?q=age%3E4m&sort=Age&n="+ns)
		exact(e)
		if got, want := e.names(), []string{"minutes", "zoned", "hours", "years", "ancient"}; !slices.Equal(got, want) {
			t.Errorf("age>4m by Age: %q, want %q", got, want)
		}
		e.Visit("/secretsyncs." + datedGroup + "?q=last-sync%3C1h&sort=-Last+Sync&n=" + ns)
		exact(e)
		if got, want := e.names(), []string{"minutes", "seconds", "days", "future"}; !slices.Equal(got, want) {
			t.Errorf("last-sync<1h by Last Sync, the oldest first: %q, want %q", got, want)
		}
		e.Visit("/composites." + datedGroup + "?q=age%3C1h&n=" + ns)
		if got := len(e.names()); got != len(dates)+3 {
			t.Errorf("age<1h by AGE: %d", got)
		}
	})
}

// TestDatesRedefined changes where a date of a kind is while the page is open: it follows.
func TestDatesRedefined(t *testing.T) {
	ns := stage.Namespace(t)
	defineDated(t)
	makeDated(t, ns, "flows", "Flow")
	e := show(t, "/flows."+datedGroup+"?n="+ns)
	exact(e)
	e.wantKubectl(ns, "flows")
	redefine := func(ctx context.Context, path string) {
		t.Helper()
		if _, err := stage.Cluster.Kubectl(ctx, "patch", "crd", "flows."+datedGroup, "--type=json", "-p", `[{"op":"replace","path":"/spec/versions/0/additionalPrinterColumns/1/jsonPath","value":"`+path+`"}]`); err != nil {
			t.Error(err)
		}
	}
	redefine(t.Context(), ".metadata.creationTimestamp")
	t.Cleanup(func() { redefine(context.Background(), ".status.startedAt") })
	e.Await(fmt.Sprintf(cellOf, ns, "years", "Age") + `.endsWith("s")`)
	e.wantKubectl(ns, "flows")
}

const cellOf = `document.querySelector('[role=row][data-key="%s/%s"] [data-column="%s"]').textContent`

// exact waits until no date is an approximation.
func exact(e eyes) {
	e.T.Helper()
	e.Await(`(await watchglass.rows()).rows.every(r => !r.cells.some(c => c.startsWith("~")))`)
}

// TestDatesUndefined shows a user who may list a kind and not read its definition: what the
// Table says is exact, and what it does not is marked, and as old as the server says.
func TestDatesUndefined(t *testing.T) {
	ns := stage.Namespace(t)
	defineDated(t)
	una := stage.Someone(t)
	stage.Apply(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: `+una.Name+`}
rules: [{apiGroups: [`+datedGroup+`], resources: ["*"], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: `+una.Name+`}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: `+una.Name+`}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: `+una.Name+`}]
`)
	for _, plural := range []string{"flows", "secretsyncs"} {
		makeDated(t, ns, plural, map[string]string{"flows": "Flow", "secretsyncs": "SecretSync"}[plural])
	}
	p := stage.Serve(t, proxy.Options{Kubeconfig: stage.Kubeconfig(t, una, cluster.KubeconfigOptions{})})
	e := synced(t, p.At("/flows."+datedGroup+"?n="+ns))
	for name, want := range map[string]string{"years": "~3y105d", "hours": "~5h20m", "minutes": "~7m", "null": "", "zero": "<unknown>", "future": "<invalid>"} {
		if got := e.Cell(ns+"/"+name, "Age"); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	e.Visit("/secretsyncs." + datedGroup + "?cols=wide&n=" + ns)
	exact(e)
	e.wantKubectl(ns, "secretsyncs")
}
