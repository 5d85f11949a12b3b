package reflector

import (
	"time"

	"watchglass/internal/wire"
)

// Phase is what a Reflector is about.
type Phase uint8

// The phases.
const (
	// Connecting: it has asked, and nothing came yet.
	Connecting Phase = iota
	// Listing: what there is is coming in.
	Listing
	// Watching: what there is is in, what changes comes.
	Watching
	// Resuming: the watch ended, and the next is being opened, from the version
	// that was reached.
	Resuming
	// Waiting: something failed, and it will try again.
	Waiting
)

var phases = [...]string{"connecting", "listing", "watching", "resuming", "waiting"}

func (p Phase) String() string { return phases[p] }

// State is how a Reflector stands, with what it has counted.
type State struct {
	Phase   Phase
	Since   time.Time // of the phase
	Synced  bool      // a whole list has been handed over
	Watched bool      // a watch has been open behind one
	// Polled is how often what there is is asked for anew, because it cannot be
	// followed by a watch; zero if it can. Unwatched is why.
	Polled    time.Duration
	Unwatched *wire.Status
	Listed    time.Time // when all that there was had last come
	// Gone: the server says that it has no such resource, and not because it is
	// only just starting.
	Gone    bool
	Version string // that was reached
	// Encoding is how the objects came: protobuf, Table rows or JSON.
	Encoding wire.Encoding
	Err      error // the last, until something works again

	Events   uint64 // objects and bookmarks that came
	Bytes    uint64
	Resumes  int // watches opened at a version that was reached before
	Relists  int // whole lists after the first
	Idles    int // watches given up because nothing came, not even bookmarks
	Rejected int // objects and bookmarks that could not be read
	Unread   int // those of the last list, which the store is without
	LastBad  error

	// Probes counts how often the server was asked, before a watch went on,
	// whether it has the version that was reached; Audits, how often the whole
	// store was compared; Rewinds, how often the server turned out to have
	// another history, or to be another.
	Probes, Audits, Rewinds int
	// Cluster is the name of the cluster that the list came from; Unchecked says
	// why there is none, and Unaudited why a comparison did not come through.
	Cluster              string
	Unchecked, Unaudited error
}

// State returns how the Reflector stands.
func (r *Reflector[T]) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Age is how long ago the apiserver gave a sign of life on the open stream, and
// whether there is one.
func (r *Reflector[T]) Age(now time.Time) (time.Duration, bool) {
	r.mu.Lock()
	stream := r.stream
	r.mu.Unlock()
	if stream == nil {
		return 0, false
	}
	return stream.Age(now), true
}

// change changes the state, and calls Options.Changed.
func (r *Reflector[T]) change(f func(s *State)) {
	r.mu.Lock()
	before := r.state.Phase
	f(&r.state)
	if r.state.Phase != before {
		r.state.Since = time.Now()
	}
	r.mu.Unlock()
	r.options.Changed()
}

// setPhase sets the phase. Watching also ends what was wrong before.
func (r *Reflector[T]) setPhase(p Phase) {
	r.change(func(s *State) {
		s.Phase = p
		if p == Watching {
			s.Err, s.Watched, s.Polled, s.Unwatched = nil, true, 0, nil
		}
	})
}

// count adds to the counters. They change too often to call Options.Changed.
func (r *Reflector[T]) count(b wire.Batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Events += uint64(len(b.Events))
	r.state.Bytes += uint64(b.Bytes)
}

// setVersion sets the version without a call of Options.Changed.
func (r *Reflector[T]) setVersion(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Version = version
}

// setStream sets the open stream, whose age Age returns; nil if there is none.
func (r *Reflector[T]) setStream(s Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stream = s
	if s != nil && r.state.Encoding != wire.EncodingTable {
		r.state.Encoding = s.Encoding()
	}
}
