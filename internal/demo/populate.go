//go:build !js

package demo

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// populate creates the cluster's initial objects.
func (w *world) populate() {
	w.addShared()
	for _, name := range []string{"default", "kube-system", "kube-node-lease", "kube-public", "monitoring"} {
		w.addNamespace(name, "")
	}
	w.addNodes()
	spaces := w.addTeams()
	for _, daemon := range [][2]string{{"kube-system", "kube-proxy"}, {"kube-system", "aws-node"}, {"monitoring", "node-exporter"}} {
		w.addDaemon(daemon[0], daemon[1])
	}
	w.addSystem("kube-system", "coredns", 2)
	w.addSystem("kube-system", "metrics-server", 1)
	w.addSystem("monitoring", "prometheus", 2)
	taken := map[string]bool{}
	for w.running() < w.Pods {
		s := spaces[w.spread(len(spaces))]
		base := pick(w.rng, roles)
		role := base
		for taken[s.name+"/"+role] { // large teams have several apps of a role
			role = base + "-" + suffix(w.rng, 2)
		}
		taken[s.name+"/"+role] = true
		w.addApp(s, role)
	}
	w.addAccess(spaces)
}

// teamNamespace is a team's namespace.
type teamNamespace struct{ name, team string }

func (w *world) addTeams() (spaces []teamNamespace) {
	for i := range min(60, 5+int(math.Sqrt(float64(w.Pods))/5.7)) {
		s := teamNamespace{teams[i%len(teams)], teams[i%len(teams)]}
		switch i / len(teams) {
		case 1:
			s.name += "-staging"
		case 2:
			s.name += "-dev"
		}
		spaces = append(spaces, s)
		w.addNamespace(s.name, s.team)
		w.addDatabase(s.name, s.team)
		for _, chore := range chores[:1+w.rng.IntN(3)] {
			w.addCron(s.name, s.team, chore)
		}
	}
	return spaces
}

// spread returns a random index below n that favours low ones, so that a few teams own most apps.
func (w *world) spread(n int) int {
	f := w.rng.Float64()
	return int(f * f * float64(n))
}

func (w *world) running() (n int) {
	for _, a := range w.apps {
		n += len(a.pods)
	}
	return n
}

func (w *world) addDaemon(namespace, name string) {
	a := w.newApp(daemonSet, namespace, "platform", name)
	a.name, a.system, a.sidecar, a.image = name, true, false, "registry.k8s.io/"+name
	w.revise(a, a.created)
	w.addHistory(a)
	w.apps = append(w.apps, a)
	a.replicas = len(w.nodes)
	for _, n := range w.nodes {
		at := a.revision.created
		if n.created.After(at.Time) {
			at = n.created
		}
		w.addRunningPod(a, n, at)
	}
	w.addConfig(a)
	w.addReleases(a)
	w.writeApp(a)
}

func (w *world) addSystem(namespace, name string, replicas int) {
	a := w.newApp(deployment, namespace, "platform", name)
	a.name, a.sidecar, a.migrates, a.image, a.replicas = name, false, false, "registry.k8s.io/"+name, replicas
	w.populateApp(a)
}

// addApp creates an app of a team with all its pods, some of them broken.
func (w *world) addApp(s teamNamespace, role string) {
	kind := deployment
	if w.chance(12) {
		kind = statefulSet
	}
	a := w.newApp(kind, s.name, s.team, role)
	mean := 4 + math.Sqrt(float64(w.Pods))/16
	a.replicas = 1 + int(w.rng.ExpFloat64()*mean)
	if kind == statefulSet {
		a.replicas = 1 + a.replicas%5
	}
	w.populateApp(a)
	if kind == deployment && w.chance(35) {
		w.addScaler(a)
	}
}

// populateApp creates an app's objects, including those of past revisions.
func (w *world) populateApp(a *app) {
	w.apps = append(w.apps, a)
	w.revise(a, a.created)
	w.addHistory(a)
	a.revision.replicas = a.replicas
	for range a.replicas {
		w.populatePod(a)
	}
	w.addConfig(a)
	w.addReleases(a)
	w.addService(a)
	w.writeApp(a)
	w.writeEndpoints(a)
	for _, r := range a.old {
		r.spec = corev1.PodSpec{} // large, and no longer used
	}
}

// addHistory gives an app releases of the past.
func (w *world) addHistory(a *app) {
	for range w.rng.IntN(keepRevisions + 1) {
		w.bump(a)
		w.revise(a, w.between(a.revision.created))
	}
}

// between returns a random time between from and now.
func (w *world) between(from metav1.Time) metav1.Time {
	return w.ago(time.Duration(w.rng.Float64() * float64(w.now.Sub(from.Time))))
}

// populatePod creates a pod that has existed for a while. Most are healthy.
func (w *world) populatePod(a *app) {
	at := a.revision.created
	if w.chance(40) { // moved or added since
		at = w.between(at)
	}
	switch n := w.rng.Float64() * w.failureScale(); {
	case n < 2:
		w.crashing(w.addRunningPod(a, w.free(), at), 3+w.rng.Int32N(40))
	case n < 3:
		w.unpullable(a)
	case n < 3.6:
		w.unschedulable(a)
	default:
		p := w.addRunningPod(a, w.free(), at)
		if a.kind == statefulSet {
			w.addVolume(p, at)
		}
		if w.chance(0.4) {
			p.ready = false
			w.change(p, func(o *corev1.Pod) { setUnready(o, w.stamp()) })
		}
	}
}

// failureScale returns how many pods there are for every two that crash: 100 at the standard size,
// and more in a larger cluster, because each crashing pod causes writes again and again.
func (w *world) failureScale() float64 { return 100 * math.Pow(float64(w.Pods)/standardPods, 0.15) }
