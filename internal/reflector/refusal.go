package reflector

import (
	"time"

	"watchglass/internal/wire"
)

// refusals is how often in a row the user has to be refused for it to be so: one
// may come of an apiserver that has not read its rules yet.
const refusals = 2

// absent counts how often in a row the server said that it has no such resource.
type absent struct {
	since time.Time
	times int
}

// absentFor is how long a server that just came back has to say that it has no
// such resource for it to be so: one that starts knows the paths it was built
// with first, and all others after.
const absentFor = 10 * time.Second

// answered notes that the user may, and that there is such a resource.
func (r *Reflector[T]) answered() {
	r.denied, r.absent, r.dropped = 0, absent{}, false
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
	r.absent = absent{}
	r.setGone(false)
	switch {
	case status == nil || !status.Denied() || status.Unauthorized():
		r.denied = 0
	default:
		if r.denied++; r.denied >= refusals {
			r.drop()
		}
	}
}

// isAbsent counts that the server said that it has no such resource, and reports
// whether that is to be believed.
func (r *Reflector[T]) isAbsent(now time.Time) bool {
	if r.absent.times++; r.absent.times == 1 {
		r.absent.since = now
	}
	gone := r.doubt != outage || now.Sub(r.absent.since) >= absentFor
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
