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

// page is the admin's, which most tests share, and demo that of a demo cluster.
var page, demo = &stage.Page{}, &stage.Page{Args: []string{"--demo", "--demo-seed", "5"}}

// eyes see a page whose drawer is open.
type eyes struct{ stage.Eyes }

// show shows an address in the shared page, and waits until its list is whole and live.
func show(t *testing.T, address string) eyes {
	t.Helper()
	return eyes{page.Synced(t, address)}
}

func synced(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	return eyes{stage.Synced(t, address, allowed...)}
}
