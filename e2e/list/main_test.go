// Package list holds the tests of what a list shows: rows, columns, dates, filter, facets,
// sidebar and saved views.
package list

import (
	"context"
	"os"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// podsSeeded is how many pods the cluster starts with.
const podsSeeded = 600

// denied may see nothing.
var denied = cluster.User{Name: "dan", Token: "dan-token"}

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{
		Cluster: cluster.Options{Users: []cluster.User{denied}},
		Prepare: func(ctx context.Context) error {
			return stage.Cluster.SeedPods(ctx, podsSeeded, cluster.PodOptions{})
		},
	}))
}

// page is the admin's, which most tests share, and deniedPage that of the denied user.
var page, deniedPage = &stage.Page{}, &stage.Page{User: denied}

// eyes see more than all tests do.
type eyes struct{ stage.Eyes }

// show shows an address in the shared page, and waits until its list is whole and live.
func show(t *testing.T, address string) eyes {
	t.Helper()
	return eyes{page.Synced(t, address)}
}

func open(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	return eyes{stage.Open(t, address, allowed...)}
}

func synced(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	return eyes{stage.Synced(t, address, allowed...)}
}
