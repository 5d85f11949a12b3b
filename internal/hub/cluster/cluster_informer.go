package cluster

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"watchglass/internal/detail/rbac"
	"watchglass/internal/hub/local"
	"watchglass/internal/hub/recorder"
	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/problem"
	"watchglass/internal/query"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// newInformer returns the informer of a source, for the factory. Its kind is known, since the
// source was leased by it.
func (c *Cluster) newInformer(r wire.Request, variant string) *informer.Informer[*object.Object] {
	printing, extras := source.ReadVariant(variant)
	kind := c.Kinds.Of(r)
	kind.PrintAs(printing)
	bare := isBare(&kind, extras)
	decoder := object.NewDecoder(kind, !bare, extras...).Share(&c.Codes)
	if r.Encoding == wire.EncodingMetadata {
		decoder = object.NewMetadataDecoder()
	}
	server, id := c.serverOf(&kind, r)
	var i *informer.Informer[*object.Object]
	var record *recorder.Source // nil: there is none
	var earlier func(context.Context) (reflector.Earlier[*object.Object], bool)
	saved, name := !bare && len(extras) == 0 && c.Local.Of(kind) == nil && c.Lists.Saves(r, &kind), c.Lists.Name(r, variant)
	if saved {
		earlier = c.Lists.Earlier(r, name, decoder, func() *informer.Informer[*object.Object] { return i })
	}
	i = informer.New(informer.Options[*object.Object]{
		Source:  server,
		Decoder: decoder, Request: r,
		Key: (*object.Object).Key, Version: (*object.Object).Version, Same: id.Same,
		Met: c.regain, Namespace: (*object.Object).Namespace, Labels: labelsOf, Changed: c.RequestStep, Unwatchable: unwatchable(kind),
		Yield: c.Rest, Earlier: earlier, Ended: func() { c.endRecord(record) },
		Checks: reflector.Checks[*object.Object]{
			Cluster:   func(ctx context.Context) (string, error) { return c.uid.read(ctx, c.Client.Get) },
			Stamp:     id.Stamp,
			ReadStamp: id.ReadStamp,
			Identify:  decoder.Identify,
			Renewed:   decoder.Renew,
			Differed:  func() { c.differences.Add(1) },
		},
	})
	if r.Encoding != wire.EncodingMetadata && !bare {
		if c.records(r, kind) {
			record = c.Recorder.Add(r, kind, decoder, i)
		}
		i.SubscribeLate(func(changes []informer.Change[*object.Object]) { c.account(record, changes) })
	}
	if saved {
		c.Lists.Track(name, i)
	}
	if bare && r.Group == sums.MetricsGroup {
		i.Subscribe(func(changes []informer.Change[*object.Object]) { c.sample(kind, decoder, changes, i) })
	}
	return i
}

// labelsOf returns the labels that listers select by.
func labelsOf(o *object.Object) query.Labels { return o.Labels() }

// serverOf returns who answers the requests of a source, and how versions of its objects are told apart.
func (c *Cluster) serverOf(kind *object.Kind, r wire.Request) (reflector.Source, local.Identity) {
	switch own := c.Local.Of(*kind); {
	case own != nil:
		return own.Serve()
	case kind.Printed():
		return source.WithSeed(c, *kind, func() (*informer.Informer[*object.Object], bool) { return c.Factory.Synced(r) }), byVersion
	}
	return c, byVersion
}

var byVersion = local.Identity{Same: sameVersion, Stamp: (*object.Object).Stamp, ReadStamp: readStamp}

// records reports whether the history has the changes of a source. Metrics are not recorded, nor are rows that the hub
// makes from other objects.
func (c *Cluster) records(r wire.Request, kind object.Kind) bool {
	return c.Relay == nil && r.Group != sums.MetricsGroup && c.Local.Of(kind) == nil
}

// regain gives a stored object that has lost its body that of an equal one, which a new list has.
func (c *Cluster) regain(stored, listed *object.Object) {
	if raw := listed.Packed(); stored.Lost() && raw != nil {
		stored.Restore(raw)
		c.budget.Keep(stored)
	}
}

// isBare reports whether nobody reads more of a source than its columns, so that no body is kept:
// metrics, and what the rules and who may do what read in columns.
func isBare(kind *object.Kind, extras []object.Extra) bool {
	if kind.Group == sums.MetricsGroup {
		return len(extras) > 0
	}
	paths := slices.Concat(problem.Paths(kind.ID()), rbac.Paths(kind.ID())) // no kind has both
	for i, path := range paths {
		if i >= len(extras) || extras[i].Name != path {
			return false
		}
	}
	return len(paths) > 0 && len(paths) == len(extras)
}

// sample keeps what was measured. Informers call it.
func (c *Cluster) sample(kind object.Kind, decoder *object.Decoder, changes []informer.Change[*object.Object], i *informer.Informer[*object.Object]) {
	now, all := time.Now(), make([]sums.Change, len(changes))
	for n, change := range changes {
		all[n] = sums.Change{Before: change.Before, After: change.After}
	}
	c.Samples.Apply(kind.ID(), decoder.Columns(), all, i.State(now).Polled, now)
	c.RequestStep()
}

// unwatchable returns why a kind cannot be watched, or nil.
func unwatchable(kind object.Kind) *wire.Status {
	if !kind.Unwatched {
		return nil
	}
	return &wire.Status{Origin: wire.FromTab, Code: 405, Message: fmt.Sprintf("the apiserver serves %s without the verb watch", kind.ID())}
}

// endRecord ends the record of a source that has ended, if it has one. Its objects have left it before.
func (c *Cluster) endRecord(s *recorder.Source) {
	if s != nil {
		s.End(time.Now())
	}
}

// account updates the budget of packed bytes and the history of each object. Informers call
// it.
func (c *Cluster) account(s *recorder.Source, changes []informer.Change[*object.Object]) {
	if s != nil {
		s.Note(time.Now(), changes)
	}
	for _, change := range changes {
		if change.Before != nil {
			c.budget.Release(change.Before)
		}
		if change.After != nil {
			c.budget.Keep(change.After)
		}
	}
}

// sameVersion reports whether two objects with the same key are equal. Objects without
// versions are compared by their text and body.
func sameVersion(a, b *object.Object) bool {
	same := a.Version() == b.Version() && a.UID() == b.UID() && a.Layout() == b.Layout()
	return same && (a.Version() != "" || a.Text(true) == b.Text(true) && bytes.Equal(a.Packed(), b.Packed()))
}

func readStamp(payload []byte) (key, stamp string, err error) {
	id, err := object.ReadIdentity(payload)
	return id.Key(), id.Stamp(), err
}
