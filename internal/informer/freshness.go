package informer

import (
	"time"

	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Freshness is the state of a source: how current its data is.
type Freshness string

// The states, worst first.
const (
	Denied     Freshness = "denied"     // the user is not allowed to read it
	Gone       Freshness = "gone"       // the server has no such resource
	Offline    Freshness = "offline"    // the browser has no network
	Stale      Freshness = "stale"      // the data may be out of date
	Throttled  Freshness = "throttled"  // nothing has been received yet: requests are limited, and retried
	Connecting Freshness = "connecting" // nothing has been received yet
	Syncing    Freshness = "syncing"    // the initial list is being received
	Live       Freshness = "live"       // the data is what the server has
)

// Link is the state of the connection to the proxy.
type Link struct {
	Connected bool
	Heard     time.Time // when anything was last received over it
	Online    bool      // the browser says it has a network
	Err       error
}

// Fresh returns the state of a source, the age of its last sign of life, and the error, if there
// is one. It returns Live only with proof: an open watch that the store keeps up with, and signs of
// life from both the proxy and the apiserver within StaleAfter.
func Fresh(s State, link Link, now time.Time) (f Freshness, age time.Duration, cause *wire.Status) {
	age = max(now.Sub(link.Heard), 0)
	if s.Alive {
		age = max(age, s.Age)
	}
	status := wire.StatusOf(s.Err)
	switch {
	case s.Err != nil && status == nil:
		status = &wire.Status{Origin: wire.FromTab, Message: s.Err.Error()}
	case s.Phase == reflector.Watching:
		status = nil
	}
	switch {
	case status != nil && status.Denied() && !s.polled(status):
		return Denied, age, status
	case status != nil && status.NotFound() && s.Gone:
		return Gone, age, status
	case !link.Online && (!link.Connected || now.Sub(link.Heard) > 3*wire.BeatEvery): // otherwise a recent heartbeat proves the browser wrong
		return Offline, age, &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonUnreachable, Message: "the browser says that it has no network"}
	case !s.AsOf.IsZero(): // not current before a resumed watch opens, or a list is complete
		if !link.Connected {
			status = Unreachable(link.Err)
		}
		return s.waiting(), age, status
	case !link.Connected:
		return s.waiting(), age, Unreachable(link.Err)
	case age > wire.StaleAfter && (s.Alive || s.Synced):
		return s.waiting(), age, silent(now.Sub(link.Heard), s.Paused)
	case s.polled(status) && s.Synced:
		return Stale, now.Sub(s.Listed), status
	case (s.Phase == reflector.Watching || s.polled(status)) && !s.Synced: // the list is queued, but not in the store yet
		return Syncing, age, nil
	case s.Phase == reflector.Watching && (s.Replaced || s.Full > wire.StaleAfter): // what is shown is older than what has been read
		return s.waiting(), age, nil
	case s.Phase == reflector.Watching:
		return Live, age, nil
	case s.Phase == reflector.Listing && !s.Watched && s.Polled == 0: // the list may be complete, with its watch not open yet
		return Syncing, age, nil
	}
	if f = s.waiting(); f == Connecting && status != nil && status.Throttled() {
		f = Throttled
	}
	return f, age, status
}

// polled reports whether status is only the reason why the source is polled instead of watched.
// Its data was then current at the last poll.
func (s State) polled(status *wire.Status) bool {
	return s.Polled > 0 && status != nil && status == s.Unwatched
}

// waiting returns the state of a source that receives nothing: Stale if it has data, else
// Connecting.
func (s State) waiting() Freshness {
	if s.Synced || s.Objects > 0 {
		return Stale
	}
	return Connecting
}

// Unreachable returns a Status of a lost connection to the proxy.
func Unreachable(err error) *wire.Status {
	s := &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: "no response"}
	if err != nil {
		s.Message = err.Error()
	}
	return s
}

// silent returns a Status that says who has been silent, the proxy or the apiserver, or that the source is paused.
func silent(link time.Duration, paused bool) *wire.Status {
	switch {
	case link > wire.StaleAfter:
		return &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: "nothing received from the proxy"}
	case paused:
		return &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: "your permission to watch could not be confirmed"}
	}
	return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "nothing received from the apiserver"}
}
