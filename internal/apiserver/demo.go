//go:build !js

package apiserver

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"watchglass/internal/demo"
)

// demoName is the name of the demo cluster and of its context, if there is only one.
const demoName = "demo cluster"

// Demos are simulated clusters, each behind a context of its own. The zero value is one of the default size.
type Demos struct {
	Pods     int    // approximate number of pods in all clusters together
	Seed     uint64 // of the first cluster; each other one has the next
	Contexts int    // default 1
}

// MostDemos is how many simulated clusters there can be, and mostPods how many pods in all of them.
const (
	MostDemos = 50
	mostPods  = 1_000_000
)

// Most returns how many pods the clusters can have together.
func (d Demos) Most() int { return min(mostPods, len(d.Names())*demo.MaxPods) }

// Names returns the names of the contexts, in order. A kubeconfig is unlikely to have one of the same name, so a copied
// command acts on no other cluster.
func (d Demos) Names() []string {
	if d.Contexts <= 1 {
		return []string{demoName}
	}
	all := make([]string, d.Contexts)
	for i := range all {
		all[i] = fmt.Sprintf("%s %02d", demoName, i+1)
	}
	return all
}

// Load creates the simulated cluster of a context. Its apiserver runs in this process, without a port. Run starts the
// simulation.
func (d Demos) Load(name string) (*Target, error) {
	names := d.Names()
	i := slices.Index(names, name)
	if i < 0 {
		return nil, fmt.Errorf("the demo has no context %q", name)
	}
	pods := d.Pods / len(names)
	if i < d.Pods%len(names) {
		pods++
	}
	cluster := demo.New(demo.Options{Pods: pods, Seed: d.Seed + uint64(i)})
	p := newPulse()
	t := &Target{
		Base: &url.URL{Scheme: "http", Host: "demo"}, Transport: &inside{handler: cluster.Handler(), pulse: p}, Pulse: p,
		Origin: "memory", Context: name, Cluster: name, User: "demo", Contexts: names, life: cluster.Run,
	}
	p.probe = t.version
	return t, nil
}

// Demo returns a single simulated cluster.
func Demo(pods int, seed uint64) *Target {
	t, err := Demos{Pods: pods, Seed: seed}.Load(demoName)
	if err != nil {
		panic(err) // its only context has this name
	}
	return t
}

// IsDemo reports whether the target is a simulated cluster.
func (t *Target) IsDemo() bool { return t.life != nil }

// Run checks that the apiserver is alive, and runs the simulation of a demo cluster, until the
// context ends.
func (t *Target) Run(ctx context.Context) {
	if t.life != nil {
		go t.life(ctx)
	}
	t.Pulse.Run(ctx)
}
