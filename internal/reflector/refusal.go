package reflector

import (
	"time"

	"watchglass/internal/wire"
)

// refusals is how often in a row the user has to be refused, or there has to be no
// such resource, for it to be so: one may come of an apiserver that has not read its
// rules yet.
const refusals = 2

// refusal counts how often in a row the server said the same.
type refusal struct {
	since time.Time
	times int
}

// settles is how long a server that just came back has to say that the user may
// not, or that it has no such resource, for it to be so: one that starts knows
// neither all rules nor all paths.
const settles = 10 * time.Second

// said counts one more, and reports whether the server is past its start, as far as
// is known.
func (r *Reflector[T]) said(what *refusal, now time.Time) (settled bool) {
	if what.times++; what.times == 1 {
		what.since = now
	}
	return r.doubt != outage || now.Sub(what.since) >= settles
}

// answered notes that the user may, and that there is such a resource.
func (r *Reflector[T]) answered() {
	r.denied, r.absent, r.dropped = refusal{}, refusal{}, false
	r.setGone(false)
}

func (r *Reflector[T]) setGone(gone bool) {
	if r.State().Gone != gone {
		r.change(func(s *State) { s.Gone = gone })
	}
}

// refused drops what the user may no longer list, and what there is no longer.
// Bad credentials say nothing of either: what there is stays, and is not called
// live.
func (r *Reflector[T]) refused(err error) {
	status := wire.StatusOf(err)
	if status != nil && status.NotFound() {
		if r.isAbsent(time.Now()) && r.absent.times >= refusals {
			r.drop()
		}
		return
	}
	r.absent = refusal{}
	r.setGone(false)
	switch {
	case status == nil || !status.Denied() || status.Unauthorized():
		r.denied = refusal{}
		return
	case r.isDenied(time.Now()):
		r.drop()
	}
	r.unwatched = unwatched{} // a list is refused: it is no longer that alone
	r.change(func(s *State) { s.Polled = 0 })
}

// isDenied counts that the server said that the user may not, and reports whether
// that is to be believed.
func (r *Reflector[T]) isDenied(now time.Time) bool {
	settled := r.said(&r.denied, now)
	return settled && r.denied.times >= refusals
}

// isAbsent counts that the server said that it has no such resource, and reports
// whether that is to be believed.
func (r *Reflector[T]) isAbsent(now time.Time) bool {
	gone := r.said(&r.absent, now)
	r.setGone(gone)
	return gone
}

// drop empties the store, once.
func (r *Reflector[T]) drop() {
	if r.handed && !r.dropped {
		r.dropped = true
		r.options.Sink.Replace(nil, "")
		r.version = ""
		r.reach("")
	}
}
