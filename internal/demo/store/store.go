//go:build !js

package store

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Store holds the resources of a cluster. All of them share one version.
type Store struct {
	mu        sync.Mutex // held by writers
	version   atomic.Int64
	resources map[string]*Resource
	history   int
}

// New returns a store. The first write gets version first+1; history is how many events are kept
// per resource.
func New(first int64, history int) *Store {
	s := &Store{resources: map[string]*Resource{}, history: max(1, history)}
	s.version.Store(first)
	return s
}

// Version returns the version of the last write.
func (s *Store) Version() int64 { return s.version.Load() }

// Resource returns the resource of a name, creating it if necessary.
func (s *Store) Resource(name string) *Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.resources[name]
	if !ok {
		r = &Resource{store: s, changed: make(chan struct{}), floor: s.Version()}
		s.resources[name] = r
	}
	return r
}

// Forget empties the histories, as an etcd compaction does: versions before the current one
// cannot be read any more. It raises the current version to the given one, if that is higher.
func (s *Store) Forget(version int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version.Store(max(version, s.Version()))
	for _, r := range s.resources {
		r.mu.Lock()
		r.events, r.floor = nil, s.Version()
		r.mu.Unlock()
	}
}

// ErrExpired means that the history does not reach back to a version.
var ErrExpired = errors.New("the version is older than the history")

// Resource is the collection of one kind of object.
type Resource struct {
	store *Store

	mu      sync.RWMutex
	state   State
	events  []Event       // the latest ones, oldest first
	floor   int64         // the history has all events after this version
	changed chan struct{} // closed by the next write
}

// Encode returns an object encoded at a version.
type Encode func(version int64) ([]byte, error)

// Put adds or replaces an object.
func (r *Resource) Put(k Key, encode Encode) error { return r.write(k, encode, false) }

// Delete removes an object. Watchers see what encode returns as its last state. It does nothing
// if the object does not exist.
func (r *Resource) Delete(k Key, encode Encode) error { return r.write(k, encode, true) }

// write makes every change; the store's lock admits one writer at a time.
func (r *Resource) write(k Key, encode Encode, remove bool) error {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	previous := r.state.Get(k) // only writers change it, so this needs no read lock
	if remove && previous == nil {
		return nil
	}
	version := r.store.Version() + 1
	raw, err := encode(version)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e := Event{Object: &Object{Key: k, Version: version, Raw: raw}, Previous: previous}
	switch {
	case remove:
		e.Type, r.state = Deleted, r.state.without(k)
	case previous != nil:
		e.Type, r.state = Modified, r.state.with(e.Object)
	default:
		e.Type, r.state = Added, r.state.with(e.Object)
	}
	r.remember(e)
	r.store.version.Store(version)
	close(r.changed)
	r.changed = make(chan struct{})
	return nil
}

// remember appends to the history. When that is full it drops a quarter at once, so that not
// every write has to move the whole history.
func (r *Resource) remember(e Event) {
	if full := r.store.history; len(r.events) >= full {
		drop := max(1, full/4)
		r.floor = r.events[drop-1].Object.Version
		r.events = append(make([]Event, 0, full), r.events[drop:]...)
	}
	r.events = append(r.events, e)
}

// State returns the current state. Its version is the store's: nothing in this resource has
// changed since its own last write.
func (r *Resource) State() State {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s := r.state
	s.Version = r.store.Version()
	return s
}

// Since returns the events after a version, in order, and a channel that is closed when there are
// more. The events are shared and must not be changed.
func (r *Resource) Since(version int64) ([]Event, <-chan struct{}, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if version < r.floor {
		return nil, nil, ErrExpired
	}
	i := len(r.events)
	for i > 0 && r.events[i-1].Object.Version > version { // most calls ask only for the newest
		i--
	}
	return r.events[i:len(r.events):len(r.events)], r.changed, nil
}

// Floor returns the oldest version that Since and At accept.
func (r *Resource) Floor() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.floor
}

// At returns the state at a past version: the current state with later events undone.
func (r *Resource) At(version int64) (State, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if version < r.floor {
		return State{}, ErrExpired
	}
	s := r.state
	for i := len(r.events) - 1; i >= 0 && r.events[i].Object.Version > version; i-- {
		switch e := r.events[i]; {
		case e.Previous != nil:
			s = s.with(e.Previous)
		case e.Type == Added:
			s = s.without(e.Object.Key)
		}
	}
	s.Version = version
	return s, nil
}
