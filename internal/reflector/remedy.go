package reflector

import (
	"context"
	"time"

	"watchglass/internal/wire"
)

// remedy is what is done about a watch that ended, or that could not be opened.
type remedy uint8

const (
	watchNow    remedy = iota // open the next watch at once
	watchLater                // open the next watch after a wait
	listNow                   // list again, without a wait for this error
	listLater                 // list again after a wait
	pollInstead               // wait for the next list: watches are refused
)

// later chooses between the two remedies that wait.
func later(watch bool) remedy {
	if watch {
		return watchLater
	}
	return listLater
}

// remedyFor returns what to do about the end of a watch, and the cause of the list if there is one.
func (r *Reflector[T]) remedyFor(ctx context.Context, how ending, err error, n watches) (remedy, error) {
	status, now := wire.StatusOf(err), time.Now()
	if r.unconfirmed() && (how == refused || how == absentKind) {
		return listNow, listAgain(err) // the list says at once whether the objects may be shown
	}
	switch how {
	case endedInTime, brokeOff, fellSilent, heldBack, disconnected:
		return watchNow, nil
	case otherHistory:
		return listNow, r.renew(err)
	case drifted:
		r.position.availability = unavailable // what the list before was read from may be wrong
		return listNow, listAgain(err)
	case unresumable:
		return listNow, err
	case expired:
		return listNow, listAgain(err)
	case outrun:
		return listNow, r.overtake(err)
	case endedAtOnce:
		return later(n.short < shortWatches), listAgain(err)
	case absentKind:
		return later(!r.countAbsent(now) || r.refusals.absent.times < minRefusals), listAgain(err)
	case noCache:
		r.noteCacheMissing(status, now)
		if cause := r.pollCause(); cause != nil {
			return pollInstead, cause
		}
		return later(!r.learned.unready.lists), listAgain(err)
	case refused:
		r.refusedWatch(status)
		if cause := r.pollCause(); cause != nil {
			return pollInstead, cause
		}
		return later(!r.countDenied(now)), listAgain(err)
	case notServed:
		return r.remedyUnserved(ctx)
	}
	return later(how == failedOnWay), listAgain(err)
}
