//go:build !js

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge/session"
	"watchglass/internal/wire"
)

// contexts are the clusters that tabs can show: the one chosen at the start, and those of the
// other contexts in the kubeconfig. Each other one is loaded when a tab first asks for it, and
// is kept until follow replaces it. It has its own credentials and connections.
type contexts struct {
	start *apiserver.Target // the one chosen at the start; follow may have replaced it
	load  loader            // nil if there are no others
	ctx   context.Context   // ends them all

	mu     sync.Mutex
	listed []string // those of the kubeconfig
	known  map[string]*known
}

// loader loads a context of the kubeconfig.
type loader func(name string) (*apiserver.Target, error)

// failedFor is how long a context that failed to load is not loaded again. Reading a large
// kubeconfig takes a while, and anybody who requests a page can name a context.
const failedFor = 5 * time.Second

// errReplaced closes connections to a target that another has replaced, as "service restart": their
// tabs reconnect at once.
var errReplaced = &session.CloseReason{Code: 1012, Why: "the kubeconfig has changed"}

func newContexts(ctx context.Context, start *apiserver.Target, load loader) *contexts {
	c := &contexts{start: start, load: load, ctx: ctx, listed: start.Contexts, known: make(map[string]*known)}
	c.get(start.Context).set(ctx, start, "")
	return c
}

// run does what the target chosen at the start does by itself, until another replaces it.
func (c *contexts) run() {
	t, current, done := c.use("")
	done()
	t.Run(current)
}

// names returns the contexts that a tab can switch to.
func (c *contexts) names() []string {
	if c.load == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listed
}

// has reports whether there is a context of that name. The empty name is the one chosen at the
// start.
func (c *contexts) has(name string) bool {
	return name == "" || name == c.start.Context || slices.Contains(c.names(), name)
}

// target returns the cluster of a context; the empty name is the one chosen at the start. If
// there is no such context, or it cannot be loaded, it returns a target that answers each
// request with the reason.
func (c *contexts) target(name string) *apiserver.Target {
	t, _, done := c.use(name)
	done()
	return t
}

// use returns the cluster of a context like target, and how long it is that: current ends with
// errReplaced when another takes its place. While a context that failed to load is used, follow
// loads it again. The caller has to call done.
func (c *contexts) use(name string) (t *apiserver.Target, current context.Context, done func()) {
	if name == "" {
		name = c.start.Context
	}
	switch {
	case name != c.start.Context && c.load == nil:
		return nowhere(name, "this proxy shows only one cluster, and has no context "+name), c.ctx, func() {}
	case !c.has(name): // otherwise a copied cookie could cause a read of the kubeconfig for any name
		return nowhere(name, fmt.Sprintf("%s has no context %q", c.origin(), name)), c.ctx, func() {}
	}
	return c.get(name).use(c.ctx, c.load)
}

// origin says where the contexts are from.
func (c *contexts) origin() string {
	if c.start.IsDemo() {
		return "the demo"
	}
	return "the kubeconfig"
}

// get returns a context, which may not be loaded yet.
func (c *contexts) get(name string) *known {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.known[name]
	if k == nil {
		k = &known{name: name, turn: make(chan struct{}, 1)}
		c.known[name] = k
	}
	return k
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
