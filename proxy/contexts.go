//go:build !js

package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/wire"
)

// contexts are the clusters that tabs can show: the one chosen at the start, and those of the
// other contexts in the kubeconfig. Each other one is loaded when a tab first asks for it, and
// is kept. It has its own credentials and connections.
type contexts struct {
	first *apiserver.Target
	load  func(name string) (*apiserver.Target, error) // nil if there are no others
	ctx   context.Context                              // ends the others

	mu     sync.Mutex
	others map[string]*other
}

// failedFor is how long a context that failed to load is not loaded again. Reading a large
// kubeconfig takes a while, and anybody who requests a page can name a context.
const failedFor = 5 * time.Second

// other is a context besides the first: loaded, or being loaded for the first request.
type other struct {
	done   chan struct{} // closed when target and failed are set
	target *apiserver.Target
	failed time.Time // zero if loading succeeded
}

// stale reports whether loading failed long enough ago to try again.
func (o *other) stale(now time.Time) bool {
	select {
	case <-o.done:
		return !o.failed.IsZero() && now.Sub(o.failed) >= failedFor
	default:
		return false
	}
}

func newContexts(ctx context.Context, first *apiserver.Target, load func(name string) (*apiserver.Target, error)) *contexts {
	return &contexts{first: first, load: load, ctx: ctx, others: make(map[string]*other)}
}

// names returns the contexts that a tab can switch to.
func (c *contexts) names() []string {
	if c.load == nil {
		return nil
	}
	return c.first.Contexts
}

// has reports whether there was a context of that name at the start. The empty name is the
// first context.
func (c *contexts) has(name string) bool {
	return name == "" || name == c.first.Context || slices.Contains(c.names(), name)
}

// target returns the cluster of a context; the empty name is the first. If there is no such
// context, or it cannot be loaded, it returns a target that answers each request with the
// reason.
func (c *contexts) target(name string) *apiserver.Target {
	if name == "" || name == c.first.Context {
		return c.first
	}
	if c.load == nil {
		return nowhere(name, "this proxy shows only one cluster, and has no context "+name)
	}
	if !c.has(name) { // otherwise a copied cookie could cause a read of the kubeconfig for any name
		return nowhere(name, fmt.Sprintf("there was no context %q when Watchglass started", name))
	}
	o, mine := c.other(name)
	if mine {
		c.fill(o, name)
	}
	<-o.done
	return o.target
}

// other returns a context. If mine is true, it is new and the caller has to fill it.
func (c *contexts) other(name string) (o *other, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if o := c.others[name]; o != nil && !o.stale(now) {
		return o, false
	}
	maps.DeleteFunc(c.others, func(_ string, o *other) bool { return o.stale(now) })
	o = &other{done: make(chan struct{})}
	c.others[name] = o
	return o, true
}

// fill loads a context, without blocking requests for others.
func (c *contexts) fill(o *other, name string) {
	defer close(o.done)
	t, err := c.load(name)
	if err != nil {
		o.target, o.failed = nowhere(name, err.Error()), time.Now()
		return
	}
	o.target = t
	go t.Run(c.ctx)
}

// nowhere returns a target for a cluster that is not available.
func nowhere(name, why string) *apiserver.Target {
	return &apiserver.Target{
		Base: &url.URL{Scheme: "https", Host: "nowhere.invalid"}, Transport: refusal(why), Pulse: new(apiserver.Pulse), Context: name,
	}
}

// refusal is a transport that answers every request with an error.
type refusal string

func (r refusal) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: string(r)}
}
