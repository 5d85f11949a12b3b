package problems

import (
	"slices"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/problem"
)

// feed is one list that the rules read.
type feed struct {
	*source.Lease
	kind      object.Kind
	resource  string // the kind's ID
	namespace string // "" is the whole cluster
	sub       *informer.Subscription[*object.Object]

	// Guarded by the Board's lock:
	totals  problem.Totals   // of what has been applied
	filling bool             // what the list held when it was leased is being applied
	pending []problem.Change // that came meanwhile
	closed  bool
}

// atOnce is how many objects of a list that is already there are applied in one go. After each go
// the browser may deliver its events, which come only while Go sleeps.
const (
	atOnce = 2000
	pause  = time.Millisecond
)

// follow leases a list and applies what it holds, and from then on each change.
func (b *Board) follow(kind object.Kind, namespace string) *feed {
	f := &feed{Lease: b.host.Lease(kind, namespace), kind: kind, resource: kind.ID(), namespace: namespace, filling: true}
	objects, sub := f.Subscribe(func(changes []informer.Change[*object.Object]) {
		columns, out := f.columns(), make([]problem.Change, len(changes))
		for i, c := range changes {
			out[i] = problem.Change{Kind: &f.kind, Columns: columns, Before: c.Before, After: c.After}
		}
		b.apply(f, out)
	})
	f.sub = sub
	for part := range slices.Chunk(objects, atOnce) {
		b.fill(f, part)
		time.Sleep(pause)
	}
	b.filled(f)
	return f
}

func (f *feed) columns() []object.Column { return f.Decoder().(*object.Decoder).Columns() }

// apply gives the engine what changed in a list. Informers call it.
func (b *Board) apply(f *feed, changes []problem.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case f.closed || b.engine == nil:
	case f.filling:
		f.pending = append(f.pending, changes...)
	default:
		b.take(f, changes)
		b.wake()
	}
}

// take gives the engine changes of a list. The caller holds the lock.
func (b *Board) take(f *feed, changes []problem.Change) {
	for i := range changes {
		f.totals.Count(f.resource, &changes[i])
	}
	b.engine.Apply(changes, time.Now())
	b.unread = true
}

// fill gives the engine a part of what the list held when it was leased.
func (b *Board) fill(f *feed, objects []*object.Object) {
	columns, out := f.columns(), make([]problem.Change, len(objects))
	for i, o := range objects {
		out[i] = problem.Change{Kind: &f.kind, Columns: columns, After: o}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !f.closed && b.engine != nil {
		b.take(f, out)
		b.wake()
	}
}

// filled gives the engine what changed while the list was read.
func (b *Board) filled(f *feed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.filling = false; !f.closed && b.engine != nil {
		b.take(f, f.pending)
	}
	f.pending = nil
}

// drop releases a list. Its objects leave the engine, unless another list has them.
func (b *Board) drop(f *feed, keep bool) {
	f.Unsubscribe(f.sub)
	if !keep {
		columns := f.columns()
		var gone []problem.Change
		for _, o := range f.Store().List() {
			gone = append(gone, problem.Change{Kind: &f.kind, Columns: columns, Before: o})
		}
		b.apply(f, gone)
	}
	b.mu.Lock()
	f.closed = true
	b.mu.Unlock()
	f.Release()
}

// refused reports whether the user may not list the kind there.
func refused(s source.Status) bool {
	return s.Fresh == informer.Denied && s.Cause != nil && s.Cause.Code == 403 && s.State.Objects == 0
}

// synced reports whether the lists of a resource can be read and have been applied, so that what is
// missing does not exist there. The engine calls it, with the lock held.
func (b *Board) synced(resource string) bool {
	now, known := time.Now(), false
	narrow := slices.ContainsFunc(b.sources, func(f *feed) bool { return f.namespace != "" && f.resource == resource })
	for _, f := range b.sources {
		if f.resource != resource {
			continue
		}
		switch whole := !f.filling && f.HasSynced() && !b.statusOf(f, now).Refused(); {
		case whole:
			known = true
		case f.namespace != "" || !narrow: // others stand in for the list of the whole cluster
			return false
		}
	}
	return known
}
