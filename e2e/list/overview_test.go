package list

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"watchglass/e2e/stage"
)

// crashing creates a pod that crashes again and again.
func crashing(t *testing.T, ns, name string) {
	t.Helper()
	status := stage.Running(0)
	status.ContainerStatuses[0] = corev1.ContainerStatus{
		Name: status.ContainerStatuses[0].Name, RestartCount: 7,
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 5m0s"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error"}},
	}
	stage.SetStatus(t, stage.Create(t, ns, name), status)
}

// TestOverview opens the start page, and from it the pod that crashes: by a click, by an address
// that is loaded anew, and with Back.
func TestOverview(t *testing.T) {
	ns := stage.Namespace(t)
	crashing(t, ns, "restless")
	e := show(t, "/?n="+ns)
	e.Await(`document.querySelectorAll(".total .figure:not(:empty)").length === 4`)
	key := ns + "/pods:restless:CrashLoopBackOff"
	row := `.row[data-key="` + key + `"]`
	e.Says(row+` [data-column="Severity"]`, "Error")
	e.Says(row+` [data-column="Name"]`, "restless")
	if stage.Eval[bool](e, `document.querySelector('[data-column="Key"]') !== null`) {
		t.Error("the rows' own names show")
	}
	e.Must(e.Click(row))
	e.Says(".drawer .name", "restless")
	e.Says(".drawer .why", "CrashLoopBackOff")
	e.AwaitQuery("sel", key)
	e.Keep("open")
	e.Must(e.Open(stage.Eval[string](e, "location.href")))
	e.AwaitState("live")
	e.Says(".drawer .name", "restless")
	e.Await(`document.querySelector('` + row + `').getAttribute("aria-selected") === "true"`)
	e.Press("y")
	e.Says(".drawer .text", "kind: Pod")
	stage.Eval[any](e, `history.back()`)
	e.Await(`document.querySelector("#tab-summary[aria-selected=true]")`)
	e.Await(`!["", "0"].includes(document.querySelector('.total[data-value^="pods"] .figure').textContent)`)
	e.Must(e.Click(`.total[data-value^="pods"]`))
	e.Await(`location.pathname === "/pods"`)
	e.AwaitState("live")
	e.Await(`watchglass.rows({offset: 0, limit: 1}).then(r => r.total > 0)`) // e2e/problems compares the numbers
	e.Press("H")
	e.Await(`location.pathname === "/" && document.querySelector(".rail [aria-current=page]").innerText === "Overview"`)
}

// TestOverviewDenied checks that whoever may list only pods is told what is missing, and never that
// there are no problems.
func TestOverviewDenied(t *testing.T) {
	user := stage.Someone(t)
	stage.Grant(t, user, "", []string{"list", "watch", "get"}, "pods")
	e := open(t, stage.ServeTo(t, user, "").At("/"))
	e.Await(`document.querySelector(".total").innerText.includes("No permission to list nodes")`)
	e.Await(`[...document.querySelectorAll(".banner, .panel")].some(b => /Nodes[^.]*: no permission to list/.test(b.innerText))`)
	if stage.Eval[bool](e, `document.querySelector(".panel").innerText.includes("No problems found\n")`) {
		t.Error("it says that there are no problems")
	}
	e.Keep("denied")
	e = eyes{deniedPage.Open(t, "/problems")}
	e.Says(".panel", "No problems found so far", "Nodes", "no permission to list", "cannot list resource")
	e.Keep("all denied")
}
