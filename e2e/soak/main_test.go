// Package soak keeps tabs of a real Chromium open, through the real proxy, on a real apiserver that
// is written to all the time, and breaks one thing after another: connections, apiservers, etcd, proxies,
// names, certificates, clocks, tabs, workers, the browser. All the while it asks each tab what it
// has and compares that with what etcd has at exactly that version, and it holds the tabs to how soon they are
// right again, and to what they say until then.
package soak

import (
	"context"
	"os"
	"runtime/debug"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// sara looks at everything.
var sara = cluster.User{Name: "sara", Groups: []string{"system:masters"}, Token: "sara-token-0123456789"}

// isLong says that there are 75 minutes for a run, instead of a few.
func isLong() bool { return os.Getenv("SOAK") != "" }

// objects is how many pods there are.
func objects() int {
	if isLong() {
		return 10_000
	}
	return 1000
}

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // there is memory, and the tabs need the processor
	os.Exit(stage.Main(m, stage.Options{
		Cluster:   cluster.Options{Members: 3, Users: []cluster.User{sara}},
		Optimised: isLong(),
		Prepare: func(ctx context.Context) error {
			return stage.Cluster.SeedPods(ctx, objects(), cluster.PodOptions{Namespaces: 5})
		},
	}))
}
