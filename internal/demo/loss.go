//go:build !js

package demo

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// evictAfter is how long the pods of a lost node stay before they are evicted; recoverAfter is
// about how long the node stays lost. A real cluster waits five minutes; few people would watch
// a demo for that long.
const (
	evictAfter   = 25 * time.Second
	recoverAfter = 100 * time.Second
)

func (n *node) reference() corev1.ObjectReference {
	return corev1.ObjectReference{Kind: "Node", Name: n.name, UID: n.uid, APIVersion: "v1"}
}

// loseNode makes a node unreachable. Its pods become unready, then are evicted and start on other
// nodes. When the node returns, what is left of the old pods is deleted.
func (w *world) loseNode(n *node) {
	if n.lost {
		return
	}
	n.lost = true
	w.setNode(n, corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status.")
	w.normal(nodeCtl, n.reference(), "NodeNotReady", "Node %s status is now: NodeNotReady", n.name)
	on := w.podsOn(n)
	for i, p := range on {
		w.after(time.Duration(i)*20*time.Millisecond, func() { w.unreachable(p) })
	}
	w.after(evictAfter, func() {
		for i, p := range on {
			if p.app.kind != daemonSet && !p.dying {
				w.after(time.Duration(i)*60*time.Millisecond, func() { w.evictFromLostNode(p) })
			}
		}
	})
	w.after(w.about(recoverAfter), func() { w.recoverNode(n) })
}

func (w *world) unreachable(p *pod) {
	if !p.ready || p.dying {
		return
	}
	p.ready = false
	w.change(p, func(o *corev1.Pod) {
		condition(o, corev1.PodReady, false, "", "", w.stamp())
	})
	w.warn(nodeCtl, p.reference(), "NodeNotReady", "Node is not ready")
	w.sync(p.app)
}

func (w *world) evictFromLostNode(p *pod) {
	if p.dying {
		return
	}
	w.normal("taint-eviction-controller", p.reference(), "TaintManagerEviction", "Marking for deletion Pod %s/%s", p.app.namespace, p.name)
	w.replace(p)
}

// recoverNode makes a lost node reachable again.
func (w *world) recoverNode(n *node) {
	n.lost = false
	w.setNode(n, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status")
	w.normal(kubelet, n.reference(), "NodeReady", "Node %s status is now: NodeReady", n.name)
	for i, p := range w.podsOn(n) {
		switch {
		case p.dying:
		case p.broken:
			w.after(w.about(10*time.Second), func() { w.crash(p, 1) })
		default:
			w.after(time.Duration(i)*20*time.Millisecond, func() { w.becomeReady(p, nil) })
		}
	}
}

func (w *world) podsOn(n *node) (on []*pod) {
	for _, a := range w.apps {
		for _, p := range a.pods {
			if p.node == n {
				on = append(on, p)
			}
		}
	}
	return on
}

// setNode sets a node's Ready condition and the taints that follow from it.
func (w *world) setNode(n *node, ready corev1.ConditionStatus, reason, message string) {
	update(w, n.key(), func(o *corev1.Node) {
		for i := range o.Status.Conditions {
			c := &o.Status.Conditions[i]
			switch {
			case ready == corev1.ConditionUnknown, c.Type == corev1.NodeReady:
				c.Status, c.Reason, c.Message, c.LastTransitionTime = ready, reason, message, w.stamp()
			}
		}
		if ready == corev1.ConditionTrue {
			o.Status.Conditions = w.conditions(n, w.stamp())
		}
		var taints []corev1.Taint
		for _, t := range o.Spec.Taints {
			if t.Key != corev1.TaintNodeUnreachable {
				taints = append(taints, t)
			}
		}
		if ready == corev1.ConditionUnknown {
			for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute} {
				taints = append(taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: effect, TimeAdded: w.stampp()})
			}
		}
		o.Spec.Taints = taints
	})
}
