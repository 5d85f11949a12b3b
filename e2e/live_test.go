package e2e

import (
	"testing"

	"watchglass/e2e/stage"
)

// TestLive makes, changes and deletes a pod: the list shows each without a reload.
func TestLive(t *testing.T) {
	ns := stage.Namespace(t)
	e := show(t, "/pods?n="+ns)
	e.Await(`document.querySelector(".panel").innerText.includes("No matches")`)
	stage.Eval[bool](e, `window.unreloaded = true`)
	pod := stage.Create(t, ns, "alive")
	e.AwaitVersion("pods", pod.ResourceVersion)
	key := ns + "/alive"
	e.AwaitCell(key, "Status", "Pending")
	stage.Is(e, `document.querySelector('[data-key="`+key+`"]').dataset.uid`, string(pod.UID))
	stage.SetStatus(t, pod, stage.Running(0))
	e.AwaitCell(key, "Status", "Running")
	e.AwaitCell(key, "Ready", "1/1")
	stage.SetStatus(t, pod, stage.Running(3))
	e.Await(`document.querySelector('[data-key="` + key + `"] [data-column="Restarts"]').textContent.startsWith("3")`)
	e.AwaitCount(1)
	stage.Remove(t, pod)
	e.Await(`!document.querySelector('[data-key="` + key + `"]')`)
	if !stage.Now[bool](e, `window.unreloaded === true`) {
		t.Error("the page was loaded again")
	}
}

// TestAgeTicks sees an age grow though nothing happens to the pod.
func TestAgeTicks(t *testing.T) {
	ns := stage.Namespace(t)
	e := show(t, "/pods?n="+ns)
	stage.Create(t, ns, "young")
	e.Await(`/^\d+s$/.test(document.querySelector('[data-key="` + ns + `/young"] [data-column="Age"]')?.textContent)`)
	first := e.Cell(ns+"/young", "Age")
	e.Await(`document.querySelector('[data-key="` + ns + `/young"] [data-column="Age"]').textContent !== "` + first + `"`)
}
