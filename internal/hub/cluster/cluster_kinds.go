package cluster

import (
	"context"
	"errors"
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/source"
	"watchglass/internal/wire"
)

// The wait between two attempts to ask the server something doubles. DiscoverUnreached replaces
// DiscoverMost while the server cannot be reached or is not ready, and while there are no credentials:
// an attempt costs next to nothing, and a list that waits for its kind should be live as soon afterwards
// as the others.
const (
	discoverFirst     = time.Second
	DiscoverMost      = 30 * time.Second
	DiscoverUnreached = 4 * time.Second
)

// discoverWithin returns the longest wait after a discovery that ended with err, or with none.
func discoverWithin(err error) time.Duration {
	if status := wire.StatusOf(err); status != nil && (status.Transient() || status.Reason == wire.ReasonCredentials) {
		return DiscoverUnreached
	}
	return DiscoverMost
}

// Discover asks the server which kinds it has. Any goroutine but the loop's may call it: it
// waits.
func (c *Cluster) Discover(ctx context.Context) error {
	served, err := kinds.Discover(ctx, c.Client.Get)
	if err != nil {
		return err
	}
	c.Kinds.Discovered(served)
	c.RequestStep()
	return nil
}

// Waits before the next discovery: keepLeast lets kinds that are installed together arrive
// together; KeepSoon follows a change, since a kind is defined before it is served; KeepBlind
// is for definitions that cannot be watched, and for groups whose server does not answer;
// KeepPatient is for everything else, such as kinds that other servers than the apiserver
// serve.
const (
	keepLeast   = time.Second
	KeepSoon    = 5 * time.Second
	KeepBlind   = time.Minute
	KeepPatient = 10 * time.Minute
)

// Definitions is the list of all CustomResourceDefinitions.
var Definitions = wire.Request{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Encoding: wire.EncodingTable,
}

// KeepKinds keeps the kinds up to date from now on.
func (c *Cluster) KeepKinds() {
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
	wait := KeepPatient
	for c.Ctx.Err() == nil {
		version, err := c.definitionsVersion()
		_ = c.Discover(c.Ctx) // on an error the known kinds stay
		if c.Kinds.Incomplete() {
			wait = min(wait, KeepBlind)
		}
		changed := false
		if err == nil {
			changed, err = c.definitionsChange(version, wait)
		}
		if changed {
			c.Kinds.Redefined()
		}
		rest, status := keepLeast, wire.StatusOf(err)
		switch {
		case changed:
			wait = KeepSoon
		case err == nil:
			wait = KeepPatient
		case status != nil && (status.Denied() || status.NotFound() || status.Reason == wire.ReasonUnanswered):
			rest = KeepBlind
		default:
			rest = KeepSoon
		}
		pause(c.Ctx, rest, nil)
		c.refreshMinor()
		c.refreshUser()
	}
}

// definitionsVersion returns the version of the list of definitions. Any goroutine but
// the loop's may call it: it waits.
func (c *Cluster) definitionsVersion() (version string, err error) {
	r := Definitions
	r.Limit = 1
	meta, err := source.ReadList(c.Ctx, c, r, func([]byte) {})
	if err == nil && meta.ResourceVersion == "" {
		err = errors.New("the list has no version")
	}
	return meta.ResourceVersion, err
}

// definitionsChange waits for a change to a definition, and reports whether there was one. Any
// goroutine but the loop's may call it.
func (c *Cluster) definitionsChange(version string, wait time.Duration) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(c.Ctx, wait)
	defer cancel()
	r := Definitions
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
