package replay

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// find returns the stream of the record that answers a request at a moment.
func (r *Relay) find(q wire.Request, at time.Time) (on int, about history.Stream, status *wire.Status) {
	all := r.record.Streams()
	own, wide := -1, -1
	if out := r.leftOut(q); out != "" {
		return own, about, refusal(403, wire.ReasonForbidden, "namespace "+out+" was left out of the recording")
	}
	var elsewhere []string
	for i, s := range all {
		if s.Group != q.Group || s.Version != q.Version || s.Resource != q.Resource || q.Subresource != "" {
			continue
		}
		switch {
		case s.Namespace == "":
			wide = i
		case s.Namespace == q.Namespace:
			own = i
		default:
			elsewhere = append(elsewhere, s.Namespace)
		}
	}
	switch on = r.better(own, wide, at); {
	case on >= 0:
		return on, all[on], nil
	case elsewhere != nil:
		return on, about, refusal(403, wire.ReasonForbidden, kindName(q)+" were only recorded in "+strings.Join(elsewhere, ", "))
	}
	return on, about, refusal(403, wire.ReasonForbidden, kindName(q)+" were not recorded")
}

// leftOut returns the namespace that a request is about if it was left out of the recording; "" if it was not. That nothing
// is found there says nothing of the cluster.
func (r *Relay) leftOut(q wire.Request) string {
	namespace := q.Namespace
	if q.Group == "" && q.Resource == "namespaces" {
		namespace = q.Name
	}
	if named, _ := history.Without(r.record); slices.Contains(named, namespace) {
		return namespace
	}
	return ""
}

func kindName(q wire.Request) string { return object.Kind{Group: q.Group, Resource: q.Resource}.ID() }

// better returns which stream knows more of a namespace at a moment: its own, or that of the whole cluster. While
// one of them is open, the other is closed, and still has its last objects.
func (r *Relay) better(own, wide int, at time.Time) int {
	switch {
	case own < 0:
		return wide
	case wide < 0:
		return own
	case r.knownUntil(own, at).After(r.knownUntil(wide, at)):
		return own
	}
	return wide
}

// knownUntil returns the last moment, up to one, at which a stream was watched; zero if nothing is known of it. The
// ends of gaps are in them: a gap that is still open ends where the record does.
func (r *Relay) knownUntil(on int, at time.Time) time.Time {
	for _, g := range r.record.Gaps(on) {
		if at.Before(g.From) || at.After(g.To) {
			continue
		}
		switch g.Why {
		case history.Closed:
			return g.From
		case history.Dropped, history.Denied:
			return time.Time{}
		}
	}
	return at
}

// answers reports whether a stream answers a request at a moment. What another began must not go on with this one:
// the objects of the two may differ.
func (r *Relay) answers(on int, q wire.Request, at time.Time) bool {
	other, _, _ := r.find(q, at)
	return other == on
}
