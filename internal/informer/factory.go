package informer

import (
	"context"
	"slices"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// mostKept is how many unused informers are kept. Each costs a stream. A user who steps through
// many objects must still have streams for the current one.
const mostKept = wire.MaxStreams * 3 / 8

// Factory shares informers: one for each source and variant, however many readers it has. A
// source is a resource, a namespace, selectors and an encoding. A variant says how its objects
// are decoded.
type Factory[T any] struct {
	ctx    context.Context
	linger time.Duration
	make   func(r wire.Request, variant string) *Informer[T]

	mu      sync.Mutex
	shared  map[origin]*share[T]
	left    []leaving[T] // unused informers, oldest first
	running sync.WaitGroup
}

// origin identifies a source and a variant of it.
type origin struct {
	request wire.Request
	variant string
}

// share is one informer and the number of its holders.
type share[T any] struct {
	informer *Informer[T]
	holders  int
	stop     context.CancelFunc
	letGo    *time.Timer // set while there are no holders
}

// leaving is a share without holders.
type leaving[T any] struct {
	origin
	*share[T]
}

// NewFactory returns a Factory whose informers end with the context. An informer without
// holders is kept for the time linger, since users go back. At most mostKept are kept; beyond
// that the one released first ends.
func NewFactory[T any](ctx context.Context, linger time.Duration, newInformer func(r wire.Request, variant string) *Informer[T]) *Factory[T] {
	return &Factory[T]{ctx: ctx, linger: linger, make: newInformer, shared: make(map[origin]*share[T])}
}

// sourceOf returns the part of a request that identifies the source, without how it is read.
func sourceOf(r wire.Request) wire.Request {
	return wire.Request{
		Group: r.Group, Version: r.Version, Resource: r.Resource, Namespace: r.Namespace, Encoding: r.Encoding,
		ListOptions: wire.ListOptions{LabelSelector: r.LabelSelector, FieldSelector: r.FieldSelector},
	}
}

// Lease is a hold on a shared informer.
type Lease[T any] struct {
	*Informer[T]
	once    sync.Once
	release func(kept bool)
}

// Release ends the hold. It may be called more than once.
func (l *Lease[T]) Release() { l.once.Do(func() { l.release(true) }) }

// Drop is Release for an informer that is not worth keeping. If nobody else holds it, it ends
// at once.
func (l *Lease[T]) Drop() { l.once.Do(func() { l.release(false) }) }

// Lease returns the informer of a source, and starts it if there is none. After the end of the
// context it returns one that has ended.
func (f *Factory[T]) Lease(r wire.Request) *Lease[T] { return f.LeaseVariant(r, "") }

// LeaseVariant is Lease for a variant.
func (f *Factory[T]) LeaseVariant(request wire.Request, variant string) *Lease[T] {
	r := origin{sourceOf(request), variant}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.shared[r]
	if s == nil {
		s = &share[T]{informer: f.make(r.request, r.variant)}
		f.shared[r] = s
		ctx, stop := context.WithCancel(f.ctx)
		s.stop = stop
		f.running.Go(func() { defer stop(); s.informer.Run(ctx) })
	}
	return f.leaseLocked(r, s)
}

// LeaseSynced leases a synced informer of a source, of any variant, or returns nil if there is
// none. It starts none.
func (f *Factory[T]) LeaseSynced(request wire.Request) *Lease[T] {
	source := sourceOf(request)
	f.mu.Lock()
	defer f.mu.Unlock()
	for r, s := range f.shared {
		if r.request == source && s.informer.HasSynced() {
			return f.leaseLocked(r, s)
		}
	}
	return nil
}

// InUse reports whether somebody holds an informer of a source that wants accepts.
func (f *Factory[T]) InUse(wants func(wire.Request) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r, s := range f.shared {
		if s.holders > 0 && wants(r.request) {
			return true
		}
	}
	return false
}

// Hold leases every informer that somebody holds, of the sources that wants accepts.
func (f *Factory[T]) Hold(wants func(wire.Request) bool) (all []*Lease[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r, s := range f.shared {
		if s.holders > 0 && wants(r.request) {
			all = append(all, f.leaseLocked(r, s))
		}
	}
	return all
}

func (f *Factory[T]) leaseLocked(r origin, s *share[T]) *Lease[T] {
	s.holders++
	if s.letGo != nil {
		s.letGo.Stop()
		s.letGo = nil
		f.left = slices.DeleteFunc(f.left, func(l leaving[T]) bool { return l.share == s })
	}
	return &Lease[T]{Informer: s.informer, release: func(kept bool) { f.release(r, s, kept) }}
}

func (f *Factory[T]) release(r origin, s *share[T], kept bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.holders--; s.holders > 0 {
		return
	}
	if !kept {
		f.drop(r, s)
		return
	}
	s.letGo = time.AfterFunc(f.linger, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.drop(r, s)
	})
	f.left = append(f.left, leaving[T]{r, s})
	if len(f.left) > mostKept {
		oldest := f.left[0]
		oldest.letGo.Stop()
		f.drop(oldest.origin, oldest.share)
	}
}

// drop ends an informer that nobody holds.
func (f *Factory[T]) drop(r origin, s *share[T]) {
	if s.holders == 0 && f.shared[r] == s {
		f.left = slices.DeleteFunc(f.left, func(l leaving[T]) bool { return l.share == s })
		delete(f.shared, r)
		s.stop()
	}
}

// Each calls what for every informer, held or kept.
func (f *Factory[T]) Each(what func(wire.Request, *Informer[T])) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r, s := range f.shared {
		what(r.request, s.informer)
	}
}

// Synced returns a synced informer of a source, of any variant.
func (f *Factory[T]) Synced(r wire.Request) (synced *Informer[T], ok bool) {
	r = sourceOf(r)
	f.Each(func(of wire.Request, i *Informer[T]) {
		if of == r && i.HasSynced() {
			synced, ok = i, true
		}
	})
	return synced, ok
}

// Wait returns when all informers have ended, after the context.
func (f *Factory[T]) Wait() {
	<-f.ctx.Done()
	f.running.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.shared {
		if s.letGo != nil {
			s.letGo.Stop()
		}
	}
}
