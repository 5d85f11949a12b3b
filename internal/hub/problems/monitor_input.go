package problems

import (
	"slices"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/problem"
	"watchglass/internal/problem/facts"
)

// input is one list that the rules read.
type input struct {
	*source.Lease
	kind      object.Kind
	resource  string // the kind's ID
	namespace string // "" is the whole cluster
	engine    *problem.Engine
	sub       *informer.Subscription[*object.Object]

	// Guarded by the Monitor's lock:
	totals    facts.Totals     // of what has been applied
	filling   bool             // what the list held when it was leased is being applied
	pending   []problem.Change // that came meanwhile
	status    source.Status    // as of the last refresh
	read      bool             // all that it held when it became live, or was last listed, is in the rows
	restoring source.Restoring
}

// atOnce is how many objects of a list that is already there are applied in one go. After each go
// the browser may deliver its events, which come only while Go sleeps.
const (
	atOnce = 2000
	pause  = time.Millisecond
)

// follow leases a list and applies what it holds, and from then on each change.
func (m *Monitor) follow(kind object.Kind, namespace string) *input {
	m.mu.Lock()
	engine := m.engine
	m.mu.Unlock()
	f := &input{Lease: m.host.Lease(kind, namespace), kind: kind, resource: kind.ID(), namespace: namespace, engine: engine, filling: true}
	objects, sub := f.Subscribe(func(changes []informer.Change[*object.Object]) {
		columns, out := f.columns(), make([]problem.Change, len(changes))
		for i, c := range changes {
			out[i] = problem.Change{Kind: &f.kind, Columns: columns, Before: c.Before, After: c.After}
		}
		m.apply(f, out)
	})
	f.sub = sub
	for part := range slices.Chunk(objects, atOnce) {
		m.fill(f, part)
		time.Sleep(pause)
	}
	m.filled(f)
	return f
}

func (in *input) columns() []object.Column { return in.Decoder().(*object.Decoder).Columns() }

// end releases a list, which lingers.
func (in *input) end() {
	in.Unsubscribe(in.sub)
	in.Release()
}

// apply gives the engine what changed in a list. Informers call it.
func (m *Monitor) apply(f *input, changes []problem.Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.filling {
		f.pending = append(f.pending, changes...)
		return
	}
	m.applyLocked(f, changes)
}

// applyLocked gives the engine changes of a list, unless the stream that the list was leased for is closed.
// The caller holds the lock.
func (m *Monitor) applyLocked(f *input, changes []problem.Change) {
	if m.engine == nil || m.engine != f.engine {
		return
	}
	for i := range changes {
		changes[i].Late = f.status.Fresh != informer.Live
		f.totals.Count(f.resource, changes[i].Columns, changes[i].Before, changes[i].After)
	}
	m.engine.Apply(changes, m.host.Now())
	m.wake()
}

// fill gives the engine a part of what the list held when it was leased.
func (m *Monitor) fill(f *input, objects []*object.Object) {
	columns, out := f.columns(), make([]problem.Change, len(objects))
	for i, o := range objects {
		out[i] = problem.Change{Kind: &f.kind, Columns: columns, After: o}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applyLocked(f, out)
}

// filled gives the engine what changed while the list was read.
func (m *Monitor) filled(f *input) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applyLocked(f, f.pending)
	f.filling, f.pending = false, nil
}

// drop releases a list. Its objects leave the engine but for those that another list of the kind has now:
// that may know of one that was deleted while this list was stale.
func (m *Monitor) drop(f, other *input) {
	f.Unsubscribe(f.sub)
	columns := f.columns()
	for part := range slices.Chunk(f.Store().List(), atOnce) {
		m.mu.Lock() // until they are applied: what the other list adds meanwhile comes after
		var gone []problem.Change
		for _, o := range part {
			if other == nil || !other.has(o) {
				gone = append(gone, problem.Change{Kind: &f.kind, Columns: columns, Before: o})
			}
		}
		m.applyLocked(f, gone)
		m.mu.Unlock()
		time.Sleep(pause)
	}
	f.Release()
}

func (in *input) has(o *object.Object) bool {
	_, there := in.Store().Get(o.Key())
	return there
}

// see notes the state of the list. Once it is live, or was listed again, its objects have to be read before the
// rows are those of it, also if it was not live only between two looks. It reports whether they have yet
// to be.
func (in *input) see(s source.Status) (unread bool) {
	live, same := s.Fresh == informer.Live, s.State.Relists == in.status.State.Relists
	in.status, in.read = s, in.read && live && same
	return live && !in.read
}

// rows returns the state of the rows that rest on the list: that of the list, but syncing until all of it
// has been read, and while so many objects of its kind cannot be.
func (in *input) rows(lost int) source.Status {
	s := in.status
	if s.Fresh == informer.Live && (!in.read || lost > 0) {
		s.Fresh, s.State.Synced = informer.Syncing, false
	}
	return s
}
