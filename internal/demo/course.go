//go:build !js

package demo

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A pod's lifecycle, as timed steps: created, scheduled, containers created, running, ready;
// then terminating and deleted.

// start creates a pod and brings it up; then is called once it is ready.
func (w *world) start(a *app, then func(*pod)) *pod { return w.startOn(a, nil, then) }

// startOn is start for a pod that belongs on a node; nil is any.
func (w *world) startOn(a *app, n *node, then func(*pod)) *pod {
	p, o := w.newPod(a, w.stamp())
	w.put(o)
	switch a.kind {
	case deployment:
		about := corev1.ObjectReference{Kind: "ReplicaSet", Namespace: a.namespace, Name: p.revision.name, UID: p.revision.uid, APIVersion: "apps/v1"}
		w.normal(replicaSetCtl, about, "SuccessfulCreate", "Created pod: %s", p.name)
	case statefulSet:
		w.normal(statefulCtl, a.reference(), "SuccessfulCreate", "create Pod %s in StatefulSet %s successful", p.name, a.name)
	case daemonSet:
		w.normal(daemonCtl, a.reference(), "SuccessfulCreate", "Created pod: %s", p.name)
	}
	w.sync(a)
	w.after(w.about(200*time.Millisecond), func() {
		if n == nil {
			n = w.free()
		}
		w.schedulePod(p, n, then)
	})
	return p
}

// schedulePod schedules a pod onto a node and has the node start it.
func (w *world) schedulePod(p *pod, n *node, then func(*pod)) {
	if p.dying {
		return
	}
	if n.lost {
		n = w.free()
	}
	p.node = n
	w.change(p, func(o *corev1.Pod) { setScheduled(o, n, w.stamp()) })
	w.normal(scheduler, p.reference(), "Scheduled", "Successfully assigned %s/%s to %s", p.app.namespace, p.name, n.name)
	w.after(w.about(500*time.Millisecond), func() {
		w.change(p, func(o *corev1.Pod) { setCreating(o, n, w.stamp()) })
		w.after(w.about(2500*time.Millisecond), func() { w.pull(p, then) })
	})
}

// pull pulls the image, unless the pod is one that cannot start.
func (w *world) pull(p *pod, then func(*pod)) {
	if p.dying || p.broken {
		return
	}
	image := p.revision.spec.Containers[0].Image
	took := w.about(1800 * time.Millisecond).Round(time.Millisecond)
	w.normal(kubelet, p.inContainer(), "Pulled", "Successfully pulled image %q in %s (%s including waiting). Image size: %d bytes.", image, took, took, 40_000_000+len(image)*1_234_567)
	p.ip = w.address(p)
	w.change(p, func(o *corev1.Pod) { setStarted(o, p.ip, w.stamp()) })
	w.normal(kubelet, p.inContainer(), "Started", "Started container %s", p.app.role)
	w.sync(p.app)
	w.after(w.about(4*time.Second), func() { w.becomeReady(p, then) })
}

// becomeReady makes the pod's readiness probe succeed.
func (w *world) becomeReady(p *pod, then func(*pod)) {
	if p.dying || p.broken || p.node.lost {
		return
	}
	p.ready = true
	w.change(p, func(o *corev1.Pod) { setReady(o, w.stamp()) })
	w.sync(p.app)
	if then != nil {
		then(p)
	}
}

// stop terminates a pod; then is called once it is gone.
func (w *world) stop(p *pod, then func()) {
	if p.dying {
		return
	}
	p.dying = true
	w.change(p, func(o *corev1.Pod) { setTerminating(o, w.stamp()) })
	if p.node != nil && !p.node.lost {
		w.normal(kubelet, p.inContainer(), "Killing", "Stopping container %s", p.app.role)
	}
	w.sync(p.app)
	w.after(w.about(5*time.Second), func() { w.end(p, then) })
}

// end deletes a terminating pod once its node is reachable.
func (w *world) end(p *pod, then func()) {
	if p.node != nil && p.node.lost {
		w.after(w.about(5*time.Second), func() { w.end(p, then) })
		return
	}
	p.ready = false
	p.drop()
	remove[corev1.Pod](w, p.key())
	w.sync(p.app)
	if then != nil {
		then()
	}
}

// change updates a pod's object.
func (w *world) change(p *pod, change func(*corev1.Pod)) { update(w, p.key(), change) }

// replace terminates a pod and starts another, as its controller would.
func (w *world) replace(p *pod) {
	if p.app.kind == statefulSet { // the name must be free first
		w.stop(p, func() { w.start(p.app, nil) })
		return
	}
	w.stop(p, nil)
	if p.app.kind == deployment {
		w.start(p.app, nil)
	}
}

// addRunningPod creates a pod that has been running for a long time.
func (w *world) addRunningPod(a *app, n *node, at metav1.Time) *pod {
	p, o := w.newPod(a, at)
	p.node, p.ready = n, true
	p.ip = w.address(p)
	setScheduled(o, n, at)
	setCreating(o, n, at)
	began := metav1.NewTime(at.Add(4 * time.Second))
	restarts := 0
	for w.chance(12) && restarts < 6 { // the container restarted now and then
		restarts++
	}
	setStarted(o, p.ip, began)
	if restarts > 0 && w.now.Sub(at.Time) > 2*time.Hour {
		last := w.ago(time.Duration(w.rng.Int64N(int64(w.now.Sub(at.Time) - time.Hour))))
		setCrashed(o, "Error", 1, time.Hour, "", last)
		o.Status.ContainerStatuses[0].RestartCount = int32(restarts)
		setRunning(o, 0, metav1.NewTime(last.Add(2*time.Second)))
		condition(o, corev1.ContainersReady, false, "", "", last)
		condition(o, corev1.PodReady, false, "", "", last)
		began = metav1.NewTime(last.Add(7 * time.Second))
	}
	setReady(o, began)
	w.put(o)
	return p
}

// backOff is the wait before a crashed container is started again, by number of restarts.
var backOff = []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, 5 * time.Minute}

func wait(restarts int32) time.Duration { return backOff[min(int(restarts), len(backOff)-1)] }

func backOffMessage(p *pod, restarts int32) string {
	return fmt.Sprintf("back-off %s restarting failed container=%s pod=%s_%s(%s)", wait(restarts), p.app.role, p.name, p.app.namespace, p.uid)
}
