// Package tabs holds the tests of many tabs of one browser: they share a worker where the
// browser lets them, and each has its own where it does not.
package tabs

import (
	"context"
	"os"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// podsSeeded is how many pods the cluster starts with.
const podsSeeded = 300

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{Prepare: func(ctx context.Context) error {
		return stage.Cluster.SeedPods(ctx, podsSeeded, cluster.PodOptions{})
	}}))
}
