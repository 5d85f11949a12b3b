// Package tabs tests many tabs of one browser. They share a worker if the browser supports
// that; otherwise each tab has its own.
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
