// Package e2e holds the tests of the whole: a real etcd and kube-apiserver, the
// real proxy, a real Chromium. One control plane and one browser serve them all;
// what breaks the control plane runs one after the other.
package e2e

import (
	"context"
	"os"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// podsSeeded is how many pods the shared cluster starts with.
const podsSeeded = 600

// The users beside the admin: one who may see one namespace only, one who may see
// nothing, one whom the apiserver does not know (any more), and an admin with a
// token.
var (
	narrow   = cluster.User{Name: "nadia", Token: "nadia-token"}
	denied   = cluster.User{Name: "dan", Token: "dan-token"}
	unlisted = cluster.User{Name: "eve", Token: "eve-token-of-last-year"}
	operator = cluster.User{Name: "olga", Groups: []string{"system:masters"}, Token: "olga-token"}
)

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{
		Cluster: cluster.Options{Users: []cluster.User{narrow, denied, operator}},
		Prepare: func(ctx context.Context) error {
			return stage.Cluster.SeedPods(ctx, podsSeeded, cluster.PodOptions{})
		},
	}))
}

// page is the admin's, which the tests share that leave the proxy and the apiserver as they are.
var page = &stage.Page{}

// eyes see more than all tests do.
type eyes struct{ stage.Eyes }

// show shows an address in the shared page, and waits until its list is whole and live.
func show(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	return eyes{page.Synced(t, address, allowed...)}
}

func open(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	return eyes{stage.Open(t, address, allowed...)}
}

func synced(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	return eyes{stage.Synced(t, address, allowed...)}
}
