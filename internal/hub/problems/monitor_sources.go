package problems

import (
	"slices"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// openSources leases the lists that the rules read and that are not leased: those of kinds that the
// server turned out to have, and those of single namespaces where the whole cluster may not be
// listed. It releases those of kinds and namespaces that are not wanted any more, and of kinds that the server
// has moved to another version: they are leased in that one.
func (m *Monitor) openSources() {
	m.mu.Lock()
	resources, readings, left := m.resources(), slices.Clone(m.readings), mostNarrow
	m.mu.Unlock()
	for _, r := range readings {
		if !slices.Contains(resources, r.resource) || m.hasMoved(r) {
			m.forget(r)
		}
	}
	for _, resource := range resources {
		if kind, ok := m.host.Find(resource); ok {
			left -= m.open(kind, left)
		}
	}
}

// hasMoved reports whether the server has a kind in another version than it is read in.
func (m *Monitor) hasMoved(r *reading) bool {
	kind, ok := m.host.Find(r.resource)
	return ok && (kind.APIVersion() != r.wide.kind.APIVersion() || kind.Namespaced != r.wide.kind.Namespaced)
}

// mostNarrow is how many lists of single namespaces are read. A connection has 256 streams, some of
// which are for the lists that the user opens. The kinds that tell most come first.
const mostNarrow = 128

// open reads a kind, and namespace by namespace from when the list of the whole cluster is refused until it is in.
// It returns how many namespaces it reads, which are at most a number.
func (m *Monitor) open(kind object.Kind, most int) int {
	m.mu.Lock()
	r := m.reading(kind.ID())
	m.mu.Unlock()
	if r == nil {
		if r = m.add(m.follow(kind, "")); r == nil {
			return 0
		}
	}
	want, drop, settles := m.narrow(r, most)
	for _, f := range drop {
		m.drop(f, r.wide)
	}
	for _, namespace := range want {
		m.add(m.follow(kind, namespace))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r.settled = settles
	return len(r.narrow)
}

// narrow returns the namespaces, at most a number, of which a kind is to be read besides those that are,
// and forgets the lists of those that are not to be read any more. If the whole cluster is refused, it also returns which
// wants that answers.
func (m *Monitor) narrow(r *reading, most int) (more []string, drop []*input, settles int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.wide.status.Forbidden() {
		settles = m.wanting
	}
	if r.wide.kind.Namespaced && (r.wide.status.Forbidden() || len(r.narrow) > 0 && !r.wide.status.Listed()) {
		more = m.wanted().Namespaces
		more = more[:min(len(more), most)]
	}
	var keep []*input
	for _, f := range r.narrow {
		if at, wanted := slices.BinarySearch(more, f.namespace); wanted {
			keep, more = append(keep, f), slices.Delete(more, at, at+1)
		} else {
			drop = append(drop, f)
		}
	}
	r.narrow = keep
	return more, drop, settles
}

// add keeps a list until the stream is closed, and returns what is read of its kind. If it is closed, it
// releases the list and returns nil.
func (m *Monitor) add(f *input) *reading {
	r := m.keep(f)
	if r == nil {
		f.end() // without the lock: a change that is being applied waits for it
	}
	return r
}

// keep is add, but for the release.
func (m *Monitor) keep(f *input) *reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.engine == nil || m.engine != f.engine {
		return nil
	}
	r := m.reading(f.resource)
	if r == nil {
		r = &reading{resource: f.resource, wide: f}
		m.readings = append(m.readings, r)
	} else {
		r.narrow = append(slices.Clone(r.narrow), f)
	}
	r.refresh(m.host.Link(), time.Now())
	return r
}

// forget releases the lists of a kind.
func (m *Monitor) forget(r *reading) {
	m.mu.Lock()
	m.readings = slices.DeleteFunc(m.readings, func(other *reading) bool { return other == r })
	m.mu.Unlock()
	for _, f := range r.narrow {
		m.drop(f, r.wide)
	}
	m.drop(r.wide, nil)
}

// Refresh brings up to date what is asked of the lists: nothing else does.
func (m *Monitor) Refresh(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refresh(now)
}

// Statuses returns the states of the lists that the rows rest on, syncing until what they hold is in the
// rows. If a kind cannot be read, the rows are still true of the others: such lists are left out unless
// there is nothing else.
func (m *Monitor) Statuses() (all []source.Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, resource := range m.resources() {
		if r := m.reading(resource); r != nil && m.unsettled(r) {
			all = append(all, source.Status{Fresh: informer.Syncing})
		} else if r != nil {
			for _, f := range r.inputs() {
				all = append(all, f.rows(r.lost))
			}
		} else if _, found := m.host.Find(resource); found { // it will be leased
			all = append(all, source.Status{Fresh: informer.Syncing})
		}
	}
	if readable := slices.DeleteFunc(slices.Clone(all), source.Status.Failing); len(readable) > 0 {
		return readable
	}
	return all
}
