package reflector

import (
	"errors"
	"time"

	"watchglass/internal/wire"
)

// Phase is what a Reflector is doing.
type Phase uint8

// The phases.
const (
	// Connecting: a request was sent, and nothing has come yet.
	Connecting Phase = iota
	// Listing: the list is coming in.
	Listing
	// Watching: the list is complete, and a watch is open.
	Watching
	// Resuming: the watch ended, and the next is being opened from the version that was
	// reached.
	Resuming
	// Waiting: something failed, and is tried again after a wait.
	Waiting
)

var phases = [...]string{"connecting", "listing", "watching", "resuming", "waiting"}

func (p Phase) String() string { return phases[p] }

// State is the state of a Reflector, with its counters.
type State struct {
	Phase   Phase
	Since   time.Time // when the phase began
	Synced  bool      // a complete list has been handed over
	Watched bool      // a watch has been open since a list
	// Polled is the time between two lists of a source that cannot be watched; zero if it can.
	// Unwatched is why it cannot.
	Polled    time.Duration
	Unwatched *wire.Status
	Listed    time.Time // when a list, or a watch up to its end, was last complete
	// Gone: the server says that it has no such resource, and it is not just starting.
	Gone bool
	// Denied: the user may not list. The server has said so repeatedly, and it is not just starting.
	Denied bool
	// Emptied: the objects left the sink because the user may no longer list, or because the resource is gone, and
	// no list has been complete since.
	Emptied bool
	Version string // the last that was reached
	Tally   Tally  // of the changes up to that version
	// AsOf is when the objects were saved, while they are those of an earlier run. Restored is whether
	// they have been since the first list.
	AsOf     time.Time
	Restored bool
	// WasOf is AsOf before the last list was complete: until that is in the sink's store, its objects are of then.
	WasOf time.Time
	// Encoding is that of the objects: protobuf, Table rows or JSON.
	Encoding wire.Encoding
	Err      error // the last one; nil once something works again

	Events   uint64 // objects and bookmarks that came, without those of checks
	Bytes    uint64 // of all that came
	Resumes  int    // watches opened at a version that was reached before
	Relists  int    // whole lists after the first
	Idles    int    // watches given up because nothing came, not even bookmarks
	Rejected int    // objects and bookmarks that could not be read
	Unread   int    // objects that could not be read since the last list began; the store lacks them
	LastBad  error

	// Stalls is how often a stream had to wait for credit.
	Stalls int
	// Probes counts requests for the server's newest version, Audits complete comparisons of
	// the store with the server, and Rewinds servers that were another or had another history.
	Probes, Audits, Rewinds int
	// Cluster is the name of the cluster that the list came from. Unchecked is why it is
	// unknown, and Unaudited why a comparison failed.
	Cluster              string
	Unchecked, Unaudited error
	// Audited is when the store was last compared, and Differences how many comparisons that
	// Audit requested found another list than the server's.
	Audited     time.Time
	Differences int
	// Relistings are why the last whole lists after the first were requested, oldest first. The
	// slice is never changed.
	Relistings []Relisting
}

// Relisting is why a whole list was requested anew.
type Relisting struct {
	At    time.Time
	Cause Cause
}

// State returns the current state.
func (r *Reflector[T]) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Stalls += stallsOf(r.stream)
	return s
}

// stallsOf returns how often a stream had to wait for credit, if it knows.
func stallsOf(s Stream) int {
	if counts, ok := s.(interface{ Stalls() int }); ok {
		return counts.Stalls()
	}
	return 0
}

// TakeApplying returns the longest that events took from the stream into the store since the last
// call.
func (r *Reflector[T]) TakeApplying() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	longest := r.applying
	r.applying = 0
	return longest
}

// applied notes that a batch which came at a time is in the store.
func (r *Reflector[T]) applied(came time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.applying = max(r.applying, time.Since(came))
}

// Age returns the time since the apiserver's last sign of life on the open stream, and whether a
// stream is open.
func (r *Reflector[T]) Age(now time.Time) (time.Duration, bool) {
	stream := r.openStream()
	if stream == nil {
		return 0, false
	}
	return stream.Age(now), true
}

// Paused reports whether the open stream is paused because the user's permission could not be confirmed.
func (r *Reflector[T]) Paused() bool { return Paused(r.openStream()) }

// Paused reports whether a stream is paused because the user's permission could not be confirmed, if it knows.
func Paused(s Stream) bool {
	pauses, ok := s.(interface{ Paused() bool })
	return ok && pauses.Paused()
}

// Full returns for how long events have come on the open stream faster than they were applied.
func (r *Reflector[T]) Full(now time.Time) time.Duration {
	if fills, ok := r.openStream().(interface {
		Full(now time.Time) time.Duration
	}); ok {
		return fills.Full(now)
	}
	return 0
}

// openStream returns the open stream, or nil.
func (r *Reflector[T]) openStream() Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream
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

// setPhase sets the phase. Watching also clears earlier errors, and AsOf.
func (r *Reflector[T]) setPhase(p Phase) {
	r.change(func(s *State) {
		s.Phase = p
		if p == Watching {
			s.Err, s.Watched, s.Polled, s.Unwatched, s.AsOf = nil, true, 0, nil, time.Time{}
		}
	})
}

// countBytes and countEvents add to the counters. Those change too often to call Options.Changed.
func (r *Reflector[T]) countBytes(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Bytes += uint64(n)
}

func (r *Reflector[T]) countEvents(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Events += uint64(n)
}

// setVersion sets the version that was reached, and the tally, without a call of Options.Changed.
func (r *Reflector[T]) setVersion() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Version, r.state.Tally = r.position.version, r.tally
}

// setStream sets the open stream, or nil. Age returns its age.
func (r *Reflector[T]) setStream(s Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s == r.stream {
		return // the watch that goes on after its list
	}
	r.state.Stalls += stallsOf(r.stream)
	r.stream = s
	if s != nil && r.state.Encoding != wire.EncodingTable {
		r.state.Encoding = s.Encoding()
	}
}

// Cause is a short reason for a whole list after the first. It names no object.
type Cause string

// The causes.
const (
	causeExpired    Cause = "version expired"
	causeTooLarge   Cause = "version unknown to the apiserver"
	causeOutrun     Cause = "too many changes to resume"
	causeDifference Cause = "self-audit found a difference"
	causeHistory    Cause = "apiserver was restored or replaced"
	causePolled     Cause = "polled"
	causeDenied     Cause = "permission denied"
	causeAbsent     Cause = "resource not found"
	causeShort      Cause = "watches ended immediately"
	causeColumns    Cause = "columns changed"
	causeUnreadable Cause = "unreadable event"
	causeFailed     Cause = "watch failed"
)

// causeOf returns the cause of a list after an error.
func causeOf(err error) Cause {
	status := wire.StatusOf(err)
	switch {
	case isHistoryError(err): // it may say which difference showed that
		return causeHistory
	case errors.As(err, new(difference)):
		return causeDifference
	case errors.Is(err, errColumns):
		return causeColumns
	case errors.Is(err, errBacklogTooLong):
		return causeOutrun
	case errors.Is(err, errWatchRefused):
		return causePolled
	case errors.Is(err, errShort):
		return causeShort
	case status == nil:
		return causeUnreadable
	case status.Expired():
		return causeExpired
	case status.VersionTooLarge():
		return causeTooLarge
	case status.NotFound():
		return causeAbsent
	case status.Denied():
		return causeDenied
	}
	return causeFailed
}

// maxRelistings is the maximum number of Relistings in State.
const maxRelistings = 5

// noteRelist notes that a list after the first is complete.
func (s *State) noteRelist(cause Cause) {
	s.Relists++
	kept := s.Relistings[max(len(s.Relistings)-maxRelistings+1, 0):]
	s.Relistings = append(append([]Relisting{}, kept...), Relisting{time.Now(), cause})
}
