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

// vera signs in with one token, and later with the other.
var (
	vera      = cluster.User{Name: "vera", Token: "vera-token-0123456789"}
	veraLater = cluster.User{Name: "vera", Token: "vera-later-0123456789"}
)

// podsSeeded is how many pods the cluster starts with.
const podsSeeded = 300

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{
		Cluster: cluster.Options{Users: []cluster.User{vera, veraLater}},
		Prepare: func(ctx context.Context) error {
			return stage.Cluster.SeedPods(ctx, podsSeeded, cluster.PodOptions{})
		},
	}))
}
