package detail

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// node is a kubelet, whose pods are in a namespace of its own, and a page.
type node struct {
	eyes
	*cluster.Kubelet
	ns   string
	logs *sync.Map // of *cluster.Script, as they are named in writes
}

// before names the log of the run before.
const before = " before"

// TestLogsOfKubelet reads logs that a kubelet serves, by way of the real apiserver.
func TestLogsOfKubelet(t *testing.T) {
	n := startNode(t)
	n.eyes = eyes{stage.Open(t, "about:blank")}
	n.Must(n.First(`window.violations = []; addEventListener("securitypolicyviolation", v => violations.push(v.violatedDirective + " " + v.blockedURI + " " + v.sample))`))
	n.Must(n.Open(page.Proxy(t).At("/pods?n=" + n.ns)))
	n.AwaitState("live")
	for name, test := range map[string]func(node){"previous": node.previous, "containers": node.containers, "owners": node.owners, "taken": node.taken, "hostile": node.hostile, "structured": node.structured, "histogram": node.histogram} {
		t.Run(name, func(t *testing.T) { test(n.in(t)) })
	}
}

// startNode starts a kubelet that ends with the test. It opens no page.
func startNode(t *testing.T) node {
	t.Helper()
	n := node{ns: stage.Namespace(t), logs: &sync.Map{}}
	var err error
	n.Kubelet, err = stage.Cluster.StartKubelet(t.Context(), n.ns, func(_, pod, container string, previous bool) cluster.Log {
		if log, ok := n.logs.Load(pod + "/" + container + map[bool]string{true: before}[previous]); ok {
			return log.(*cluster.Script)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Stop(); err != nil {
			t.Error(err)
		}
		for _, what := range []string{"sts,ds,rs,rc,jobs,cronjobs,services --all", "node " + n.Node} {
			if _, err := stage.Cluster.Kubectl(context.Background(), append([]string{"delete", "-n", n.ns}, strings.Fields(what)...)...); err != nil {
				t.Error(err)
			}
		}
	})
	return n
}

// in is the same node, whose failures fail a test within this one.
func (n node) in(t *testing.T) node {
	n.eyes = eyes{n.In(t)}
	return n
}

// noon is when the logs begin.
var noon = time.Now().Add(-time.Hour).Truncate(time.Second)

// writes has a container, which is named pod/container, write lines: one a second, the
// first so many seconds after noon.
func (n node) writes(container string, after int, lines ...string) *cluster.Script {
	made, _ := n.logs.LoadOrStore(container, cluster.NewScript(noon))
	log := made.(*cluster.Script)
	for i, text := range lines {
		log.Write(noon.Add(time.Duration(after+i)*time.Second), text)
	}
	return log
}

// runs has a pod run, with one container if nothing is changed.
func (n node) runs(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	n.T.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: n.ns}, Spec: corev1.PodSpec{Containers: containers("main")}}
	for _, f := range change {
		f(pod)
	}
	pod, err := n.Run(n.T.Context(), pod)
	n.Must(err)
	return pod
}

func containers(names ...string) (all []corev1.Container) {
	for _, name := range names {
		all = append(all, corev1.Container{Name: name, Image: "registry.example/app:1"})
	}
	return all
}

// opens opens the logs of an object, as received.
func (n node) opens(resource, name, more string) {
	n.T.Helper()
	n.opensAs(resource, name, more+"&raw=true")
}

// opensAs opens the logs of an object as a link from elsewhere does: what was open before it is closed, and what the
// browser remembers of logs is forgotten.
func (n node) opensAs(resource, name, more string) {
	n.T.Helper()
	n.Visit("/nodes")
	n.Await(`document.querySelector(".drawer").hidden`)
	stage.Eval[any](n, `localStorage.removeItem("watchglass:logs")`)
	n.Visit("/" + resource + "?n=" + n.ns + "&sel=" + n.ns + "/" + name + "&tab=logs" + more)
	n.standing("live")
}

// picks clicks an entry of the menu of the logs. To copy or save closes the menu.
func (e eyes) picks(selector string) {
	e.T.Helper()
	if stage.Eval[bool](e, `document.querySelector("#logs-popover").hidden`) {
		e.Must(e.Click("#logs-menu"))
	}
	e.Must(e.Click("#logs-popover " + selector))
	if strings.Contains(selector, "logs-copy") || strings.Contains(selector, "logs-save") {
		e.Await(`document.querySelector("#logs-popover").hidden`)
	}
}

// logLines are the lines on screen: what stands before each, and its text.
const logLines = `[...document.querySelectorAll("#text .line:not([hidden]):not(.blank)")].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
	.map(l => l.querySelector(".gutter").textContent.trim() + " " + l.querySelector(".code").textContent)`

// shows waits until these are the lines, and no others.
func (n node) shows(want ...string) {
	n.T.Helper()
	doc, err := json.Marshal(want)
	n.Must(err)
	if err := n.Tab.Await(fmt.Sprintf("JSON.stringify(%s) === JSON.stringify(%s)", logLines, doc), stage.Soon); err != nil {
		n.T.Fatalf("%v: the lines are\n%s", err, strings.Join(stage.Eval[[]string](n, logLines), "\n"))
	}
}

// kubectl is what kubectl prints of a log.
func (n node) kubectl(args ...string) string {
	n.T.Helper()
	out, err := stage.Cluster.Kubectl(n.T.Context(), append([]string{"logs", "-n", n.ns}, args...)...)
	n.Must(err)
	return out
}

// showsKubectls waits until the lines are those that kubectl prints, by their numbers.
func (n node) showsKubectls(args ...string) {
	n.T.Helper()
	var want []string
	for text := range strings.Lines(n.kubectl(args...)) {
		want = append(want, fmt.Sprintf("%d %s", len(want)+1, strings.TrimSuffix(text, "\n")))
	}
	n.shows(want...)
}

// previous asks for what a container wrote before it began anew, and goes back.
func (n node) previous() {
	pod := n.runs("again")
	status := stage.Running(1)
	status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", StartedAt: metav1.NewTime(noon), FinishedAt: metav1.NewTime(noon.Add(time.Minute))}
	stage.SetStatus(n.T, pod, status)
	n.writes("again/main"+before, 0, "starts", "panic: no").End()
	n.writes("again/main", 60, "starts again", "serves")
	n.opens("pods", "again", "")
	n.showsKubectls("again")
	n.picks("[data-action=logs-previous]")
	n.showsKubectls("again", "--previous")
	n.Await(`document.querySelector("[data-action=logs-previous]").getAttribute("aria-pressed") === "true" && document.querySelector(".logs .status").innerText.startsWith("ended")`)
	n.Await(`location.search.includes("&previous=true")`)
	n.opens("pods", "again", "&previous=true")
	n.showsKubectls("again", "--previous")
	n.picks("[data-action=logs-previous]")
	n.shows("1 starts again", "2 serves")
	n.Await(`!location.search.includes("previous")`)
	n.runs("once")
	n.opens("pods", "once", "&previous=true")
	n.Says(".logs .standing", "The container has no previous logs.")
}

// containers chooses one after the other, and all; each is in the address.
func (n node) containers() {
	n.runs("three", func(p *corev1.Pod) {
		p.Annotations = map[string]string{"kubectl.kubernetes.io/default-container": "side"}
		p.Spec.InitContainers, p.Spec.Containers = containers("prepare"), containers("main", "side")
	})
	for i, c := range []string{"prepare", "main", "side"} {
		n.writes("three/"+c, i, "of "+c)
	}
	n.opens("pods", "three", "")
	n.showsKubectls("three")
	const chosen = `document.querySelector("[data-field=logs-container]")`
	for _, c := range []string{"main", "prepare", "side"} {
		n.Await(fmt.Sprintf(`[...%s.options].some(o => o.value === %q)`, chosen, c))
		stage.Eval[bool](n, fmt.Sprintf(`(s => (s.value = %q, s.dispatchEvent(new Event("input", {bubbles: true}))))(%s)`, c, chosen))
		n.shows("1 of " + c)
		n.Await(fmt.Sprintf(`new URLSearchParams(location.search).get("ct") === %q`, c))
		n.opens("pods", "three", "&ct="+c)
		n.showsKubectls("three", "-c", c)
		n.Await(fmt.Sprintf(`%s.value === %q`, chosen, c))
	}
	n.opens("pods", "three", "&ct=*")
	n.shows("prepare of prepare", "main of main", "side of side")
}
