package hub

import (
	"context"
	"errors"
	"sync"
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/source"
	"watchglass/internal/wire"
)

// The wait between two attempts to ask the server something doubles. discoverUnreached replaces
// discoverMost while the server cannot be reached or is not ready, and while there are no credentials:
// an attempt costs next to nothing, and a list that waits for its kind should be live as soon afterwards
// as the others.
const (
	discoverFirst     = time.Second
	discoverMost      = 30 * time.Second
	discoverUnreached = 4 * time.Second
)

// discoverWithin returns the longest wait after a discovery that ended with err, or with none.
func discoverWithin(err error) time.Duration {
	if status := wire.StatusOf(err); status != nil && (status.Transient() || status.Reason == wire.ReasonCredentials) {
		return discoverUnreached
	}
	return discoverMost
}

// waking ends the waits of any number of goroutines at once. It is safe for concurrent use, and keeps
// nothing of those that wait.
type waking struct {
	mu    sync.Mutex
	woken chan struct{} // closed by the next wake; nil: nobody waits
}

// next returns a channel that the next wake closes.
func (w *waking) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.woken == nil {
		w.woken = make(chan struct{})
	}
	return w.woken
}

// wake ends all waits for the channels that next has returned.
func (w *waking) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.woken != nil {
		close(w.woken)
		w.woken = nil
	}
}

// discover asks the server which kinds it has. Any goroutine but the loop's may call it: it
// waits.
func (c *Cluster) discover(ctx context.Context) error {
	served, err := kinds.Discover(ctx, c.client.Get)
	if err != nil {
		return err
	}
	c.kinds.Discovered(served)
	c.RequestStep()
	return nil
}

// Waits before the next discovery: keepLeast lets kinds that are installed together arrive
// together; keepSoon follows a change, since a kind is defined before it is served; keepBlind
// is for definitions that cannot be watched, and for groups whose server does not answer;
// keepPatient is for everything else, such as kinds that other servers than the apiserver
// serve.
const (
	keepLeast   = time.Second
	keepSoon    = 5 * time.Second
	keepBlind   = time.Minute
	keepPatient = 10 * time.Minute
)

// definitions is the list of all CustomResourceDefinitions.
var definitions = wire.Request{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Encoding: wire.EncodingTable,
}

// keepKinds keeps the kinds up to date from now on.
func (c *Cluster) keepKinds() {
	if !c.updatingKinds {
		c.updatingKinds = true
		c.Start(c.watchKinds)
	}
}

// watchKinds repeats discovery whenever a definition changes, and from time to time. It keeps
// no list: a change is only a reason to ask. With each discovery but the first, it also asks for
// the server's release: an upgrade may have ended the watch. It runs in a goroutine of its own,
// which ends with the cluster.
func (c *Cluster) watchKinds() {
	wait := keepPatient
	for c.ctx.Err() == nil {
		version, err := c.definitionsVersion()
		_ = c.discover(c.ctx) // on an error the known kinds stay
		if c.kinds.Incomplete() {
			wait = min(wait, keepBlind)
		}
		changed := false
		if err == nil {
			changed, err = c.definitionsChange(version, wait)
		}
		if changed {
			c.kinds.Redefined()
		}
		rest, status := keepLeast, wire.StatusOf(err)
		switch {
		case changed:
			wait = keepSoon
		case err == nil:
			wait = keepPatient
		case status != nil && (status.Denied() || status.NotFound() || status.Reason == wire.ReasonUnanswered):
			rest = keepBlind
		default:
			rest = keepSoon
		}
		pause(c.ctx, rest, nil)
		c.refreshMinor()
		c.refreshUser()
	}
}

// definitionsVersion returns the version of the list of definitions. Any goroutine but
// the loop's may call it: it waits.
func (c *Cluster) definitionsVersion() (version string, err error) {
	r := definitions
	r.Limit = 1
	meta, err := source.ReadList(c.ctx, c, r, func([]byte) {})
	if err == nil && meta.ResourceVersion == "" {
		err = errors.New("the list has no version")
	}
	return meta.ResourceVersion, err
}

// definitionsChange waits for a change to a definition, and reports whether there was one. Any
// goroutine but the loop's may call it.
func (c *Cluster) definitionsChange(version string, wait time.Duration) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, wait)
	defer cancel()
	r := definitions
	r.Verb, r.ResourceVersion = wire.Watch, version
	err = source.ReadEvents(ctx, c, r, func(e wire.Event) bool {
		changed = changed || e.Type != wire.Columns
		return !changed
	})
	if ctx.Err() != nil {
		err = nil
	}
	return changed, err
}
