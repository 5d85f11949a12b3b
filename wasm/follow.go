package main

import (
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// follow is a hold on a list, and on word of what changes in it.
type follow struct {
	lease *informer.Lease[*object.Object]
	sub   *informer.Subscription[*object.Object]
}

// subscribe has tell told what changes in the list, and returns what there is in it: the
// first may come before the second.
func (f *follow) subscribe(tell func([]informer.Change[*object.Object])) (objects []*object.Object) {
	objects, f.sub = f.lease.Subscribe(tell)
	return objects
}

// release lets go of the list, if there is one.
func (f *follow) release() {
	if f != nil {
		f.lease.Unsubscribe(f.sub)
		f.lease.Release()
	}
}

// decoder is what makes the objects.
func (f *follow) decoder() *object.Decoder { return f.lease.Decoder().(*object.Decoder) }

// standing is how a list stood at one moment.
type standing struct {
	state informer.State
	fresh informer.Freshness
	age   time.Duration
	cause *wire.Status
}

func (f *follow) stand(link informer.Link, now time.Time) standing {
	s := standing{state: f.lease.State(now)}
	s.fresh, s.age, s.cause = informer.Fresh(s.state, link, now)
	return s
}

// refused reports whether the list may not be read, or is of nothing that there is.
func (s standing) refused() bool { return s.fresh == informer.Denied || s.fresh == informer.Gone }

// lease leases the list of a kind, with columns that are added to it.
func (d *desk) lease(kind object.Kind, namespace string, extras []object.Extra) *informer.Lease[*object.Object] {
	return d.factory.LeaseVariant(requestFor(kind, namespace, extras...), variantOf(extras))
}

// onScreen leases a list that is on screen, if it is of the kind and serves.
func (d *desk) onScreen(kind object.Kind, serves func(namespace string, list *follow) bool) *informer.Lease[*object.Object] {
	s := d.source
	if s == nil || s.kind.ID() != kind.ID() {
		return nil
	}
	for i, list := range s.parts {
		if serves(s.scopes[i], list) {
			return d.lease(kind, s.scopes[i], s.extras)
		}
	}
	return nil
}
