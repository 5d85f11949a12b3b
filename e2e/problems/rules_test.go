package problems

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/hub/problems/recorded"
)

// rulesWait bounds the wait for all rows. Rules whose object does not say since when wait for a
// minute after they first saw it.
const rulesWait = 100 * time.Second

// atOnce is how many faults are raised at a time.
const atOnce = 8

// TestFaults raises every fault and shows exactly the rows that are expected: none is missing, none
// is there for another reason or for a healthy object. Then it mends them, and no row is left.
func TestFaults(t *testing.T) {
	emptied(t)
	serveUsage(t)
	clock, served := time.Now(), stage.Serve(t, proxy.Options{})
	e := stage.Open(t, "about:blank")
	e.Must(e.First(stars))
	e.Must(e.Open(served.At("/problems")))
	e.AwaitState("live")
	setAhead(e, ahead)
	stage.Eval[bool](e, notesRows)
	places := make([]place, len(faults))
	for i := range faults {
		places[i] = place{t.Context(), namespace(t)}
	}
	cleanUp(t, places)
	table, names := tableOfFaults(t), namesOf(faults, places)
	t.Logf("%d namespaces: %s", len(places), time.Since(clock).Round(time.Millisecond))

	each(t, faults, places, func(f *fault, p place) error {
		if err := stage.Cluster.Controllers().NamespaceReady(p.ctx, p.name); err != nil {
			return err
		}
		return f.raise(p)
	})
	t.Logf("raised: %s", time.Since(clock).Round(time.Millisecond))
	deadline := time.Now().Add(rulesWait)
	for i, f := range faults {
		t.Run("raised/"+f.name, func(t *testing.T) {
			for _, w := range table[i].Wants(places[i].name) {
				awaitRow(e.In(t), w, places[i].name, deadline)
			}
		})
	}
	var others []string
	if !stage.Within(stage.Soon, func() bool { others = recorded.Differences(table, names, problems(e)); return len(others) == 0 }) {
		t.Errorf("differences:\n%s", strings.Join(others, "\n"))
	}
	record(t, "raised", names)
	e.Keep("raised")
	checkTotals(e, served.Origin())
	t.Logf("all rows: %s", time.Since(clock).Round(time.Millisecond))

	each(t, faults, places, func(f *fault, p place) error { return f.mend(p) })
	for i, f := range faults {
		t.Run("mended/"+f.name, func(t *testing.T) {
			e := e.In(t)
			for _, w := range table[i].Wants(places[i].name) {
				stage.WaitFor(t, w.Key+" is gone", func() bool { _, there := problems(e)[w.Key]; return !there })
			}
		})
	}
	var left map[string]recorded.Row
	if !stage.Within(stage.Soon, func() bool { left = problems(e); return len(left) == 0 }) {
		t.Errorf("left: %v", left)
	} else {
		e.Says("main", "No problems found", "New ones appear here as they are found.")
	}
	record(t, "mended", names)
	t.Logf("mended: %s", time.Since(clock).Round(time.Millisecond))
}

// tableOfFaults returns the rows of all faults, in their order. Each fault has its rows, and none is without a fault.
func tableOfFaults(t *testing.T) []recorded.Fault {
	t.Helper()
	table, err := recorded.ReadTable(recorded.Faults)
	must(t, err)
	for i, f := range faults {
		if len(table) != len(faults) || table[i].Name != f.name {
			t.Fatalf("%s is not at its place in the table of %d faults, of which %d are raised", f.name, len(table), len(faults))
		}
	}
	return table
}

// awaitRow waits for a row with a severity and some words.
func awaitRow(e stage.Eyes, w recorded.Want, ns string, deadline time.Time) {
	e.T.Helper()
	var row recorded.Row
	is := func() bool {
		row = problems(e)[w.Key]
		return w.Is(row)
	}
	if stage.Within(time.Until(deadline), is) {
		return
	}
	var near []string
	for other, r := range problems(e) {
		if strings.Contains(other, ns) {
			near = append(near, fmt.Sprint(other, " ", r))
		}
	}
	e.T.Fatalf("no row %s %q with %q; it is %v, beside %s", w.Key, w.Severity, w.Words, row, strings.Join(near, "\n"))
}

// each does something with each fault and its place, some of them at a time.
func each(t *testing.T, faults []fault, places []place, do func(*fault, place) error) {
	t.Helper()
	var wg sync.WaitGroup
	errs, free := make([]error, len(faults)), make(chan struct{}, atOnce)
	for i := range faults {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			errs[i] = do(&faults[i], places[i])
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("%s: %v", faults[i].name, err)
		}
	}
}

// setAhead sets the clock of the tab's worker ahead.
func setAhead(e stage.Eyes, by time.Duration) {
	e.T.Helper()
	clock, err := e.Clock()
	e.Must(err)
	e.Must(clock.SetAhead(by))
}

// namespace creates a namespace, and does not wait until pods can be created in it.
func namespace(t *testing.T) string {
	t.Helper()
	var o unstructured.Unstructured
	o.SetAPIVersion("v1")
	o.SetKind("Namespace")
	o.SetGenerateName("e2e-")
	made, err := client.Resource(kinds["Namespace"]).Create(t.Context(), &o, metav1.CreateOptions{})
	must(t, err)
	return made.GetName()
}

// cleanUp deletes the namespaces at the end of the test, and what the faults create beside them.
func cleanUp(t *testing.T, places []place) {
	t.Cleanup(func() {
		for _, p := range places {
			p.ctx = context.Background()
			for _, what := range []string{"APIService/v1.NS.example.com", "ValidatingWebhookConfiguration/NS", "MutatingWebhookConfiguration/NS", "Node/NS", "PersistentVolume/NS", "PersistentVolume/late-NS", "Namespace/NS"} {
				_ = p.remove(what) // most are not there
			}
		}
	})
}
