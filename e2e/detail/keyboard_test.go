package detail

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"

	"watchglass/e2e/stage"
)

// TestKeyboardAlone starts from a cold page without a mouse, reads the previous logs of the
// container that crashes in the most restarted pod, and copies the kubectl command for them:
// once by shortcuts and once by the command palette.
func TestKeyboardAlone(t *testing.T) {
	n := startNode(t)
	n.eyes = show(t, "/pods")
	const restarts = 4321 // more than any other pod has
	pod := n.runs("restless", func(p *corev1.Pod) { p.Spec.Containers = containers("main", "worker") })
	status := stage.Running(0)
	status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
		Name: "worker", RestartCount: restarts,
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 5m0s"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error"}},
	})
	stage.SetStatus(t, pod, status)
	n.writes("restless/main", 0, "main serves")
	n.writes("restless/worker"+before, 0, "worker starts", "panic: out of cheese").End()
	for name, way := range map[string]func(node){"shortcuts": node.byShortcuts, "palette": node.byPalette} {
		t.Run(name, func(t *testing.T) {
			n := n.in(t)
			n.Must(n.Open(page.Proxy(t).Origin() + "/pods"))
			n.AwaitState("live")
			stage.Eval[bool](n, keepCopies)
			way(n)
			n.Await(`window.copied`)
			want := fmt.Sprintf("kubectl logs --context=admin --namespace=%s pods/restless --previous -c worker", n.ns)
			if have := stage.Eval[string](n, `window.copied`); have != want {
				t.Errorf("%q is copied, want %q", have, want)
			}
			n.Axe(stage.AxeSource(t))
			n.Keep("copied")
		})
	}
}

// byShortcuts uses the palette only to sort, for which there is no shortcut.
func (n node) byShortcuts() {
	n.sortsByRestarts()
	n.Press("g", "l")
	n.showsFailed()
	for _, container := range []string{"main", "worker"} {
		n.Press("o")
		n.Await(`document.activeElement.id === "logs-container"`)
		n.Press(container) // selects the option, as in any menu
		n.Await(fmt.Sprintf(`new URLSearchParams(location.search).get("ct") === %q`, container))
		n.Press(kb.Escape)
		n.Await(`document.activeElement.id === "text"`)
	}
	n.Press("P")
	n.showsPrevious()
	n.Press("x")
	n.Await(`document.querySelector("#commands")`)
	n.Press(stage.Eval[string](n, `[...document.querySelectorAll("#commands .command")].find(c => c.querySelector(".name").innerText === "Previous logs").querySelector("kbd").innerText`))
}

// byPalette types words.
func (n node) byPalette() {
	n.sortsByRestarts()
	n.chooses("first row", "First row")
	n.chooses("view logs", "View logs")
	n.showsFailed()
	n.chooses("container main", "Container main")
	n.reads("main serves")
	n.chooses("container worker", "Container worker")
	n.Await(`new URLSearchParams(location.search).get("ct") === "worker"`)
	n.chooses("previous logs", "Show previous logs")
	n.showsPrevious()
	n.chooses("kubectl previous", "kubectl: Previous logs")
}

// chooses types words into the command palette and accepts the first entry, which must be the
// one that is wanted.
func (n node) chooses(words, want string) {
	n.T.Helper()
	n.Press(":")
	n.Await(`document.activeElement.id === "palette-text"`)
	n.Press(words)
	n.Await(fmt.Sprintf(`document.querySelector(".offer[aria-selected=true] .name")?.innerText === %q`, want))
	n.Press(kb.Enter)
	n.Await(`!document.querySelector("#palette")`)
}

// sortsByRestarts sorts with the most restarts first: the first time is ascending.
func (n node) sortsByRestarts() {
	n.T.Helper()
	for _, sort := range []string{"Restarts", "-Restarts"} {
		n.chooses("sort by restarts", "Sort by Restarts")
		n.Await(fmt.Sprintf(`new URLSearchParams(location.search).get("sort") === %q`, sort))
	}
	n.Await(fmt.Sprintf(`[...document.querySelectorAll(".grid .row[data-key]")].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0]?.dataset.key === %q`, n.ns+"/restless"))
}

// showsFailed opens the logs of the container that failed.
func (n node) showsFailed() {
	n.T.Helper()
	n.opened("Pod", "restless", "logs")
	n.Await(`new URLSearchParams(location.search).get("ct") === "worker" && document.querySelector("#logs-container").selectedOptions[0].innerText === "worker (failed)"`)
}

// reads waits until the log has a line that ends like this.
func (n node) reads(text string) {
	n.T.Helper()
	n.Await(fmt.Sprintf(`%s.some(l => l.endsWith(%q))`, logLines, text))
}

func (n node) showsPrevious() {
	n.T.Helper()
	n.reads("worker starts")
	n.reads("ERROR out of cheese")
}
