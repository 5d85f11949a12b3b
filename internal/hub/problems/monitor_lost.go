package problems

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// restore has the host read the bodies that the rules need and that are not here, of lists that are live.
func (m *Monitor) restore(now time.Time) {
	m.mu.Lock()
	lost := make(map[*input][]*object.Object)
	if m.engine != nil {
		m.engine.EachLost(func(resource string, o *object.Object) {
			if f := m.feedOf(resource, o); f != nil && f.mayRestore(now) {
				lost[f] = append(lost[f], o)
			}
		})
	}
	for f := range lost {
		f.restoring.Begin(now)
	}
	m.mu.Unlock()
	for f, objects := range lost { // without the lock: the host may be done at once
		m.host.Restore(f.Lease, f.kind, objects, func(err error) { m.restored(f, err) })
	}
}

// feedOf returns the list that holds an object, or nil. The caller holds the lock.
func (m *Monitor) feedOf(resource string, o *object.Object) *input {
	if r := m.reading(resource); r != nil {
		for _, f := range r.standing() {
			if held, ok := f.Store().Get(o.Key()); ok && held == o {
				return f
			}
		}
	}
	return nil
}

// mayRestore reports whether it is time to read lost bodies of a list.
func (in *input) mayRestore(now time.Time) bool {
	return in.status.Fresh == informer.Live && in.restoring.May(now)
}

// restored notes the end of an attempt, and has the engine read what has come.
func (m *Monitor) restored(f *input, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f.restoring.End(time.Now(), err)
	m.wake()
}

// judged notes how many objects of the kind lack their bodies.
func (r *reading) judged(lost int) {
	if r.lost = lost; lost > 0 {
		return
	}
	for _, f := range r.inputs() {
		if !f.restoring.Busy() {
			f.restoring = source.Restoring{}
		}
	}
}
