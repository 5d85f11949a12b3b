//go:build !js

package demo

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"watchglass/internal/demo/store"
)

// rollOut rolls out a new release of an app, a few pods at a time. Each lane of a Deployment starts a
// pod and, once it is ready, stops an old one; others replace their pods in place. One release of a
// Deployment in eight has a missing image: its first pod never starts, and the release is rolled back.
func (w *world) rollOut(a *app) {
	if a.busy || a.replicas == 0 {
		return
	}
	a.busy = true
	bad := a.kind == deployment && w.chance(12)
	w.bump(a)
	w.revise(a, w.stamp())
	w.pend(a, "pending-upgrade", w.stamp())
	w.prune(a)
	if a.kind != deployment {
		w.rollInPlace(a)
		return
	}
	a.revision.replicas = 1
	w.normal(deploymentCtl, a.reference(), "ScalingReplicaSet", "Scaled up replica set %s from 0 to 1", a.revision.name)
	if bad {
		w.failRollout(a)
		return
	}
	left := a.outdated()
	lanes := min(1+a.replicas/4, 8) // a quarter at once, but at most eight pods
	r := &rollout{world: w, app: a, left: left, open: lanes}
	for range lanes {
		r.next()
	}
}

// outdated returns the pods of former releases.
func (a *app) outdated() (left []*pod) {
	for _, p := range a.pods {
		if p.revision != a.revision && !p.dying {
			left = append(left, p)
		}
	}
	return left
}

// rollInPlace replaces the pods of a StatefulSet, the last first, or of a DaemonSet, on a tenth of its
// nodes at once.
func (w *world) rollInPlace(a *app) {
	left, lanes := a.outdated(), 1
	if a.kind == daemonSet {
		lanes += len(left) / 10
	} else {
		slices.SortFunc(left, func(p, q *pod) int { return strings.Compare(q.name, p.name) })
	}
	w.sync(a)
	r := &rollout{world: w, app: a, left: left, open: lanes}
	for range lanes {
		r.inPlace()
	}
}

// inPlace replaces one more pod, under its name or on its node.
func (r *rollout) inPlace() {
	if len(r.left) == 0 {
		r.closeLane()
		return
	}
	old := r.left[0]
	r.left = r.left[1:]
	proceed := r.once(r.inPlace)
	n, by := old.node, daemonCtl
	if r.app.kind == statefulSet {
		n, by = nil, statefulCtl
	}
	r.normal(by, r.app.reference(), "SuccessfulDelete", "Deleted pod: %s", old.name)
	r.stop(old, func() { r.startOn(r.app, n, func(*pod) { proceed() }) })
	r.after(time.Minute, proceed) // its node may be lost
}

// once returns a function that calls another, the first time it is called.
func (r *rollout) once(f func()) func() {
	done := false
	return func() {
		if !done {
			done = true
			f()
		}
	}
}

// closeLane ends the rollout with its last lane.
func (r *rollout) closeLane() {
	if r.open--; r.open == 0 {
		r.app.busy = false
		r.settle(r.app, "deployed", r.stamp())
		r.sync(r.app)
	}
}

// balance ends the surplus of a Deployment: a pod that is evicted while its successor starts, in a
// rollout, gets another one.
func (w *world) balance(a *app) {
	if a.kind != deployment || a.busy {
		return
	}
	var live []*pod
	for _, p := range a.pods {
		if !p.dying {
			live = append(live, p)
		}
	}
	slices.SortStableFunc(live, func(p, q *pod) int { return order(p.ready) - order(q.ready) }) // as a ReplicaSet does
	for _, p := range live[:max(0, len(live)-a.replicas)] {
		w.stop(p, nil)
	}
}

func order(ready bool) int {
	if ready {
		return 1
	}
	return 0
}

// rollout is a rollout in progress.
type rollout struct {
	*world
	app  *app
	left []*pod // pods of the old release
	open int    // open lanes
}

// next replaces one more pod; when none is left, its lane closes. One that is dying has been replaced
// already.
func (r *rollout) next() {
	r.left = slices.DeleteFunc(r.left, func(p *pod) bool { return p.dying })
	if len(r.left) == 0 {
		r.closeLane()
		return
	}
	old := r.left[0]
	r.left = r.left[1:]
	r.app.revision.replicas = r.app.replicas - len(r.left)
	old.revision.replicas = max(0, old.revision.replicas-1)
	proceed := r.once(func() {
		r.stop(old, nil)
		r.next()
	})
	r.start(r.app, func(*pod) { proceed() })
	r.after(30*time.Second, proceed) // the new pod may have been lost on the way
}

// failRollout is a rollout whose image cannot be pulled. It is rolled back after a while.
func (w *world) failRollout(a *app) {
	p := w.unpullable(a)
	w.sync(a)
	w.after(w.about(80*time.Second), func() {
		bad, good := a.revision, a.old[len(a.old)-1]
		w.normal(deploymentCtl, a.reference(), "DeploymentRollback", "Rolled back deployment %q to revision %d", a.name, good.number)
		good.number = bad.number + 1
		bad.replicas = 0
		w.settle(a, "failed", w.stamp())
		w.pend(a, "pending-rollback", w.stamp())
		w.settle(a, "deployed", w.stamp())
		a.old[len(a.old)-1], a.revision = bad, good
		w.stop(p, nil)
		a.busy = false
		w.sync(a)
	})
}

// prune deletes the oldest revisions.
func (w *world) prune(a *app) {
	for len(a.old) > keepRevisions {
		key := store.Key{Namespace: a.namespace, Name: a.old[0].name}
		if a.kind == deployment {
			remove[appsv1.ReplicaSet](w, key)
		} else {
			remove[appsv1.ControllerRevision](w, key)
		}
		a.old = a.old[1:]
	}
}

// scale changes the number of an app's replicas.
func (w *world) scale(a *app, to int, by string) {
	if a.busy || a.kind != deployment || to == a.replicas || to < 1 {
		return
	}
	from := a.replicas
	a.replicas, a.revision.replicas = to, to
	direction := "up"
	if to < from {
		direction = "down"
	}
	w.normal(scalerCtl, a.scalerReference(), "SuccessfulRescale", "New size: %d; reason: cpu resource utilization (percentage of request) %s target", to, by)
	w.normal(deploymentCtl, a.reference(), "ScalingReplicaSet", "Scaled %s replica set %s from %d to %d", direction, a.revision.name, from, to)
	for i := from; i < to; i++ {
		w.after(time.Duration(i-from)*100*time.Millisecond, func() { w.start(a, nil) })
	}
	surplus := from - to
	for _, p := range a.pods {
		if surplus > 0 && !p.dying && p.revision == a.revision {
			surplus--
			w.after(0, func() { w.stop(p, nil) })
		}
	}
	w.sync(a)
}
