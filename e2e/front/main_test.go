// Package front puts what stands between a proxy and an apiserver in the way of the
// real ones: a front that holds answers back or breaks them off, an aggregated apiserver
// that cannot watch, a conversion webhook that fails.
package front

import (
	"context"
	"os"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// podsSeeded is how many pods there are.
const podsSeeded = 5000

// operator may do everything, by a token.
var operator = cluster.User{Name: "olga", Groups: []string{"system:masters"}, Token: "olga-token"}

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{
		Cluster: cluster.Options{Users: []cluster.User{operator}},
		Prepare: func(ctx context.Context) error {
			return stage.Cluster.SeedPods(ctx, podsSeeded, cluster.PodOptions{Namespaces: 3})
		},
	}))
}
