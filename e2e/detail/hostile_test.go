package detail

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// hostileObjects are how many are made.
const hostileObjects = 50

// hostileTexts are what somebody may write who means no good, or did not think.
var hostileTexts = []string{
	`<script>window.canary = 1</script>`, `"><img src=x onerror="window.canary=1">`, `<svg onload=window.canary=1>`, `javascript:window.canary=1`, `</pre></code></span><iframe srcdoc="<script>parent.canary=1</script>">`,
	`{{constructor.constructor("window.canary=1")()}}`, `<a href="javascript:window.canary=1">x</a>`, `<style>*{display:none}</style>`, `<base href="http://evil.example/">`, `<meta http-equiv=refresh content=0;url=http://evil.example>`,
	"\u202egpj.exe\u202c", "\u2066\u2067\u2068 isolates", "\u200e\u200f\u061c marks", "\x1b[31mred\x1b[0m \x1b]0;title\x07", "\x1b[2J\x1b[H", "\x01\x02\x03\x08\x0b\x0c\x7f", "\u0085\u2028\u2029", "\ufeff\u200b\u00ad", "\r\n\r\n",
	"a: &a [*a, *a]\nb: &b [*a, *a]", "&a [&b [&c [x]]]", "%YAML 9\n---\n...\n", "? [complex]\n: !!python/object:os.system ls", "|\n  text\n>\n  text", "'\"`\\", "\x1f\x1e\x1d", "data:text/html,<script>window.canary=1</script>", "𝕳𝖊𝖑𝖑𝖔 漢字 😀 e\u0301\u0301\u0301\u0301\u0301\u0301",
	strings.Repeat("A", 5000), strings.Repeat("\u0e49", 300), strings.Repeat("<b>", 900), strings.Repeat("[", 2000), strings.Repeat(" ", 2000),
}

func hostileText(r *rand.Rand) string {
	out := hostileTexts[r.IntN(len(hostileTexts))]
	for r.IntN(3) == 0 {
		out += hostileTexts[r.IntN(len(hostileTexts))]
	}
	return out
}

// hostile is an object that was written, or is to be.
type hostile struct {
	kind, id, list, name string
	doc                  map[string]any
}

func annotated(r *rand.Rand, name string) map[string]any {
	notes := map[string]any{}
	for n := range r.IntN(5) {
		notes[fmt.Sprintf("e2e.example.com/note-%d", n)] = hostileText(r)
	}
	return map[string]any{"name": name, "annotations": notes}
}

// oddValue is a field of a custom resource, of any type.
func oddValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case n < 3 && depth > 0:
		out := map[string]any{}
		for range r.IntN(6) {
			out[hostileText(r)] = oddValue(r, depth-1)
		}
		return out
	case n < 5 && depth > 0:
		out := []any{}
		for range r.IntN(6) {
			out = append(out, oddValue(r, depth-1))
		}
		return out
	case n == 5:
		return []any{nil, true, r.Int64(), -1.5e-300, r.Float64(), "", map[string]any{}, []any{}}[r.IntN(8)]
	}
	return hostileText(r)
}

// makeHostile makes the n-th object of a namespace.
func makeHostile(r *rand.Rand, ns string, n int) hostile {
	name := fmt.Sprintf("hostile-%03d", n)
	if n%11 == 0 {
		name += "-" + strings.Repeat("n", 253-len(name)-1)
	}
	meta := annotated(r, name)
	in := func(group, plural string) string { return group + "/namespaces/" + ns + "/" + plural }
	switch n % 5 {
	case 0:
		meta["finalizers"] = nil
		container := map[string]any{"name": "main", "image": "registry.example/" + strings.Repeat("i", r.IntN(200)+1), "args": []any{hostileText(r), hostileText(r)}, "env": []any{map[string]any{"name": "X", "value": hostileText(r)}}}
		return hostile{"Pod", "pods", in("/api/v1", "pods"), name, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": map[string]any{"automountServiceAccountToken": false, "containers": []any{container}}}}
	case 1:
		data := map[string]any{"text": hostileText(r), "other": hostileText(r)}
		switch {
		case n%50 == 1:
			data["large"] = strings.Repeat(hostileTexts[r.IntN(9)]+" ", 1<<20)[:1_000_000]
		case n%50 == 11:
			for i := range 10_000 {
				data[fmt.Sprintf("key-%05d", i)] = fmt.Sprintf("<b>%d</b>", i)
			}
		case n%50 == 21:
			data["lines"] = strings.Repeat("- a: b\n", 10_000)
		}
		return hostile{"ConfigMap", "configmaps", in("/api/v1", "configmaps"), name, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}}
	case 2:
		return hostile{"Secret", "secrets", in("/api/v1", "secrets"), name, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": map[string]any{"a": hostileText(r), "b.c": hostileText(r)}}}
	case 3:
		return hostile{"Gauge", "gauges.e2e.example.com", in(stage.GaugesPath, "gauges"), name, map[string]any{"apiVersion": "e2e.example.com/v1", "kind": "Gauge", "metadata": meta, "spec": oddValue(r, 4), "status": map[string]any{"conditions": []any{map[string]any{"type": hostileText(r), "status": "True", "message": hostileText(r)}}}, hostileText(r): oddValue(r, 2)}}
	}
	return hostile{"Event", "events", in("/api/v1", "events"), name, map[string]any{"apiVersion": "v1", "kind": "Event", "metadata": meta, "type": hostileText(r)[:1], "reason": hostileText(r)[:1], "message": hostileText(r), "involvedObject": map[string]any{"kind": "Pod", "namespace": ns, "name": hostileText(r)}}}
}

// visit goes through the tabs of an object, within the page: each is waited for until
// nothing moves in it any more. It tells of links and of attributes that would run. One that is full has
// events, and changes.
const visit = `async (address, label, tabs, full) => {
	const frame = () => new Promise(f => requestAnimationFrame(f)), wrong = []
	for (const tab of tabs) {
		history.pushState(null, "", address + "&tab=" + tab)
		dispatchEvent(new PopStateEvent("popstate"))
		const drawer = document.querySelector(".drawer"), until = performance.now() + 20000
		const there = () => drawer.getAttribute("aria-label") === label && drawer.dataset.tab === tab && drawer.dataset.state === "live" &&
			(tab !== "yaml" || document.querySelector("#yaml-said")?.hidden && document.querySelector("#text .line:not([hidden])")) &&
			(tab !== "compare" || /differ|No differences/.test(document.querySelector("#compared")?.innerText)) &&
			(tab !== "events" || !full || drawer.querySelector(".event")) &&
			(tab !== "changes" || document.querySelector(full ? ".changes .version" : "#unchanged, .changes .version"))
		while (!there() && performance.now() < until) await frame()
		if (!there()) wrong.push(tab + " does not come: " + drawer.getAttribute("aria-label") + " " + drawer.dataset.state + " " + document.querySelector("#yaml-said")?.innerText)
		let moved = true
		const watch = new MutationObserver(() => moved = true)
		watch.observe(drawer, {subtree: true, childList: true, characterData: true})
		for (let still = 0; still < 2 && performance.now() < until; moved = false) { await frame(); still = moved ? 0 : still + 1 }
		watch.disconnect()
		for (const el of drawer.querySelectorAll("*")) {
			if (["SCRIPT", "IFRAME", "IMG", "OBJECT", "EMBED", "BASE", "META", "STYLE", "FORM"].includes(el.tagName)) wrong.push(tab + " has a " + el.tagName)
			for (const a of el.attributes) if (a.name.startsWith("on") || ["href", "src", "action", "srcdoc", "style"].includes(a.name) && !(a.name === "href" && a.value.startsWith("/")) && !(a.name === "style" && el.closest("#text, #graph, svg")))
				wrong.push(tab + " has " + a.name + "=" + a.value.slice(0, 80))
		}
	}
	return wrong
}`

// freezes is how long a task of the page may take, in milliseconds of processor time: by the clock
// it takes as long as whatever else runs lets it.
const freezes = 1000

// TestHostile writes objects that mean no good, and shows each in every tab: nothing of
// them runs, breaks the policy, or holds the page up.
func TestHostile(t *testing.T) {
	const seed = 20261122
	ns := stage.Namespace(t)
	oddGauge(t, ns)
	r := rand.New(rand.NewPCG(seed, 1))
	var all []hostile
	refused, full := 0, "" // the name of a pod that all events are about
	for n := 0; len(all) < hostileObjects && n < 2*hostileObjects; n++ {
		h := makeHostile(r, ns, n)
		if about, ok := h.doc["involvedObject"].(map[string]any); ok && full != "" {
			pod, err := stage.Admin.CoreV1().Pods(ns).Get(t.Context(), full, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			about["name"], about["uid"] = full, pod.UID
		}
		doc, err := json.Marshal(h.doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := stage.Admin.CoreV1().RESTClient().Post().AbsPath(h.list).SetHeader("Content-Type", "application/json").Body(doc).Do(t.Context()).Error(); err != nil {
			refused++
			continue
		}
		if all = append(all, h); h.kind == "Pod" && full == "" {
			full = h.name
		}
	}
	t.Logf("%d objects are made, and %d were refused", len(all), refused)
	t.Cleanup(func() { // other tests compare all that there is
		for _, h := range all {
			_ = stage.Admin.CoreV1().RESTClient().Delete().AbsPath(h.list, h.name).Param("gracePeriodSeconds", "0").Do(context.Background()).Error()
		}
	})
	if len(all) < hostileObjects {
		t.Fatalf("only %d objects", len(all))
	}
	e := eyes{stage.Open(t, "about:blank")}
	e.Must(e.First(`window.violations = []; addEventListener("securitypolicyviolation", v => violations.push(v.violatedDirective + " " + v.blockedURI + " " + v.sample))`))
	e.Must(e.Open(page.Proxy(t).At("/pods?n=" + ns)))
	e.AwaitState("live")
	notes := map[string]string{} // a change, while the page looks
	for i, text := range hostileTexts {
		notes[fmt.Sprintf("e2e.example.com/changed-%d", i)] = text
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": notes}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stage.Admin.CoreV1().Pods(ns).Patch(t.Context(), full, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	var tasks []task
	before := all[len(all)-1] // what each is compared with
	for _, kind := range []string{"Pod", "ConfigMap", "Secret", "Gauge", "Event"} {
		for _, h := range all {
			if h.kind != kind {
				continue
			}
			tabs := `["summary", "yaml", "events", "related", "changes", "compare"]`
			if kind == "Pod" {
				tabs = `["summary", "yaml", "events", "related", "logs", "changes", "compare"]`
			}
			address := "/" + h.id + "?n=" + ns + "&sel=" + ns + "/" + h.name + "&with=" + before.id + ":" + ns + "/" + before.name
			before = h
			label := h.kind + " " + h.name
			of, err := e.Tab.Tasks(func() error {
				wrong, err := browser.Eval[[]string](e.Tab, fmt.Sprintf(`(%s)(%q, %q, %s, %v)`, visit, address, label, tabs, h.name == full))
				if len(wrong) > 0 {
					t.Errorf("%s: %s", label, strings.Join(wrong, "; "))
				}
				return err
			})
			e.Must(err)
			tasks = append(tasks, task{slices.Max(of), label})
		}
	}
	e.Keep("hostile")
	if canary := stage.Eval[bool](e, `window.canary !== undefined`); canary {
		t.Error("a script ran")
	}
	if broken := stage.Eval[[]string](e, `violations`); len(broken) > 0 {
		t.Errorf("the policy was broken: %s", strings.Join(broken, "\n"))
	}
	checkTasks(t, tasks)
}

// task is the longest task of the page while it showed an object, in milliseconds of processor time.
type task struct {
	took float64
	of   string
}

// checkTasks fails the test for each object that froze the page.
func checkTasks(t *testing.T, tasks []task) {
	slices.SortFunc(tasks, func(a, b task) int { return cmp.Compare(b.took, a.took) })
	for n, task := range tasks {
		if n < 12 {
			t.Logf("a task of %.0f ms: %.40s", task.took, task.of)
		}
		if task.took > freezes {
			t.Errorf("a task of the page took %.0f ms: %s", task.took, task.of)
		}
	}
}
