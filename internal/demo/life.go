//go:build !js

package demo

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// happening is one of the things that befall a cluster, how often relative to
// the others, and about how many writes it makes.
type occasion struct {
	weight, writes float64
	happen         func(*world)
}

var occasions = []occasion{
	{12, 60, func(w *world) { w.roll(w.anyApp()) }},
	{30, 10, (*world).rescale},
	{30, 6, func(w *world) { w.blink(w.anyPod()) }},
	{10, 16, func(w *world) { w.replaceHealthy(w.anyPod()) }},
	{6, 14, func(w *world) { w.evict(w.anyPod()) }},
	{5, 14, (*world).repair},
	{6, 12, (*world).breakOne},
	{8, 2, func(w *world) { w.tend(pick(w.rng, w.bases)) }},
}

// lossEvery is how often a node is lost, whatever the size.
const lossEvery = 4 * time.Minute

// standardPace is about how many writes a second a cluster of a size makes: 4 of
// 400 pods, 170 of 100,000.
func standardPace(pods int) float64 { return 4 * math.Pow(float64(pods)/400, 0.68) }

// live plans all that is going to happen by itself.
func (w *world) live() {
	pace := w.Pace
	if pace <= 0 {
		pace = standardPace(w.Pods)
	}
	var weights, writes float64
	for _, o := range occasions {
		weights += o.weight
		writes += o.weight * o.writes
	}
	between := time.Duration(writes / weights / pace * float64(time.Second))
	w.every(between, func() {
		n := w.rng.Float64() * weights
		for _, o := range occasions {
			if n -= o.weight; n < 0 {
				o.happen(w)
				return
			}
		}
	})
	w.every(lossEvery, func() { w.lose(pick(w.rng, w.nodes)) })
}

// anyApp is an app of a team.
func (w *world) anyApp() *app {
	for {
		if a := pick(w.rng, w.apps); !a.system && a.namespace != "kube-system" {
			return a
		}
	}
}

// anyPod is a pod of a team. A large app is as likely as a small one, so that
// all teams have their share of trouble.
func (w *world) anyPod() *pod {
	for {
		if a := w.anyApp(); len(a.pods) > 0 {
			return pick(w.rng, a.pods)
		}
	}
}

// rescale has the load of an app change, and its autoscaler follow.
func (w *world) rescale() {
	if len(w.scales) == 0 {
		return
	}
	s := pick(w.rng, w.scales)
	s.load = max(15, min(130, s.load+w.rng.Int32N(61)-30))
	by, to := "below", s.app.replicas
	switch {
	case s.load > target+15:
		by, to = "above", min(s.max, s.app.replicas+1+s.app.replicas/5)
	case s.load < target-25:
		to = max(s.min, s.app.replicas-1-s.app.replicas/5)
	}
	if to != s.app.replicas {
		w.scale(s.app, to, by)
		s.load = target
	}
	w.writeScaler(s)
}

func (w *world) replaceHealthy(p *pod) {
	if p.ready && !p.dying {
		w.replace(p)
	}
}

// repair has somebody look after a broken pod.
func (w *world) repair() {
	for range 200 {
		if p := w.anyPod(); p.broken && !p.dying {
			w.replace(p)
			return
		}
	}
}

// breakOne has a pod begin to crash.
func (w *world) breakOne() {
	if p := w.anyPod(); p.ready && !p.dying && p.node != nil && !p.node.lost {
		w.crashing(p, 1)
	}
}

func (a *app) scalerReference() corev1.ObjectReference {
	return corev1.ObjectReference{Kind: "HorizontalPodAutoscaler", Namespace: a.namespace, Name: a.name, APIVersion: "autoscaling/v2"}
}
