//go:build !js

package demo

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// crashing makes a pod crash and restart in a loop until it is replaced.
func (w *world) crashing(p *pod, restarts int32) {
	p.broken = true
	w.crash(p, restarts)
}

// exits are the ways in which a container ends.
var exits = []struct {
	reason string
	code   int32
}{{"Error", 1}, {"Error", 1}, {"Error", 2}, {"OOMKilled", 137}, {"Error", 139}}

func (w *world) crash(p *pod, restarts int32) {
	if p.dying || p.node.lost {
		return
	}
	p.ready = false
	exit := exits[(len(p.name)+len(p.app.name))%len(exits)]
	w.change(p, func(o *corev1.Pod) {
		setCrashed(o, exit.reason, exit.code, 7*time.Second, backOffMessage(p, restarts), w.stamp())
		o.Status.ContainerStatuses[0].RestartCount = restarts
	})
	w.warn(kubelet, p.inContainer(), "BackOff", "Back-off restarting failed container %s in pod %s_%s(%s)", p.app.role, p.name, p.app.namespace, p.uid)
	w.sync(p.app)
	w.after(w.about(wait(restarts)), func() {
		if p.dying || p.node.lost {
			return
		}
		w.change(p, func(o *corev1.Pod) {
			o.Status.ContainerStatuses[0].RestartCount = restarts + 1
			setRunning(o, 0, w.stamp())
		})
		w.normal(kubelet, p.inContainer(), "Started", "Started container %s", p.app.role)
		w.after(w.about(6*time.Second), func() { w.crash(p, restarts+1) })
	})
}

// unpullable creates a pod whose image cannot be pulled.
func (w *world) unpullable(a *app) *pod {
	p, o := w.newPod(a, w.stamp())
	p.broken, p.node = true, w.free()
	setScheduled(o, p.node, w.stamp())
	setCreating(o, p.node, w.stamp())
	w.put(o)
	w.after(w.about(3*time.Second), func() { w.tryPull(p, 0) })
	return p
}

// tryPull fails to pull the image and retries with an increasing back-off.
func (w *world) tryPull(p *pod, tries int32) {
	if p.dying || p.node.lost {
		return
	}
	image := p.revision.spec.Containers[0].Image
	why := fmt.Sprintf("failed to pull and unpack image %q: failed to resolve reference %q: %s: not found", image, image, image)
	w.change(p, func(o *corev1.Pod) { setPullFailed(o, "ErrImagePull", "rpc error: code = NotFound desc = "+why) })
	w.warn(kubelet, p.inContainer(), "Failed", "Failed to pull image %q: %s", image, why)
	w.after(w.about(12*time.Second), func() {
		if p.dying {
			return
		}
		w.change(p, func(o *corev1.Pod) {
			setPullFailed(o, "ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %s", image, why))
		})
		w.normal(kubelet, p.inContainer(), "BackOff", "Back-off pulling image %q", image)
		w.after(w.about(wait(tries)), func() { w.tryPull(p, tries+1) })
	})
}

// unschedulable creates a pod that fits on no node. It repeats the event about every five
// minutes.
func (w *world) unschedulable(a *app) {
	p, o := w.newPod(a, w.stamp())
	p.broken = true
	message := fmt.Sprintf("0/%d nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: present}, %d Insufficient memory. preemption: 0/%d nodes are available: %d No preemption victims found for incoming pod.", len(w.nodes), len(w.nodes)-1, len(w.nodes), len(w.nodes))
	setUnschedulable(o, message, w.stamp())
	w.put(o)
	var say func()
	say = func() {
		if !p.dying {
			w.warn(scheduler, p.reference(), "FailedScheduling", "%s", message)
			w.after(w.about(5*time.Minute), say)
		}
	}
	say()
}

// evict makes a node evict a pod; another pod takes its place. The evicted pod stays for a while,
// as it would until somebody cleans up.
func (w *world) evict(p *pod) {
	if p.app.kind != deployment || !p.ready || p.dying {
		return
	}
	p.dying, p.ready = true, false
	w.warn(kubelet, p.reference(), "Evicted", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 61480Ki.")
	w.change(p, func(o *corev1.Pod) { setEvicted(o, w.stamp()) })
	p.drop()
	w.start(p.app, nil)
	w.after(w.about(10*time.Minute), func() { remove[corev1.Pod](w, p.key()) })
}

// failReadiness makes a pod fail its readiness probe for a while.
func (w *world) failReadiness(p *pod) {
	if !p.ready || p.dying {
		return
	}
	p.ready = false
	w.change(p, func(o *corev1.Pod) { setUnready(o, w.stamp()) })
	w.warn(kubelet, p.inContainer(), "Unhealthy", "Readiness probe failed: Get \"http://%s:8080/readyz\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)", p.ip)
	w.sync(p.app)
	w.after(w.about(8*time.Second), func() {
		if !p.broken {
			w.becomeReady(p, nil)
		}
	})
}
