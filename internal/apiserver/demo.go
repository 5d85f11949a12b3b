//go:build !js

package apiserver

import (
	"context"
	"net/url"

	"watchglass/internal/demo"
)

// demoName is what the demo cluster is called, wherever a context is named.
const demoName = "demo cluster"

// Demo is the cluster to show where there is none: its apiserver is in this
// process, and no port is opened for it. It begins to live with Run.
func Demo(pods int, seed uint64) *Target {
	cluster := demo.New(demo.Options{Pods: pods, Seed: seed})
	p := newPulse()
	t := &Target{
		Base: &url.URL{Scheme: "http", Host: "demo"}, Transport: &inside{handler: cluster.Handler(), pulse: p}, Pulse: p,
		Origin: "memory", Context: demoName, Cluster: demoName, User: "demo", Contexts: []string{demoName}, life: cluster.Run,
	}
	p.probe = t.version
	return t
}

// IsDemo reports whether the cluster is the one in memory.
func (t *Target) IsDemo() bool { return t.life != nil }

// Run does what a target needs done as long as it is used: it listens for signs
// of life, and gives the demo cluster its life.
func (t *Target) Run(ctx context.Context) {
	if t.life != nil {
		go t.life(ctx)
	}
	t.Pulse.Run(ctx)
}
