package list

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// answered is an object as kubectl shows it.
type answered struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeName                   string
		Containers, InitContainers []struct{ Image string }
	} `json:"spec"`
	line string // of kubectl's table
}

func (a answered) key() string { return strings.TrimPrefix(a.Namespace+"/"+a.Name, "/") }

// field is the n-th of the line, counted from 0.
func (a answered) field(n int) string { return strings.Fields(a.line)[n] }

// older reports whether it is older, and false for what is about to be.
func (a answered) older(than time.Duration) bool { return time.Since(a.CreationTimestamp.Time) >= than }

// owner is what controls it.
func (a answered) owner() string {
	if o := metav1.GetControllerOf(&a); o != nil {
		return o.Kind + "/" + o.Name
	}
	return ""
}

// images are the different ones of its containers.
func (a answered) images() (all []string) {
	for _, c := range slices.Concat(a.Spec.Containers, a.Spec.InitContainers) {
		if !slices.Contains(all, c.Image) {
			all = append(all, c.Image)
		}
	}
	return all
}

// one is a list of one value.
func one(value func(a answered) string) func(a answered) []string {
	return func(a answered) []string { return []string{value(a)} }
}

// ask has kubectl list a kind, as JSON and as a table.
func ask(t *testing.T, kind string) []answered {
	t.Helper()
	out, err := stage.Cluster.Kubectl(t.Context(), "get", kind, "-A", "-o", "json")
	var list struct{ Items []answered }
	if err == nil {
		err = json.Unmarshal([]byte(out), &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := stage.Kubectl(t, "get", kind, "-A", "--no-headers")
	if len(lines) != len(list.Items) {
		t.Fatalf("kubectl lists %d and %d %s", len(list.Items), len(lines), kind)
	}
	for i := range list.Items {
		list.Items[i].line = lines[i]
		if !strings.Contains(" "+lines[i]+" ", " "+list.Items[i].Name+" ") && kind != "events" {
			t.Fatalf("%q is not the line of %s", lines[i], list.Items[i].Name)
		}
	}
	return list.Items
}

// filtered types a filter, and returns the keys of the rows that match.
func (e eyes) filtered(filter string) []string {
	e.T.Helper()
	typed := fmt.Sprintf(`(() => { const f = document.querySelector("#filter"); f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})); return true })()`, filter)
	stage.Eval[bool](e, typed)
	return e.Rows().Keys()
}

// question is one that the tab and kubectl both answer.
type question struct {
	filter string
	is     func(a answered) bool
	words  bool // it looks at what is printed
}

func has(word string) func(a answered) bool {
	return func(a answered) bool { return strings.Contains(strings.ToLower(a.line), word) }
}

func notIs(is func(a answered) bool) func(a answered) bool {
	return func(a answered) bool { return !is(a) }
}

// ofAny are asked of every kind.
var ofAny = []question{
	{filter: "", is: func(answered) bool { return true }},
	{filter: "name:*a*", is: func(a answered) bool { return strings.Contains(a.Name, "a") }},
	{filter: "!name:*a*", is: func(a answered) bool { return !strings.Contains(a.Name, "a") }},
	{filter: `name:/^[a-k].*[a-m]$/`, is: func(a answered) bool {
		return a.Name[0] <= 'k' && a.Name[len(a.Name)-1] >= 'a' && a.Name[len(a.Name)-1] <= 'm' && len(a.Name) > 1
	}},
	{filter: "-l app", is: func(a answered) bool { return a.Labels["app"] != "" }},
	{filter: "age<25m", is: func(a answered) bool { return !a.older(25 * time.Minute) }},
	{filter: "age>=25m or name:*e*", is: func(a answered) bool { return a.older(25*time.Minute) || strings.Contains(a.Name, "e") }},
	{filter: "runn", is: has("runn"), words: true},
	{filter: `!"some"`, is: notIs(has("some")), words: true},
}

// ofPods are asked of pods.
var ofPods = []question{
	{filter: "ns:checkout", is: func(a answered) bool { return a.Namespace == "checkout" }},
	{filter: "ns:checkout,orders", is: func(a answered) bool { return a.Namespace == "checkout" || a.Namespace == "orders" }},
	{filter: "!ns:checkout !ns:orders", is: func(a answered) bool { return a.Namespace != "checkout" && a.Namespace != "orders" }},
	{filter: "status:Running", is: func(a answered) bool { return a.field(3) == "Running" }},
	{filter: "status!=running", is: func(a answered) bool { return a.field(3) != "Running" }},
	{filter: "status:*BackOff,Error", is: func(a answered) bool { return strings.HasSuffix(a.field(3), "BackOff") || a.field(3) == "Error" }},
	{filter: "restarts>=5", is: func(a answered) bool { return len(a.field(4)) > 1 || a.field(4) >= "5" }},
	{filter: "restarts>0 restarts<3", is: func(a answered) bool { return a.field(4) == "1" || a.field(4) == "2" }},
	{filter: "ready<1", is: func(a answered) bool { ready, of, _ := strings.Cut(a.field(2), "/"); return ready != of }},
	{filter: "label.team:payments", is: func(a answered) bool { return a.Labels["team"] == "payments" }},
	{filter: "-l team in (payments,orders),app!=api", is: func(a answered) bool {
		return (a.Labels["team"] == "payments" || a.Labels["team"] == "orders") && a.Labels["app"] != "api"
	}},
	{filter: "node:*1", is: func(a answered) bool { return strings.HasSuffix(a.Spec.NodeName, "1") }},
	{filter: "!node:", is: func(a answered) bool { return a.Spec.NodeName == "" }},
	{filter: "owner:ReplicaSet/*api*", is: func(a answered) bool {
		return strings.HasPrefix(a.owner(), "ReplicaSet/") && strings.Contains(a.owner(), "api")
	}},
	{filter: "-f chkt", is: func(a answered) bool { return inOrder("chkt", a.Namespace+"/"+a.Name) }},
	{filter: "crash or (pend ns:orders)", is: func(a answered) bool { return has("crash")(a) || has("pend")(a) && a.Namespace == "orders" }},
	{filter: "!(status:Running or status:Completed) !orders", is: func(a answered) bool {
		return a.field(3) != "Running" && a.field(3) != "Completed" && !has("orders")(a)
	}},
}

func inOrder(letters, text string) bool {
	for _, c := range text {
		if letters != "" && byte(c) == letters[0] {
			letters = letters[1:]
		}
	}
	return letters == ""
}

// asked asks the tab and kubectl the same of the kind on screen.
func (e eyes) asked(kind string, questions []question, tell bool) {
	e.T.Helper()
	all := ask(e.T, kind)
	for _, q := range questions {
		if kind == "events" && (q.words || strings.HasPrefix(q.filter, "age")) {
			continue // their table prints neither their names nor their age
		}
		var want []string
		for _, a := range all {
			if q.is(a) {
				want = append(want, a.key())
			}
		}
		have := e.filtered(q.filter)
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			e.T.Errorf("%s: the tab has %d rows, kubectl %d; %s", q.filter, len(have), len(want), stage.FirstDifference(have, want))
		}
		if tell && (len(want) == 0 || len(want) == len(all)) {
			e.T.Errorf("%s: %d of %d match: that shows nothing", q.filter, len(want), len(all))
		}
	}
}

// TestQuestions asks the tab and kubectl the same of pods. TestKinds asks of others.
func TestQuestions(t *testing.T) {
	e := show(t, "/pods")
	e.asked("pods", ofAny, false)
	e.asked("pods", ofPods, true)
}

// narrowed is a filter, as what it asks of each facet's value and of the rest.
type narrowed struct {
	filter string
	of     map[string]func(a answered) bool
	rest   func(a answered) bool
}

// byUID is a facet in which every pod has a value of its own: it is asked for where
// there is time to tell of it.
const byUID = "{.metadata.uid}"

// valued are the facets of pods.
var valued = map[string]func(a answered) []string{
	"Namespace":  one(func(a answered) string { return a.Namespace }),
	"Status":     one(func(a answered) string { return a.field(3) }),
	"Ready":      one(func(a answered) string { return a.field(2) }),
	"Node":       one(func(a answered) string { return cmp.Or(a.Spec.NodeName, "<none>") }),
	"Owner":      one(answered.owner),
	"Image":      answered.images,
	"label.team": one(func(a answered) string { return cmp.Or(a.Labels["team"], "<none>") }),
	byUID:        one(func(a answered) string { return string(a.UID) }),
}

var narrowings = []narrowed{
	{filter: ""},
	{filter: "status:Running,Pending", of: map[string]func(a answered) bool{"Status": func(a answered) bool { return a.field(3) == "Running" || a.field(3) == "Pending" }}},
	{filter: "!status:Running ns:checkout", of: map[string]func(a answered) bool{
		"Status": func(a answered) bool { return a.field(3) != "Running" }, "Namespace": func(a answered) bool { return a.Namespace == "checkout" },
	}},
	{filter: "api -l team=payments", rest: func(a answered) bool { return has("api")(a) && a.Labels["team"] == "payments" }},
}

// matches reports whether the filter leaves it.
func (n narrowed) matches(a answered) bool {
	for _, is := range n.of {
		if !is(a) {
			return false
		}
	}
	return n.rest == nil || n.rest(a)
}

// counts are the counts of every facet, as a scan of kubectl's answer has them.
func (n narrowed) counts(all []answered) map[string]map[string]int {
	out := map[string]map[string]int{}
	for name, value := range valued {
		out[name] = map[string]int{}
		for _, a := range all {
			matches := n.rest == nil || n.rest(a)
			for facet, is := range n.of {
				matches = matches && (facet == name || is(a))
			}
			if matches {
				for _, v := range value(a) {
					out[name][v]++
				}
			}
		}
	}
	return out
}

// facets are the tab's.
func (e eyes) facets() map[string]map[string]int {
	e.T.Helper()
	return stage.Eval[facets](e, "watchglass.facets()").counts()
}

// sameFacets compares every facet of the tab with a count over kubectl's answer.
func (e eyes) sameFacets() {
	e.T.Helper()
	all := ask(e.T, "pods")
	for _, n := range narrowings {
		e.filtered(n.filter)
		e.sameCounts(n, e.facets(), all)
	}
}

func (e eyes) sameCounts(n narrowed, have map[string]map[string]int, all []answered) {
	e.T.Helper()
	for name, want := range n.counts(all) {
		if name == byUID && have[name] == nil {
			continue
		}
		if got := have[name]; !maps.Equal(got, want) && len(want) > 1 {
			e.T.Errorf("%q, %s: the tab counts %v, kubectl %v", n.filter, name, got, want)
		}
	}
}

// facets is what scripts are told of facets.
type facets []struct {
	Name   string
	Values []struct {
		Value string
		Count int
	}
}

// counts are the values that some objects have.
func (f facets) counts() map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, facet := range f {
		out[facet.Name] = map[string]int{}
		for _, v := range facet.Values {
			if v.Count > 0 {
				out[facet.Name][v.Value] = v.Count
			}
		}
	}
	return out
}

// tableAt are the pods at exactly a version, as the apiserver's Table and their JSON
// have them.
func tableAt(t *testing.T, version string) []answered {
	t.Helper()
	doc, err := stage.Admin.CoreV1().RESTClient().Get().AbsPath("/api/v1/pods").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Param("includeObject", "Object").
		Param("resourceVersion", version).Param("resourceVersionMatch", string(metav1.ResourceVersionMatchExact)).Do(t.Context()).Raw()
	var table struct {
		Rows []struct {
			Cells  []any
			Object answered
		}
	}
	if err == nil {
		err = json.Unmarshal(doc, &table)
	}
	if err != nil {
		t.Fatalf("the pods at %s: %v", version, err)
	}
	all := make([]answered, len(table.Rows))
	for i, r := range table.Rows {
		all[i] = r.Object
		all[i].line = fmt.Sprint(r.Object.Namespace, " ", r.Cells[0], " ", r.Cells[1], " ", r.Cells[2])
	}
	return all
}

// TestMeanwhile compares counts and rows with what the apiserver lists at exactly the
// version that the tab had when it was asked, while pods are written to.
func TestMeanwhile(t *testing.T) {
	e := show(t, "/pods?cols=*,label.team")
	e.Await(`document.querySelector('[data-column="label.team"]')`)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	churn, err := stage.Cluster.Churn(ctx, cluster.ChurnOptions{PerSecond: 10})
	e.Must(err)
	// What is asked between two looks at the version that are equal is of that version.
	const settled = `(async () => {
		const version = () => watchglass.snapshot("pods", {namespace: "none"}).then(s => s.resourceVersion);
		for (;;) {
			const before = await version(), said = await %s;
			if (before === await version()) return {version: before, said};
		}
	})()`
	versions := map[string]bool{}
	little := func() bool {
		counts := churn.Counts()
		return counts.Status == 0 || counts.Create == 0 || len(versions) < 8
	}
	for round := 0; round < 2 || round < 50 && little() && !t.Failed(); round++ { // until enough was written: a page may be fast
		for _, n := range narrowings {
			e.filtered(n.filter)
			counted := stage.Eval[struct {
				Version string
				Said    facets
			}](e, fmt.Sprintf(settled, "watchglass.facets()"))
			e.sameCounts(n, counted.Said.counts(), tableAt(t, counted.Version))
			listed := stage.Eval[struct {
				Version string
				Said    browser.Rows
			}](e, fmt.Sprintf(settled, "watchglass.rows({limit: 100})")) // more take longer than it stays as it is
			var want []string
			all := tableAt(t, listed.Version)
			slices.SortFunc(all, func(a, b answered) int {
				return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
			})
			for _, a := range all {
				if n.matches(a) {
					want = append(want, a.key())
				}
			}
			have := listed.Said.Keys()
			if first := want[:min(len(want), 100)]; listed.Said.Total != len(want) || !slices.Equal(have, first) {
				t.Errorf("round %d, %q: the tab has %d rows, the apiserver %d; %s", round, n.filter, listed.Said.Total, len(want), stage.FirstDifference(have, first))
			}
			versions[counted.Version], versions[listed.Version] = true, true
		}
	}
	if little() {
		t.Errorf("too little was written meanwhile: %+v, %d versions", churn.Counts(), len(versions))
	}
	stop()
	if err := churn.Wait(); err != nil {
		t.Error(err)
	}
}

// TestFacets compares counts with kubectl's, at rest and again and again while
// pods are written to.
func TestFacets(t *testing.T) {
	e := show(t, "/pods?cols=*,label.team,"+url.QueryEscape(byUID))
	e.Await(`document.querySelector('[data-column="label.team"]')`)
	e.sameFacets()
	if e.filtered(""); e.facets()[byUID] == nil {
		t.Error("a path is no facet")
	}
	for range 2 {
		e.writes(50)
		e.filtered("")
		e.AwaitPods()
		e.sameFacets()
	}
}

// writes changes, makes and removes pods, least times and each at least once.
func (e eyes) writes(least int64) {
	e.T.Helper()
	ctx, stop := context.WithTimeout(e.T.Context(), stage.Soon)
	defer stop()
	churn, err := stage.Cluster.Churn(ctx, cluster.ChurnOptions{PerSecond: 50})
	e.Must(err)
	err = wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(context.Context) (bool, error) {
		n := churn.Counts()
		return min(n.Status, n.Label, n.Create, n.Delete) > 0 && n.Status+n.Label+n.Create+n.Delete >= least, nil
	})
	e.Must(err)
	stop()
	_ = churn.Wait() // it ended when it was told to
}

// TestPick clicks facets in and out, and goes Back.
func TestPick(t *testing.T) {
	e := show(t, "/pods")
	e.Await(`document.querySelector('[data-facet="Status"]')`)
	value := stage.Eval[string](e, `document.querySelector('[data-facet="Status"]').dataset.value`)
	status := strings.TrimPrefix(value, "Status:")
	button := fmt.Sprintf(`[data-value=%q]`, value)
	for _, step := range []struct{ query, checked string }{{"status:" + status, "true"}, {"!status:" + status, "mixed"}, {"", "false"}} {
		count := e.facets()["Status"][status]
		e.Await(fmt.Sprintf(`document.querySelector('%s .number').textContent.replaceAll(",", "") === "%d"`, button, count))
		e.Must(e.Click(button))
		e.Await(fmt.Sprintf(`document.querySelector('%s').getAttribute("aria-checked") === %q && document.querySelector("#filter").value === %q`, button, step.checked, step.query))
		if total := e.Rows().Total; step.checked == "true" && total != count {
			t.Errorf("it counted %d, and there are %d", count, total)
		}
	}
	stage.Eval[bool](e, `history.back(), true`)
	e.Await(`document.querySelector("#filter").value === "!status:` + status + `"`)
}

// TestTyped completes a filter by keys, makes a mistake in it, and keeps what was
// shown.
func TestTyped(t *testing.T) {
	e := show(t, "/pods")
	e.Await(`document.querySelector('[data-facet="Status"]')`)
	e.Press("/")
	e.Await(`document.activeElement.id === "filter"`)
	e.Press("stat")
	e.Await(`document.querySelector("#suggestion-0")?.innerText.startsWith("status:")`)
	e.Axe(stage.AxeSource(t))
	e.Press(kb.ArrowDown, kb.Tab)
	// In one task: other tests change pods, and with them which status is the most frequent.
	e.Await(`document.querySelector("#filter").value === "status:" && "Status:" + document.querySelector("#suggestion-0 .name")?.innerText === document.querySelector('[data-facet="Status"]').dataset.value`)
	status := stage.Eval[string](e, `document.querySelector("#suggestion-0 .name").innerText`)
	e.Press(kb.ArrowDown, kb.Enter)
	e.Await(fmt.Sprintf(`document.querySelector("#filter").value === "status:%s "`, status))
	e.Await(`document.querySelector("#count").innerText.includes(" of ")`)
	total := e.Rows().Total
	now := len(e.filtered("status:" + status + " colour:red x"))
	e.Await(`document.querySelector("#mistake .wrong")?.innerText === "colour"`)
	if now != total || total == 0 {
		t.Errorf("there were %d rows, and now there are %d", total, now)
	}
	e.Keep("mistake")
	e.Must(e.Type("#filter", "nginx"))
	e.Await(`!document.querySelector("#mistake")`)
}

// TestPalette goes to another kind, in a namespace, by name alone.
func TestPalette(t *testing.T) {
	e := show(t, "/pods")
	e.Await(`document.querySelector(".fold[data-value=Other]")`) // the kinds are known
	e.Press(":")
	e.Await(`document.activeElement.id === "palette-text"`)
	e.Press("svc checkout")
	e.Await(`document.querySelector("#offer-0")?.innerText.startsWith("Services in checkout")`)
	e.Axe(stage.AxeSource(t))
	e.Keep("palette")
	e.Press(kb.Enter)
	e.Await(`location.pathname === "/services" && location.search === "?n=checkout" && document.documentElement.dataset.state === "live"`)
	e.Press(":")
	e.Await(`document.activeElement.id === "palette-text"`)
	e.Press(kb.Escape)
	e.Await(`!document.querySelector("#palette") && document.activeElement.id === "grid"`)
}

// TestPause holds still while the cluster does not, and counts what waits.
func TestPause(t *testing.T) {
	ns := stage.Namespace(t)
	e := show(t, "/configmaps?n="+ns)
	e.Press("p")
	e.Await(`document.querySelector("#badge").innerText.startsWith("Paused")`)
	path := "/api/v1/namespaces/" + ns + "/configmaps"
	stage.Post(t, path, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "late"}}`)
	e.Await(`document.querySelector("#badge").innerText.startsWith("Paused · 1")`)
	if rows := e.Rows(); hasKey(rows, ns+"/late") {
		t.Error("it did not hold still")
	}
	e.Keep("page")
	e.Press("p")
	e.Await(fmt.Sprintf(`watchglass.rows().then(r => r.rows.some(x => x.key === %q))`, ns+"/late"))
}

func hasKey(rows browser.Rows, key string) bool { return slices.Contains(rows.Keys(), key) }
