package focus

import (
	"slices"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/pane"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// followedObject is another object that a pane follows, of the same cluster or of another one.
type followedObject struct {
	live
	context string
	host    *paneHost
}

var _ pane.OtherObject = (*followedObject)(nil)

// Follow follows an object of a context; "" is the context of the open object.
func (h *paneHost) Follow(context string, of detail.Ref) pane.OtherObject {
	f := &followedObject{live: newLive(h.clusterOf(context), h.object.page, of), context: context, host: h}
	h.followed = append(h.followed, f)
	h.RequestUpdate()
	return f
}

// clusterOf returns the cluster of a context; "" is that of the open object.
func (h *paneHost) clusterOf(context string) *cluster.Cluster {
	if context == "" {
		return h.object.cluster
	}
	return h.object.page.ClusterOf(context)
}

// step reads what is new. After a change of user or cluster it starts over.
func (f *followedObject) step(now time.Time) {
	if c := f.host.clusterOf(f.context); c != f.cluster {
		f.release(true)
		f.live = newLive(c, f.page, f.named)
	}
	f.live.step(now)
}

// Kind returns the kind of the object; the zero Kind while it is not known.
func (f *followedObject) Kind() object.Kind { return f.kind }

// Version returns the object as it is, or last was. It has no Object while that is not known.
func (f *followedObject) Version() pane.Version {
	if f.object == nil {
		return pane.Version{}
	}
	return f.version(f.gone)
}

// State returns the state of the object, and its cause.
func (f *followedObject) State(now time.Time) (detail.State, *wire.Status) {
	link := f.cluster.Link()
	switch {
	case f.tracked != nil:
		return f.state(now)
	case f.absent != nil && link.Connected:
		return detail.Missing, f.absent
	case link.Err != nil && !link.Connected:
		return detail.Loading, &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: link.Err.Error()}
	}
	return detail.Loading, nil
}

// Close releases the object. Its source lingers.
func (f *followedObject) Close() {
	f.release(false)
	f.host.followed = slices.DeleteFunc(f.host.followed, func(other *followedObject) bool { return other == f })
}

// Clusters returns the cluster of the object and those of what its pane follows.
func (o *Object) Clusters() []*cluster.Cluster {
	all := []*cluster.Cluster{o.cluster}
	if o.host != nil {
		for _, f := range o.host.followed {
			all = append(all, f.cluster)
		}
	}
	return all
}
