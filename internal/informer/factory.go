package informer

import (
	"context"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// Factory shares informers: one for each source, however many want it.
type Factory[T any] struct {
	ctx    context.Context
	linger time.Duration
	make   func(wire.Request) *Informer[T]

	mu      sync.Mutex
	shared  map[wire.Request]*share[T]
	running sync.WaitGroup
}

// share is one informer and who holds it.
type share[T any] struct {
	informer *Informer[T]
	holders  int
	stop     context.CancelFunc
	letGo    *time.Timer
}

// NewFactory returns a Factory whose informers end with the context. An
// informer that nobody holds any more is kept for a while, since people go back.
func NewFactory[T any](ctx context.Context, linger time.Duration, newInformer func(wire.Request) *Informer[T]) *Factory[T] {
	return &Factory[T]{ctx: ctx, linger: linger, make: newInformer, shared: make(map[wire.Request]*share[T])}
}

// Lease is a hold on a shared informer.
type Lease[T any] struct {
	*Informer[T]
	release func()
}

// Release lets the informer go. It may be called more than once.
func (l *Lease[T]) Release() { l.release() }

// Lease returns the informer of a source, started if it is the first.
func (f *Factory[T]) Lease(r wire.Request) *Lease[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.shared[r]
	if s == nil {
		s = &share[T]{informer: f.make(r)}
		f.shared[r] = s
		ctx, stop := context.WithCancel(f.ctx)
		s.stop = stop
		f.running.Go(func() { s.informer.Run(ctx) })
	}
	s.holders++
	if s.letGo != nil {
		s.letGo.Stop()
		s.letGo = nil
	}
	return &Lease[T]{s.informer, sync.OnceFunc(func() { f.release(r, s) })}
}

func (f *Factory[T]) release(r wire.Request, s *share[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.holders--; s.holders > 0 {
		return
	}
	s.letGo = time.AfterFunc(f.linger, func() { f.drop(r, s) })
}

func (f *Factory[T]) drop(r wire.Request, s *share[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.holders == 0 && f.shared[r] == s {
		delete(f.shared, r)
		s.stop()
	}
}

// Each calls what for every informer that is held or kept.
func (f *Factory[T]) Each(what func(wire.Request, *Informer[T])) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r, s := range f.shared {
		what(r, s.informer)
	}
}

// Wait returns when all informers have ended, after the context.
func (f *Factory[T]) Wait() { f.running.Wait() }
