package reflector

import (
	"errors"
	"io"

	"watchglass/internal/wire"
)

// errShort is a watch that ended at once, with nothing.
var errShort = errors.New("the watch ended at once")

// errIdle is a watch on which nothing comes any more, not even bookmarks.
var errIdle = errors.New("no events or bookmarks for too long")

// errBroken is a watch whose connection broke. Everything that came of it is complete, but the
// next answer may come from another server.
var errBroken = errors.New("the watch was interrupted")

// ending is how a watch ended, or why it could not be opened.
type ending uint8

const (
	// The next watch is opened at once.
	endedInTime  ending = iota
	brokeOff            // its connection broke
	fellSilent          // not even bookmarks came
	heldBack            // it was not answered, the first time
	disconnected        // the tab lost its connection; Open waits for the next

	// The list is fetched again at once.
	otherHistory // another server answers, or it was rewound
	drifted      // an audit found a difference
	expired      // the version is no longer kept
	outrun       // a list is faster
	unresumable  // another error that is not a Status

	// The next watch is opened after a wait, unless this goes on.
	endedAtOnce // with nothing
	absentKind  // there is no such resource
	noCache     // the server has no cache of the resource
	refused     // the user may not watch, or nobody may
	notServed   // something on the way failed it, or never answered it
	failedOnWay // on the way, or for a while; a list would not help

	// The list is fetched again after a wait.
	failedForGood
)

// endingOf classifies the error of a watch. The order matters if an error matches several cases: the
// Reflector's own errors come before the Status that they wrap.
func (r *Reflector[T]) endingOf(err error) ending {
	status := wire.StatusOf(err)
	switch {
	case errors.Is(err, errShort):
		return endedAtOnce
	case errors.Is(err, io.EOF):
		return endedInTime
	case errors.Is(err, errBroken):
		return brokeOff
	case errors.Is(err, errIdle):
		return fellSilent
	case unanswered(status) && r.learned.held == nothing:
		return heldBack
	case isAnother(err):
		return otherHistory
	case errors.As(err, new(difference)):
		return drifted
	case errors.Is(err, errOutrun):
		return outrun
	case errors.Is(err, errRelist), status == nil:
		return unresumable
	}
	return endingBy(status)
}

// endingBy classifies a Status that came instead of a watch.
func endingBy(status *wire.Status) ending {
	fromServer := status.Origin == wire.FromAPIServer
	switch {
	case status.Expired():
		return expired
	case status.Origin == wire.FromSocket && status.Transient():
		return disconnected
	case status.NotFound():
		return absentKind
	case status.TooManyRequests() && !status.Throttled():
		return noCache
	case status.Denied() && !status.Unauthorized(), status.Unwatchable():
		return refused
	case unserved(status):
		return notServed
	case !fromServer, status.Transient(), status.TooManyRequests(), status.Unauthorized():
		return failedOnWay
	}
	return failedForGood
}

// noteEnding notes what the end of a watch says about the server, and reports the endings that no
// wait reports.
func (r *Reflector[T]) noteEnding(how ending, err error) {
	if errors.Is(err, errBroken) || errors.Is(err, errIdle) {
		r.contact.raise(broken)
	}
	switch how {
	case brokeOff:
	case fellSilent:
		r.learned.held = bodies
		r.change(func(s *State) { s.Idles++ })
	case heldBack:
		r.learned.held = heads
		r.learned.unserved++
	case notServed:
		r.learned.unserved++
		return
	default:
		return
	}
	r.options.Failed(err)
}
