//go:build !js

package main

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"watchglass/internal/apiserver"
)

// known is a context that a tab has asked for.
type known struct {
	name  string
	users atomic.Int32  // connections to it
	turn  chan struct{} // capacity 1: its holder may use the rest, and load the context for all who wait

	target  *apiserver.Target // nil if it was never loaded
	refused string            // why loading it failed
	loaded  time.Time         // when it was last tried
	current context.Context   // ends when the target is replaced
	end     context.CancelCauseFunc
}

// use returns the target, and how long it is that. It is loaded first if it never was, or if that
// failed a while ago.
func (k *known) use(ctx context.Context, load loader) (*apiserver.Target, context.Context, func()) {
	k.turn <- struct{}{}
	defer func() { <-k.turn }()
	if k.target == nil || k.refused != "" && time.Since(k.loaded) >= failedFor {
		k.reload(ctx, load)
	}
	k.users.Add(1)
	return k.target, k.current, func() { k.users.Add(-1) }
}

// reload loads the context, and replaces the target if that makes a difference. A target that was
// loaded stays if it cannot be loaded anymore: the kubeconfig may be half written, and requests
// to the target still have answers. It returns what it loaded, or nil.
func (k *known) reload(ctx context.Context, load loader) *apiserver.Target {
	t, err := load(k.name)
	switch {
	case err == nil && k.refused == "" && k.target != nil && t.Same(k.target):
	case err == nil:
		k.set(ctx, t, "")
		go t.Run(k.current)
	case k.target == nil || k.refused != "" && k.refused != err.Error():
		k.set(ctx, nowhere(k.name, err.Error()), err.Error())
	}
	k.loaded = time.Now()
	return t
}

// set replaces the target, and ends the connections to the one before. refused is why there is
// none.
func (k *known) set(ctx context.Context, t *apiserver.Target, refused string) {
	if k.end != nil {
		k.end(errReplaced)
	}
	k.target, k.refused = t, refused
	k.current, k.end = context.WithCancelCause(ctx)
}

// follow replaces contexts until ctx ends: those in use that could not be loaded, when they can be,
// and all that are loaded, when the kubeconfig's entries for them have changed. stamp returns
// another text when a file has, and replaced is called with each new target.
func (c *contexts) follow(ctx context.Context, stamp func() string, load loader, replaced func(*apiserver.Target)) {
	look := time.NewTicker(failedFor)
	defer look.Stop()
	for seen := ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		now := stamp()
		c.refresh(now != seen, load, replaced)
		seen = now
	}
}

// refresh does what follow does, once.
func (c *contexts) refresh(changed bool, load loader, replaced func(*apiserver.Target)) {
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.known))
	c.mu.Unlock()
	for _, k := range all {
		t, isNew := k.refresh(c.ctx, changed, load)
		if t == nil {
			continue
		}
		c.mu.Lock()
		c.listed = t.Contexts
		c.mu.Unlock()
		if isNew {
			replaced(t)
		}
	}
}

// refresh returns what it loaded, if it had to, and whether that replaced the target.
func (k *known) refresh(ctx context.Context, changed bool, load loader) (loaded *apiserver.Target, isNew bool) {
	k.turn <- struct{}{}
	defer func() { <-k.turn }()
	switch {
	case k.target == nil: // is about to be loaded
	case k.refused == "" && changed, k.refused != "" && k.users.Load() > 0:
		loaded = k.reload(ctx, load)
	}
	return loaded, loaded == k.target
}
