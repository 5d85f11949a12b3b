package pane

import (
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/revision"
	"watchglass/internal/document"
)

// rollout is the rollout that a summary shows. Its lists are open only while one is in progress.
type rollout struct {
	lists  revisions
	on     bool
	looked time.Time
}

// follow opens or closes the lists for a version of the object.
func (r *rollout) follow(body document.Value, gone bool) {
	if r.on = !gone && revision.InProgress(body); r.on {
		r.lists.follow(body, true)
	} else {
		r.lists.close()
	}
}

// changed reports whether the rollout may be another. Time alone changes why pods are not ready.
func (r *rollout) changed(now time.Time) bool {
	return r.on && (r.lists.changed(now) || now.Sub(r.looked) >= whyEvery)
}

// read returns the rollout in progress, or nil.
func (r *rollout) read(now time.Time) *detail.Rollout {
	if !r.on {
		return nil
	}
	r.looked = now
	h := r.lists.history(now)
	if h.Rollout == nil || h.Loading {
		return nil
	}
	return &detail.Rollout{Rollout: *h.Rollout, Denied: h.Denied}
}
