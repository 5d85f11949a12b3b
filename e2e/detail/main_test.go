// Package detail holds the tests of one object that is open: what the drawer shows in each
// of its tabs, on a control plane of its own.
package detail

import (
	"context"
	"os"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{
		Prepare: func(ctx context.Context) error { return stage.Cluster.SeedPods(ctx, 200, cluster.PodOptions{}) },
	}))
}

// eyes see a page whose drawer is open.
type eyes struct{ stage.Eyes }

func synced(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	return eyes{stage.Synced(t, address, allowed...)}
}
