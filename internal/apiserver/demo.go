//go:build !js

package apiserver

import (
	"context"
	"net/url"

	"watchglass/internal/demo"
)

// demoName is the name of the demo cluster and of its context.
const demoName = "demo cluster"

// Demo returns a simulated cluster. Its apiserver runs in this process, without a port. Run
// starts the simulation.
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

// IsDemo reports whether the target is the demo cluster.
func (t *Target) IsDemo() bool { return t.life != nil }

// Run checks that the apiserver is alive, and runs the simulation of the demo cluster, until the
// context ends.
func (t *Target) Run(ctx context.Context) {
	if t.life != nil {
		go t.life(ctx)
	}
	t.Pulse.Run(ctx)
}
