package informer

import (
	"time"

	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Freshness is the named state of a source: how true what it shows is.
type Freshness string

// The states, worst first.
const (
	Denied     Freshness = "denied"     // the user may not
	Gone       Freshness = "gone"       // the server has no such resource
	Offline    Freshness = "offline"    // the browser has no network
	Stale      Freshness = "stale"      // what shows may be old
	Connecting Freshness = "connecting" // nothing has come yet
	Syncing    Freshness = "syncing"    // it is coming in
	Live       Freshness = "live"       // what shows is what the server has
)

// Link is the way to the proxy, as the source sees it.
type Link struct {
	Connected bool
	Heard     time.Time // when anything last came over it
	Online    bool      // the browser says it has a network
	Err       error
}

// Fresh works out the state of a source, the age of its last proof of life, and
// what is wrong, if something is. It never says live unless there is proof: an
// open watch, and both the proxy and the apiserver heard within StaleAfter.
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
	case !link.Online && (!link.Connected || now.Sub(link.Heard) > 3*wire.BeatEvery/2): // else a heartbeat knows better
		return Offline, age, &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonUnreachable, Message: "the browser says that it has no network"}
	case !link.Connected:
		return s.waiting(), age, unreachable(link.Err)
	case age > wire.StaleAfter && (s.Alive || s.Synced):
		return s.waiting(), age, silent(now.Sub(link.Heard))
	case s.polled(status) && s.Synced:
		return Stale, now.Sub(s.Listed), status
	case (s.Phase == reflector.Watching || s.polled(status)) && !s.Synced: // the list is in the queue, but not in the store yet
		return Syncing, age, nil
	case s.Phase == reflector.Watching:
		return Live, age, nil
	case s.Phase == reflector.Listing && !s.Watched && s.Polled == 0: // the whole list may be in, and its watch not open yet
		return Syncing, age, nil
	}
	return s.waiting(), age, status
}

// polled reports whether an error is no more than the reason why what there is cannot be
// followed by a watch, and is asked for every now and then: what it has was true a while ago.
func (s State) polled(status *wire.Status) bool {
	return s.Polled > 0 && status != nil && status == s.Unwatched
}

// waiting is the state of a source to which nothing comes: what it has is
// stale, if it has anything.
func (s State) waiting() Freshness {
	if s.Synced || s.Objects > 0 {
		return Stale
	}
	return Connecting
}

func unreachable(err error) *wire.Status {
	s := &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: "the proxy does not answer"}
	if err != nil {
		s.Message = err.Error()
	}
	return s
}

// silent says who has not been heard.
func silent(link time.Duration) *wire.Status {
	if link > wire.StaleAfter {
		return &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: "nothing has come from the proxy"}
	}
	return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "nothing has come from the apiserver"}
}
