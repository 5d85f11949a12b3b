package problem

import (
	"slices"
	"strings"

	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
)

// UnlistedPods are the pods that the total of pods counts as not ready and that no row is about: they may still
// start, wait for what is no problem, or be left by a Job that has succeeded since.
type UnlistedPods struct {
	Pods  int
	Since int64    // unix seconds: when the first of them was created, restarted or ceased to be ready
	Names []string // of the first few, with their namespaces, in order
	Waits bool     // some are too young to be judged
}

// mostCounted is how many pods may be broken that are counted whenever somebody asks: more are counted once a second.
const mostCounted = 1000

// Unlisted returns the pods that no row is about, as of the last call of Changed.
func (e *Engine) Unlisted() (u UnlistedPods) {
	if e.counted == e.called && len(e.broken) > mostCounted {
		return e.unlisted
	}
	for key := range e.broken {
		namespace, name, _ := strings.Cut(key, "/")
		if r := e.records[facts.ID{Resource: kinds.Pods, Namespace: namespace, Name: name}]; r != nil && r.Object != nil && facts.Counts(kinds.Pods, r.kind.columns, r.Object) && !e.isListed(r) {
			_, lost := e.lost[r]
			u.add(r, e.called)
			u.Waits = u.Waits || lost
		}
	}
	e.unlisted, e.counted = u, e.called
	return u
}

// isListed reports whether a row is about a pod: one of its owner, or one of its node that is lost.
func (e *Engine) isListed(r *record) bool {
	if r.owner != nil && len(r.owner.rows) > 0 {
		return true
	}
	n := e.records[facts.ID{Resource: kinds.Nodes, Name: r.node()}]
	if n == nil || n.Object == nil || n.owner == nil { // an event names it, but it has not been listed, or it is gone
		return false
	}
	return facts.IsBad(kinds.Nodes, n.kind.columns, n.Object) && len(n.owner.rows) > 0
}

// add adds a pod.
func (u *UnlistedPods) add(r *record, now int64) {
	state := facts.ReadPod(r.kind.columns, r.Object)
	at := max(r.Object.Created(), state.Restarted)
	for i := range r.Causes {
		at = max(at, r.Causes[i].Since)
		u.Waits = u.Waits || r.Causes[i].Waits(now)
	}
	u.Pods, u.Since, u.Waits = u.Pods+1, rule.Sooner(u.Since, at), u.Waits || r.queued || r.readAt > now
	place, _ := slices.BinarySearch(u.Names, r.Object.Key())
	if u.Names = slices.Insert(u.Names, place, r.Object.Key()); len(u.Names) > text.MostNames {
		u.Names = u.Names[:text.MostNames]
	}
}
