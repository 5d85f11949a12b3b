//go:build !js

package main

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

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
	others map[string]*apiserver.Target
}

func newContexts(ctx context.Context, first *apiserver.Target, load func(name string) (*apiserver.Target, error)) *contexts {
	return &contexts{first: first, load: load, ctx: ctx, others: make(map[string]*apiserver.Target)}
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.others[name]; ok {
		return t
	}
	if c.load == nil {
		return nowhere(name, "this proxy shows one cluster, and has no context "+name)
	}
	t, err := c.load(name)
	if err != nil {
		return nowhere(name, err.Error()) // and looked for anew the next time
	}
	c.others[name] = t
	go t.Run(c.ctx)
	return t
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
