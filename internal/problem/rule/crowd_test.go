package rule

import (
	"fmt"
	"testing"
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/problemtest"
)

// TestCrowded holds that of a pod with many containers in back-off some are described and the others are counted, that the
// count names since when they fail, and that a reason which only the last of them has is not lost.
func TestCrowded(t *testing.T) {
	const containers = 400
	kind := problemtest.KindOf(t, "pods")
	o, err := object.NewDecoder(kind, true).Decode(problemtest.Crowded(containers, false))
	if err != nil {
		t.Fatal(err)
	}
	is, err := kind.Parts(o)
	if err != nil {
		t.Fatal(err)
	}
	doc := document.Of(document.Of(is).Any())
	statuses := doc.ListAt("status.containerStatuses")
	last := statuses[len(statuses)-1].Get("lastState.terminated").Any().(map[string]any)
	last["reason"] = "OOMKilled"
	before := statuses[len(statuses)-2].Get("lastState.terminated").Any().(map[string]any)
	before["finishedAt"] = time.Unix(problemtest.CrowdAt-900, 0).UTC().Format(time.RFC3339) // before the pod was unready
	all := Check(kind, doc, time.Unix(problemtest.CrowdAt, 0))
	var counted, killed []string
	for _, found := range all {
		switch {
		case found.Reason == "OOMKilled":
			killed = append(killed, found.Words)
		case found.Container == "":
			counted = append(counted, fmt.Sprint(found.Words, ", ", problemtest.CrowdAt-found.Since))
		}
	}
	if len(all) != mostLoops+2 || len(killed) != 1 || fmt.Sprint(counted) != "[349 more containers: CrashLoopBackOff, 900]" {
		t.Errorf("%d causes, %q, %q", len(all), counted, killed)
	}
}
