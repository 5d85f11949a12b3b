//go:build !js

package demo

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// activities are the things that happen to a cluster, each with its relative frequency.
var activities = []struct {
	weight float64
	run    func(*world)
}{
	{12, func(w *world) { w.rollOut(w.anyApp()) }},
	{0.5, func(w *world) { w.rollOut(w.anyDaemon()) }},
	{30, (*world).rescale},
	{30, func(w *world) { w.failReadiness(w.anyPod()) }},
	{10, func(w *world) { w.replaceHealthy(w.anyPod()) }},
	{6, func(w *world) { w.evict(w.anyPod()) }},
	{5, (*world).repair},
	{6, (*world).breakOne},
	{8, func(w *world) { w.disturbDatabase(pick(w.rng, w.databases)) }},
}

// lossEvery is how often a node is lost, whatever the size of the cluster.
const lossEvery = 4 * time.Minute

// standardPace returns the default writes per second for a number of pods: 6 for 400 pods, about
// 170 for 100,000.
func standardPace(pods int) float64 { return 6 * math.Pow(float64(pods)/400, 0.6) }

// scheduleActivities schedules everything that happens by itself. All writes count towards the
// pace, including those of nodes and those that follow from earlier steps. The next thing happens
// once the pace has room for it.
func (w *world) scheduleActivities() {
	pace := w.Pace
	if pace <= 0 {
		pace = standardPace(w.Pods)
	}
	between := max(time.Duration(8/pace*float64(time.Second)), 100*time.Millisecond)
	room, last, written := 0.0, w.now, w.store.Version()
	w.every(between, func() {
		version := w.store.Version()
		room += pace*w.now.Sub(last).Seconds() - float64(version-written)
		room = max(-pace*30, min(room, pace*3))
		last, written = w.now, version
		if room > 0 {
			w.runActivity()
		}
	})
	w.every(lossEvery, func() { w.loseNode(pick(w.rng, w.nodes)) })
}

// runActivity picks something at random and makes it happen.
func (w *world) runActivity() {
	var weights float64
	for _, o := range activities {
		weights += o.weight
	}
	n := w.rng.Float64() * weights
	for _, o := range activities {
		if n -= o.weight; n < 0 {
			o.run(w)
			return
		}
	}
}

// anyApp returns a random app of a team.
func (w *world) anyApp() *app {
	for {
		if a := pick(w.rng, w.apps); !a.system && a.namespace != "kube-system" {
			return a
		}
	}
}

// anyDaemon returns a random DaemonSet.
func (w *world) anyDaemon() *app {
	for {
		if a := pick(w.rng, w.apps); a.kind == daemonSet {
			return a
		}
	}
}

// anyPod returns a random pod of a team. It picks an app first, so that a large app is as likely
// as a small one and all teams have their share of trouble.
func (w *world) anyPod() *pod {
	for {
		if a := w.anyApp(); len(a.pods) > 0 {
			return pick(w.rng, a.pods)
		}
	}
}

// rescale changes the load of an app; its autoscaler follows.
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

// repair replaces a broken pod.
func (w *world) repair() {
	for range 200 {
		if p := w.anyPod(); p.broken && !p.dying {
			w.replace(p)
			return
		}
	}
}

// breakOne makes a pod start crashing.
func (w *world) breakOne() {
	if p := w.anyPod(); p.ready && !p.dying && p.node != nil && !p.node.lost {
		w.crashing(p, 1)
	}
}

func (a *app) scalerReference() corev1.ObjectReference {
	return corev1.ObjectReference{Kind: "HorizontalPodAutoscaler", Namespace: a.namespace, Name: a.name, APIVersion: "autoscaling/v2"}
}
