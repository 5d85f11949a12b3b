package detail

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"watchglass/e2e/stage"
)

// lastName is the name of the last object in a list of the apiserver's.
func lastName(t *testing.T, path string) string {
	t.Helper()
	raw, err := stage.Admin.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(t.Context())
	var all metav1.PartialObjectMetadataList
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil || len(all.Items) == 0 {
		t.Fatalf("%s has %d objects: %v", path, len(all.Items), err)
	}
	return all.Items[len(all.Items)-1].Name
}

// keepCopies has the page keep what it would put on the clipboard.
const keepCopies = `(navigator.clipboard.writeText = t => { window.copied = t; return Promise.resolve() }, window.copied = null, true)`

// opened waits until the drawer shows an object, live, in a tab.
func (e eyes) opened(kind, name, tab string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`(d => d.getAttribute("aria-label") === %q && d.dataset.tab === %q && d.dataset.state === "live")(document.querySelector(".drawer"))`, kind+" "+name, tab))
}

// does presses a button of the drawer.
func (e eyes) does(action string) {
	e.T.Helper()
	e.Must(e.Click(fmt.Sprintf(`.drawer [data-action=%q]`, action)))
}

// yaml is what the copy button copies, once the text is there.
func (e eyes) yaml() string {
	e.T.Helper()
	e.Await(`document.querySelector("#yaml-said")?.hidden`)
	stage.Eval[bool](e, `(window.copied = null, true)`)
	e.does("yaml-copy")
	e.Await(`window.copied !== null`)
	return stage.Eval[string](e, `window.copied`)
}

// withheld is a Secret as the proxy lets it pass.
func withheld(t *testing.T, text string) string {
	t.Helper()
	var secret map[string]any
	if err := yaml.Unmarshal([]byte(text), &secret); err != nil {
		t.Fatal(err)
	}
	data, _ := secret["data"].(map[string]any)
	for name := range data {
		data[name] = ""
	}
	notes, _ := secret["metadata"].(map[string]any)["annotations"].(map[string]any)
	for name := range notes {
		notes[name] = ""
	}
	out, err := yaml.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// yamlKinds are how many kinds are compared.
const yamlKinds = 26

// TestYAML compares the text that the page copies with kubectl's, to the byte, with
// managedFields and without.
func TestYAML(t *testing.T) {
	ns := stage.Namespace(t)
	stage.ApplyKinds(t, ns)
	oddGauge(t, ns)
	e := show(t, "/limitranges")
	stage.Eval[bool](e, keepCopies)
	kinds := append(stage.PrintedKinds[:yamlKinds:yamlKinds],
		stage.Kind{Name: "Gauge", Group: stage.GaugesPath, Resource: "gauges", Namespaced: true},
		stage.Kind{Name: "CustomResourceDefinition", Group: "/apis/apiextensions.k8s.io/v1", Resource: "customresourcedefinitions"})
	for _, k := range kinds {
		t.Run(k.Name, func(t *testing.T) {
			e := eyes{e.In(t)}
			of, key := []string{}, ""
			if k.Namespaced {
				of, key = []string{"-n", ns}, ns+"/"
			}
			name := lastName(t, k.In(ns))
			e.GoTo("/" + k.ID() + "?n=" + map[bool]string{true: ns}[k.Namespaced] + "&sel=" + key + name + "&tab=yaml")
			e.opened(k.Name, name, "yaml")
			for _, flags := range [][]string{nil, {"--show-managed-fields"}} {
				if flags != nil {
					e.does("yaml-managed")
					e.Await(`document.querySelector('[data-action="yaml-managed"]').getAttribute("aria-pressed") === "true"`)
				}
				have := e.yaml()
				want, err := stage.Cluster.Kubectl(t.Context(), slices.Concat([]string{"get", k.ID(), name, "-o", "yaml"}, of, flags)...)
				if err != nil {
					t.Fatal(err)
				}
				if k.Name == "Secret" {
					want = withheld(t, want)
				}
				if have != want {
					t.Errorf("kubectl %v:\n%s\nthe page:\n%s", flags, want, have)
				}
				if seen := stage.Eval[int](e, `document.querySelectorAll("#text .line:not([hidden])").length`); seen < 5 {
					t.Errorf("%d lines are on screen", seen)
				}
			}
		})
	}
	e.Keep("yaml")
}

// oddGauge makes an object that holds every odd type of value, but for what kubectl
// cannot print: it reads its own JSON as YAML, where U+2028 breaks a line and becomes a
// space, and fails on U+007F. The page shows both as they are.
func oddGauge(t *testing.T, ns string) {
	t.Helper()
	stage.Post(t, stage.DefinitionsPath, openGauges)
	t.Cleanup(func() {
		if err := stage.Admin.CoreV1().RESTClient().Delete().AbsPath(stage.DefinitionsPath + "/gauges.e2e.example.com").Do(context.Background()).Error(); err != nil {
			t.Error(err)
		}
	})
	if _, err := stage.Cluster.Kubectl(t.Context(), "wait", "--for=condition=Established", "crd/gauges.e2e.example.com"); err != nil {
		t.Fatal(err)
	}
	odd := map[string]any{
		"largest": int64(9223372036854775807), "least": int64(-9223372036854775808), "half": 0.5, "tiny": 1.5e-300, "whole": 3.0,
		"nothing": nil, "empty": map[string]any{}, "none": []any{}, "yes": "yes", "null": "null", "number": "0123", "float": "1e3", "date": "2001-01-01",
		"lines": "one\ntwo\n\n  three\n", "unended": "one\ntwo", "leading": "  one\ntwo\n", "tab": "a\tb", "colon": "a: b", "hash": "a #b", "dash": "- a", "quote": `it's "so"`,
		"long": strings.Repeat("words that go on ", 40), "bidi": "a\u202eb\u2066c", "control": "a\x01\x1b[31mb", "emoji": "😀 é 漢字",
		"markup": `<script>window.canary = 1</script>`, "nested": []any{[]any{1, []any{"a"}}, map[string]any{"a": []any{map[string]any{"b": nil}}}},
		strings.Repeat("k", 200): "a long key", "a: b": "an odd key", "two\nlines": "another", "": "no key",
	}
	doc, err := json.Marshal(map[string]any{"apiVersion": "e2e.example.com/v1", "kind": "Gauge", "metadata": map[string]any{"name": "odd"}, "spec": odd})
	if err != nil {
		t.Fatal(err)
	}
	stage.Post(t, stage.GaugesPath+"/namespaces/"+ns+"/gauges", string(doc))
}

// openGauges are gauges that may hold anything.
const openGauges = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gauges.e2e.example.com"},
"spec": {"group": "e2e.example.com", "scope": "Namespaced", "names": {"plural": "gauges", "singular": "gauge", "kind": "Gauge"},
"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}`

// patch patches a pod.
func patch(t *testing.T, pod *corev1.Pod, doc string) {
	t.Helper()
	if _, err := stage.Admin.CoreV1().Pods(pod.Namespace).Patch(t.Context(), pod.Name, types.MergePatchType, []byte(doc), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// freshLines are the lines that are marked, in their order.
const freshLines = `[...document.querySelectorAll("#text .line.fresh:not([hidden])")].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(l => l.querySelector(".code").textContent)`

// TestYAMLFollows changes an object whose YAML is on screen: the text follows, and those
// lines are marked that changed, for a while. A deleted object keeps its last text.
func TestYAMLFollows(t *testing.T) {
	ns := stage.Namespace(t)
	pod := stage.Create(t, ns, "web", func(p *corev1.Pod) { p.Labels = map[string]string{"app": "web", "tier": "front"} })
	e := show(t, "/pods?n="+ns+"&sel="+ns+"/web&tab=yaml")
	stage.Eval[bool](e, keepCopies)
	e.opened("Pod", "web", "yaml")
	before := e.yaml()
	patch(t, pod, `{"metadata":{"labels":{"app":"shop"},"annotations":{"new":"note"}},"spec":{"containers":[{"name":"main","image":"registry.example/app:2"}]}}`)
	e.Await(freshLines + `.length > 0`)
	fresh := stage.Eval[[]string](e, freshLines)
	e.Keep("fresh")
	after := e.yaml()
	if want, err := stage.Cluster.Kubectl(t.Context(), "get", "pod", "web", "-n", ns, "-o", "yaml"); err != nil || after != want {
		t.Errorf("%v: the page has\n%s\nand not\n%s", err, after, want)
	}
	was := strings.Split(before, "\n")
	var want []string
	for line := range strings.SplitSeq(after, "\n") {
		if !slices.Contains(was, line) {
			want = append(want, line)
		}
	}
	if !slices.Equal(fresh, want) || len(want) < 5 {
		t.Errorf("marked are\n%s\nand not\n%s", strings.Join(fresh, "\n"), strings.Join(want, "\n"))
	}
	e.Await(freshLines + `.length === 0`)
	e.Must(e.Type("#yaml-find", "registry"))
	e.Await(`document.querySelector("#yaml-hits").innerText === "1 of 1" && document.querySelector("#text .current")?.textContent === "registry"`)
	stage.Remove(t, pod)
	e.Await(`document.querySelector("#yaml-said").innerText.includes("Deleted")`)
	stage.Eval[bool](e, `(window.copied = null, true)`)
	e.does("yaml-copy")
	e.Await(`window.copied !== null`)
	if last := stage.Eval[string](e, `window.copied`); last != after {
		t.Errorf("what is left is\n%s", last)
	}
}

// fields are what a version changed, as they are on screen.
func (e eyes) fields(version string) []string {
	e.T.Helper()
	return stage.Eval[[]string](e, fmt.Sprintf(`[...document.querySelectorAll('.changes .version%s .field')].map(f => f.dataset.kind + " " + f.dataset.path + ": " + [...f.querySelectorAll(".was, .is")].filter(x => !x.hidden).map(x => x.textContent).join(" → "))`, version))
}

// TestChanges shows what happened to an object: before it was opened, and after.
func TestChanges(t *testing.T) {
	ns := stage.Namespace(t)
	pod := stage.Create(t, ns, "web", func(p *corev1.Pod) { p.Labels = map[string]string{"app": "web"} })
	quiet := stage.Create(t, ns, "quiet")
	e := show(t, "/pods?n="+ns)
	e.AwaitCell(ns+"/web", "Name", "web")
	patch(t, pod, `{"metadata":{"labels":{"app":"shop"}}}`)
	stage.SetStatus(t, pod, stage.Running(3))
	e.AwaitCell(ns+"/web", "Status", "Running")
	e.GoTo("/pods?n=" + ns + "&sel=" + ns + "/web&tab=changes")
	e.opened("Pod", "web", "changes")
	e.Await(`document.querySelectorAll(".changes .version").length === 3`)
	seen := strings.Join(e.fields(""), "\n")
	for _, want := range []string{"changed metadata.labels.app: web → shop", "changed status.phase: Pending → Running", "added status.containerStatuses: "} {
		if !strings.Contains(seen, want) {
			t.Errorf("%q is not among\n%s", want, seen)
		}
	}
	if strings.Contains(seen, "resourceVersion") || strings.Contains(seen, "managedFields") {
		t.Errorf("there is noise in\n%s", seen)
	}
	patch(t, pod, `{"spec":{"containers":[{"name":"main","image":"registry.example/app:2"}]},"metadata":{"annotations":{"a.b/c":"<b>x</b>"}}}`)
	e.Await(`document.querySelectorAll(".changes .version").length === 4`)
	want := []string{`added metadata.annotations: {"a.b/c":"<b>x</b>"}`, "changed spec.containers[main].image: registry.example/app:1 → registry.example/app:2"}
	newest := e.fields(":first-child")
	newest = slices.DeleteFunc(newest, func(f string) bool { return strings.Contains(f, "generation") })
	if !slices.Equal(newest, want) {
		t.Errorf("the newest change is\n%s", strings.Join(newest, "\n"))
	}
	e.Keep("changes")
	const picks = `[...document.querySelectorAll('.changes [data-action="pick-version"]')]` // they move when what is compared comes
	stage.Eval[any](e, picks+`.at(-1).click()`)
	e.Await(picks + `.at(-1).getAttribute("aria-pressed") === "true"`)
	stage.Eval[any](e, picks+`.at(0).click()`)
	e.Await(`document.querySelector("section#compared")`)
	if all := strings.Join(e.fields("#compared"), "\n"); !strings.Contains(all, "web → shop") || !strings.Contains(all, "app:1 → registry.example/app:2") || !strings.Contains(all, "Pending → Running") {
		t.Errorf("between the first and the last there is\n%s", all)
	}
	e.GoTo("/pods?n=" + ns + "&sel=" + ns + "/quiet&tab=changes")
	e.Await(`document.querySelector("#unchanged")?.innerText.startsWith("No changes since")`)
	stage.Remove(t, quiet)
	e.Await(`document.querySelector(".changes").innerText.includes("Deleted at")`)
}

// TestCommands shows the commands of an object, and takes one by its key.
func TestCommands(t *testing.T) {
	ns := stage.Namespace(t)
	stage.Create(t, ns, "web")
	e := show(t, "/pods?n="+ns+"&sel="+ns+"/web")
	stage.Eval[bool](e, keepCopies)
	e.opened("Pod", "web", "summary")
	e.Press("x")
	e.Await(`document.querySelector("#commands")`)
	e.Keep("commands")
	shown := stage.Eval[[]string](e, `[...document.querySelectorAll("#commands code")].map(c => c.textContent)`)
	e.Must(e.Click("[data-action=shell][data-value=powershell]"))
	e.Await(`document.querySelector("#commands code").textContent.includes('"--namespace=` + ns + `"')`)
	e.Must(e.Open(stage.Eval[string](e, "location.href"))) // the browser remembers
	stage.Eval[bool](e, keepCopies)
	e.opened("Pod", "web", "summary")
	e.Press("x")
	e.Await(`document.querySelector("[data-action=shell][data-value=powershell]").ariaPressed === "true"`)
	e.Must(e.Click("[data-action=shell][data-value=sh]"))
	e.Await(`document.querySelector("#commands code").textContent.includes(" --namespace=` + ns + `")`)
	e.Press("l")
	e.Await(`window.copied && !document.querySelector("#commands")`)
	copied := stage.Eval[string](e, `window.copied`)
	if !strings.HasSuffix(copied, "--namespace="+ns+" pods/web -f -c main") || !slices.Contains(shown, copied) {
		t.Errorf("%q is copied, of\n%s", copied, strings.Join(shown, "\n"))
	}
	e.Notice("Copied: kubectl logs")
}
