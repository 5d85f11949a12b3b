package detail

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/stage"
)

// travel takes the page to a moment of its own clock, and waits until it is there.
func (e eyes) travel(at float64) {
	e.T.Helper()
	if doc := stage.Eval[string](e, fmt.Sprintf(`watchglass.travel(%f).then(JSON.stringify, (e) => "failed: " + e.message)`, at)); !strings.HasPrefix(doc, "{") {
		e.T.Fatal(doc)
	}
	e.AwaitState("past")
}

// TestPast goes back to before a pod changed: in the list, in its YAML, by a key, by a link and by the
// browser's Back.
func TestPast(t *testing.T) {
	ns := stage.Namespace(t)
	pod := stage.Create(t, ns, "web")
	stage.SetStatus(t, pod, stage.Running(1))
	key := ns + "/web"
	e := synced(t, page.Proxy(t).At("/pods?n="+ns)) // whose history begins here
	e.AwaitCell(key, "Restarts", "1")
	before := stage.Eval[float64](e, `Date.now()`)
	stage.SetStatus(t, pod, stage.Running(5))
	e.AwaitCell(key, "Restarts", "5")

	e.travel(before)
	e.AwaitCell(key, "Restarts", "1")
	e.Axe(stage.AxeSource(t))
	e.Must(e.Click(fmt.Sprintf(`.grid [data-key=%q]`, key)))
	e.Press("y")
	e.opened("Pod", "web", "yaml")
	stage.Eval[bool](e, keepCopies)
	if text := e.yaml(); !strings.Contains(text, "restartCount: 1\n") {
		t.Errorf("the YAML is not that of the past:\n%s", text)
	}
	link := stage.Eval[string](e, `location.href`)
	if !strings.Contains(link, "&at=") {
		t.Error(link)
	}

	e.Press("L")
	e.AwaitState("live")
	e.AwaitCell(key, "Restarts", "5")
	stage.WaitFor(t, "the YAML of now", func() bool { return strings.Contains(e.yaml(), "restartCount: 5\n") })
	e.Press(",")
	e.AwaitState("past")
	e.AwaitCell(key, "Restarts", "1")
	e.Press(".")
	e.AwaitCell(key, "Restarts", "5")
	e.AwaitState("past")
	stage.Eval[bool](e, `(history.back(), true)`)
	e.AwaitState("live")
	stage.Eval[bool](e, `(history.back(), true)`)
	e.AwaitState("past")
	e.AwaitCell(key, "Restarts", "1")

	long := time.UnixMilli(int64(before)).Add(-time.Hour)
	e.GoTo("/pods?n=" + ns + "&at=" + long.UTC().Format(time.RFC3339))
	e.Says(".past .said", "is not in history: this tab started watching at")
	e.AwaitState("live")
	if at := stage.Eval[string](e, `location.search`); strings.Contains(at, "at=") {
		t.Error(at)
	}
}

// TestPastColumns opens a custom resource in the past that nobody had opened before: only its metadata and its
// columns were watched.
func TestPastColumns(t *testing.T) {
	define(t, definition{"past.example.com", "v1", "valves", "Valve", false, "Open .status.open"})
	ns := stage.Namespace(t)
	h := household{t, ns}
	h.put("/apis/past.example.com/v1/namespaces/"+ns+"/valves", "past.example.com/v1", "Valve", "valves.past.example.com", "main", `,"spec":{"size":3},"status":{"open":"yes"}`)
	e := show(t, "/valves.past.example.com?n="+ns)
	e.AwaitCell(ns+"/main", "Open", "yes")
	e.travel(stage.Eval[float64](e, `Date.now()`))
	e.Must(e.Click(fmt.Sprintf(`.grid [data-key=%q]`, ns+"/main")))
	e.opened("Valve", "main", "summary")
	e.Says("#pane", "Valve", "past.example.com/v1", "Open", "yes", "Full objects of this kind are watched only while they are open.")
	if said := e.Text("#pane"); strings.Contains(said, "PartialObjectMetadata") || strings.Contains(said, "size") {
		t.Error(said)
	}
	e.Press("y")
	e.Says("#pane", "only the metadata and the columns of valves.past.example.com were watched at this time")
}
