package source

import (
	"slices"

	"watchglass/internal/informer"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// Verdict is what may be said of a list by what is here of it. Each says more than the one before.
type Verdict byte

const (
	Refused Verdict = iota // it may not be read, or the server has no such kind
	Failing                // nothing of it is here: somebody answered that it can't be read
	Coming                 // not all of it is here
	Old                    // all of it is here as it was, which may have changed
	Unread                 // it is here as it is, but for objects that can't be read
	Polled                 // all of it is here as it was when it was last listed, which it is at intervals
	Live                   // all of it is here as it is
)

// Verdict returns what may be said of the list. Whoever says that something is known, missing or well has it from here.
func (s Status) Verdict() Verdict {
	switch {
	case s.Fresh == informer.Denied, s.Fresh == informer.Gone:
		return Refused
	case !s.Listed() && s.failed():
		return Failing
	case !s.Listed():
		return Coming
	case !s.Followed(), !s.State.AsOf.IsZero():
		return Old
	case s.State.Unread > 0:
		return Unread
	case s.Polled():
		return Polled
	}
	return Live
}

// failed reports whether somebody answered that the list can't be read. A tab that is offline does not know, and one
// that is throttled or waits for its turn will be answered.
func (s Status) failed() bool {
	return s.Cause != nil && s.Cause.Origin != wire.FromSocket && s.Fresh != informer.Offline && s.Fresh != informer.Throttled && !s.queued()
}

// Refused reports whether the list may not be read, or the server has no such kind.
func (s Status) Refused() bool { return s.Verdict() == Refused }

// Failing reports whether somebody answered that the list can't be read: it is refused, or every attempt to read it fails.
func (s Status) Failing() bool { return s.Verdict() <= Failing }

// Forbidden reports whether the rules forbid the user the list, for good: its objects were given up. A single refusal may
// come from an apiserver that has not loaded its rules yet, and a 401 says nothing about rules.
func (s Status) Forbidden() bool {
	return s.Fresh == informer.Denied && s.Cause != nil && s.Cause.Code == 403 && s.State.Objects == 0
}

// Whole reports whether what is missing from the list did not exist when the server was last heard: it is not that of the last
// visit, whose watch has yet to be resumed, and has no object that can't be read.
func (s Status) Whole() bool {
	return s.Verdict() >= Old && s.State.AsOf.IsZero() && s.State.Unread == 0
}

// states are those that a list has for the page, worst first.
var states = []string{
	string(informer.Denied), string(informer.Gone), string(informer.Offline), string(informer.Stale), string(informer.Throttled),
	string(informer.Connecting), string(informer.Syncing), view.Unread, view.Partial, string(informer.Live),
}

// Rank returns how good a state is: the worst has the lowest.
func Rank[S ~string](state S) int { return slices.Index(states, string(state)) }
