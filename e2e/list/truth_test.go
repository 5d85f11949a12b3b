package list

import (
	"context"
	"os"
	"testing"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// TestTruth compares what the tab holds with what the apiserver lists, at exactly
// the same version, again and again while pods are written to.
func TestTruth(t *testing.T) {
	checkpoints := 30
	if os.Getenv("SOAK") != "" {
		checkpoints = 300
	}
	e := synced(t, page.Proxy(t).At("/pods"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	churn, err := stage.Cluster.Churn(ctx, cluster.ChurnOptions{PerSecond: 50})
	e.Must(err)
	versions := make(map[string]bool)
	deadline := time.Now().Add(10 * time.Minute)
	for len(versions) < checkpoints {
		if time.Now().After(deadline) {
			t.Fatalf("only %d versions were compared", len(versions))
		}
		s, err := e.Snapshot("pods")
		e.Must(err)
		if versions[s.ResourceVersion] {
			continue
		}
		versions[s.ResourceVersion] = true
		stage.Compare(t, s)
	}
	counts := churn.Counts()
	t.Logf("%d checkpoints of about %d pods equal LIST; %+v", checkpoints, podsSeeded, counts)
	if counts.Status == 0 || counts.Create == 0 || counts.Delete == 0 {
		t.Errorf("nothing was written meanwhile: %+v", counts)
	}
	stop()
	if err := churn.Wait(); err != nil {
		t.Error(err)
	}
	e.AwaitPods()
	if s := e.Source(); s.Relists != 0 || s.Resumes != 0 {
		t.Errorf("%+v: one list and one watch should have done", s)
	}
}
