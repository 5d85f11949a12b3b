package reflector

import (
	"time"

	"watchglass/internal/wire"
)

// minRefusals is how many refusals in a row are believed, of the user or of the resource: a
// single one may come from an apiserver that has not read its rules yet.
const minRefusals = 2

// settles is how long a server that just came back is given before its refusals are believed:
// while it starts it knows neither all rules nor all paths.
const settles = 10 * time.Second

// refusals are the answers that stay in the way of the whole source: as they say, the user may
// not list or watch, or there is no such resource. Lists and watches are counted together.
type refusals struct {
	denied, absent refusal
}

// refusal counts how often in a row the server gave the same answer.
type refusal struct {
	since time.Time
	times int
}

// count counts one more, the first of which came at now.
func (f *refusal) count(now time.Time) {
	if f.times++; f.times == 1 {
		f.since = now
	}
}

// settled reports whether the server is past its start, as far as is known.
func (r *Reflector[T]) settled(f refusal, now time.Time) bool {
	return r.contact.doubt != outage || now.Sub(f.since) >= settles
}

// answered notes that the user may list, and that there is such a resource.
func (r *Reflector[T]) answered() {
	r.refusals = refusals{}
	r.setGone(false)
	r.setDenied(false)
}

func (r *Reflector[T]) setGone(gone bool) {
	if r.State().Gone != gone {
		r.change(func(s *State) { s.Gone = gone })
	}
}

func (r *Reflector[T]) setDenied(denied bool) {
	if r.State().Denied != denied {
		r.change(func(s *State) { s.Denied = denied })
	}
}

// refused empties the sink if the user may no longer list, or if the resource is gone. Objects of an
// earlier run, which this one has not confirmed, go at the first refusal. Bad credentials say
// neither: the objects stay, and are not called live. A throttled request says nothing at all, so what was said
// before it stands.
func (r *Reflector[T]) refused(err error) {
	status := wire.StatusOf(err)
	if status != nil && status.Throttled() {
		return
	}
	if status != nil && status.NotFound() {
		if gone := r.countAbsent(time.Now()) && r.refusals.absent.times >= minRefusals; gone || r.unconfirmed() {
			r.drop()
		}
		return
	}
	r.refusals.absent = refusal{}
	r.setGone(false)
	if status == nil || !status.Denied() || status.Unauthorized() {
		r.refusals.denied = refusal{}
		r.setDenied(false)
		return
	}
	denied := r.countDenied(time.Now())
	if r.setDenied(denied); denied || r.unconfirmed() {
		r.drop()
	}
	r.learned.unwatched = r.initiallyUnwatched() // lists are refused as well: it is not polled
	r.change(func(s *State) { s.Polled, s.Unwatched = 0, nil })
}

// countDenied counts an answer that the user may not, and reports whether it is believed.
func (r *Reflector[T]) countDenied(now time.Time) bool {
	r.refusals.denied.count(now)
	return r.settled(r.refusals.denied, now) && r.refusals.denied.times >= minRefusals
}

// countAbsent counts an answer that there is no such resource, and reports whether the server is
// past its start. That is what State.Gone says.
func (r *Reflector[T]) countAbsent(now time.Time) bool {
	r.refusals.absent.count(now)
	gone := r.settled(r.refusals.absent, now)
	r.setGone(gone)
	return gone
}
