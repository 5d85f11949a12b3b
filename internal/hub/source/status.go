package source

import (
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Lease is a hold on the shared informer of a source.
type Lease = informer.Lease[*object.Object]

// Status is the state of a source at one moment.
type Status struct {
	State informer.State
	Fresh informer.Freshness
	Age   time.Duration
	Cause *wire.Status // what is wrong, if anything
}

// stater is a Lease or an Informer.
type stater interface {
	State(now time.Time) informer.State
}

// StatusOf returns the state of a source.
func StatusOf(of stater, link informer.Link, now time.Time) Status {
	s := Status{State: of.State(now)}
	s.Fresh, s.Age, s.Cause = informer.Fresh(s.State, link, now)
	return s
}

// Lacks returns the state as what rests on the source names it: stale rows whose requests are limited are throttled.
func (s Status) Lacks() string {
	if s.Fresh == informer.Stale && s.Cause != nil && s.Cause.Throttled() {
		return string(informer.Throttled)
	}
	return string(s.Fresh)
}

// Polled reports whether the source is stale only because it may not be watched and is
// relisted at intervals.
func (s Status) Polled() bool {
	return s.Fresh == informer.Stale && s.Cause != nil && s.Cause == s.State.Unwatched
}

// Followed reports whether the source is live, or is stale only because it is relisted at intervals.
func (s Status) Followed() bool { return s.Fresh == informer.Live || s.Polled() }

func (s Status) queued() bool { return s.Cause != nil && wire.IsQueued(s.Cause) }

// Why returns what is wrong, as what rests on the source says it; "" if nothing is. To wait for a turn is not.
func (s Status) Why() string {
	if s.Cause == nil || s.queued() {
		return ""
	}
	return s.Cause.Message
}

// Listed reports whether a list is in, and was not given up since because it is refused.
func (s Status) Listed() bool { return s.State.Synced && !s.State.Emptied }
