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

// contexts are the clusters that tabs may look at: the one that was chosen at the
// start, and those of the kubeconfig's other contexts. Each is made when a tab first
// asks for it, with credentials and connections of its own, and is kept then.
type contexts struct {
	first *apiserver.Target
	load  func(name string) (*apiserver.Target, error) // nil: there are no others
	ctx   context.Context                              // of those that are made

	mu     sync.Mutex
	others map[string]*other
}

// failedFor is how long a context that could not be loaded is not loaded again: to read a
// large kubeconfig takes a while, and whoever asks for a page may name a context.
const failedFor = 5 * time.Second

// other is a context besides the first: loaded, or being loaded by whoever asked first.
type other struct {
	done   chan struct{} // closed when target and failed are set
	target *apiserver.Target
	failed time.Time // zero: it did not
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

// names are those that can be switched between.
func (c *contexts) names() []string {
	if c.load == nil {
		return nil
	}
	return c.first.Contexts
}

// has reports whether there was a context of the name at the start; without a name, the
// first.
func (c *contexts) has(name string) bool {
	return name == "" || name == c.first.Context || slices.Contains(c.names(), name)
}

// target finds the cluster of a context; without a name the first. Where there is
// none of the name, or it cannot be used, each request is answered with the reason.
func (c *contexts) target(name string) *apiserver.Target {
	if name == "" || name == c.first.Context {
		return c.first
	}
	if c.load == nil {
		return nowhere(name, "this proxy shows only one cluster, and has no context "+name)
	}
	if !c.has(name) { // a copied cookie could have the kubeconfig read for any name
		return nowhere(name, fmt.Sprintf("there was no context %q when Watchglass started", name))
	}
	o, mine := c.other(name)
	if mine {
		c.fill(o, name)
	}
	<-o.done
	return o.target
}

// other finds a context, or makes one that the caller has to fill.
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

// fill loads a context. Those of other names are not held up.
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

// nowhere is a cluster that is not to be had.
func nowhere(name, why string) *apiserver.Target {
	return &apiserver.Target{
		Base: &url.URL{Scheme: "https", Host: "nowhere.invalid"}, Transport: refusal(why), Pulse: new(apiserver.Pulse), Context: name,
	}
}

// refusal answers every request with the reason why none can be made.
type refusal string

func (r refusal) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: string(r)}
}
