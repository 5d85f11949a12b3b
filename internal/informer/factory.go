package informer

import (
	"context"
	"slices"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// mostKept is how many informers that nobody holds are kept: each is a stream, and those
// who step through many objects are to leave room for what they look at.
const mostKept = wire.MaxStreams * 3 / 8

// Factory shares informers: one for each source, however many want it. A source
// is a resource, a namespace and selectors, in an encoding; and a variant, which
// says what is made of its objects.
type Factory[T any] struct {
	ctx    context.Context
	cancel context.CancelFunc
	linger time.Duration
	make   func(r wire.Request, variant string) *Informer[T]

	mu      sync.Mutex
	shared  map[origin]*share[T]
	left    []leaving[T] // what nobody holds, the oldest first
	running sync.WaitGroup
}

// origin names a source, with what is made of it.
type origin struct {
	request wire.Request
	variant string
}

// share is one informer and who holds it.
type share[T any] struct {
	informer *Informer[T]
	holders  int
	stop     context.CancelFunc
	letGo    *time.Timer // while nobody does
}

// leaving is a share that nobody holds.
type leaving[T any] struct {
	origin
	*share[T]
}

// NewFactory returns a Factory whose informers end with the context. An
// informer that nobody holds any more is kept for a while, since people go back; of more than
// there is room for, the one that was left first is not.
func NewFactory[T any](ctx context.Context, linger time.Duration, newInformer func(r wire.Request, variant string) *Informer[T]) *Factory[T] {
	ctx, cancel := context.WithCancel(ctx)
	return &Factory[T]{ctx: ctx, cancel: cancel, linger: linger, make: newInformer, shared: make(map[origin]*share[T])}
}

// sourceOf is what names the source in a request: not how it is read.
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

// Release lets the informer go. It may be called more than once.
func (l *Lease[T]) Release() { l.once.Do(func() { l.release(true) }) }

// Drop is Release of an informer that is not worth keeping: if nobody else holds it, it
// ends at once.
func (l *Lease[T]) Drop() { l.once.Do(func() { l.release(false) }) }

// Lease returns the informer of a source, started if it is the first. After
// Shutdown it is one that has ended.
func (f *Factory[T]) Lease(r wire.Request) *Lease[T] { return f.LeaseVariant(r, "") }

// LeaseVariant is Lease, of a variant.
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

// LeaseSynced leases an informer of a source that has synced, of whatever variant; nil if
// there is none. It starts none.
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

// Each calls what for every informer that is held or kept.
func (f *Factory[T]) Each(what func(wire.Request, *Informer[T])) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r, s := range f.shared {
		what(r.request, s.informer)
	}
}

// Synced finds an informer of a source, of whatever variant, that has synced.
func (f *Factory[T]) Synced(r wire.Request) (synced *Informer[T], ok bool) {
	r = sourceOf(r)
	f.Each(func(of wire.Request, i *Informer[T]) {
		if of == r && i.HasSynced() {
			synced, ok = i, true
		}
	})
	return synced, ok
}

// WaitForSync waits until all informers that there are now have synced. Its error
// says which has not.
func (f *Factory[T]) WaitForSync(ctx context.Context) error {
	var all []*Informer[T]
	f.Each(func(_ wire.Request, i *Informer[T]) { all = append(all, i) })
	for _, i := range all {
		if err := i.WaitForSync(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Shutdown ends all informers, and returns when they have ended.
func (f *Factory[T]) Shutdown() {
	f.cancel()
	f.Wait()
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
