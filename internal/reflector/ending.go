package reflector

import (
	"errors"
	"io"

	"watchglass/internal/wire"
)

// errShort is a watch that ended at once, with nothing.
var errShort = errors.New("the watch ended at once")

// errIdle is a watch to which not even bookmarks come any more.
var errIdle = errors.New("nothing has come for longer than bookmarks are apart")

// errBroken is a watch whose connection broke. All that came of it is whole, and the next answer
// may come from another server.
var errBroken = errors.New("the watch broke off")

// ending is how a watch ended, or why it could not be opened.
type ending uint8

const (
	// The next watch is opened at once.
	endedInTime  ending = iota
	brokeOff            // its connection did
	fellSilent          // not even bookmarks came
	heldBack            // it was not answered, the first time
	disconnected        // the tab is; Open waits for the connection

	// The list is fetched again at once.
	otherHistory // another server answers, or it was rewound
	expired      // the version is no longer kept
	unresumable  // for another reason that is no Status

	// The next watch is opened after a wait, unless this goes on.
	endedAtOnce // with nothing
	absentKind  // there is no such resource
	noCache     // the server has none of the resource
	refused     // the user may not watch, or nobody may
	notServed   // something on the way failed it, or never answered it
	failedOnWay // on the way, or for a while; no list mends it

	// The list is fetched again after a wait.
	failedForGood
)

// endingOf classifies the error of a watch. The order matters where an error is several: what the
// Reflector itself noted goes before the Status that it wraps.
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
	case errors.Is(err, errRelist), status == nil:
		return unresumable
	}
	return endingBy(status)
}

// endingBy classifies a Status that came in the place of a watch.
func endingBy(status *wire.Status) ending {
	fromServer := status.Origin == wire.FromAPIServer
	switch {
	case status.Expired():
		return expired
	case status.Origin == wire.FromSocket && status.Transient():
		return disconnected
	case status.NotFound():
		return absentKind
	case status.TooManyRequests() && fromServer && status.Reason != "": // its own word, and not that of a filter before it
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
