//go:build !js

package demo

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/internal/demo/store"
)

// The kinds of workloads.
const (
	deployment  = "Deployment"
	statefulSet = "StatefulSet"
	daemonSet   = "DaemonSet"
)

// app is a workload and its pods.
type app struct {
	kind, namespace, name, team, role string
	uid                               types.UID
	created                           metav1.Time
	replicas                          int
	image                             string
	release                           [3]int
	sidecar, migrates                 bool
	system                            bool // part of the cluster itself

	revision *revision
	old      []*revision    // newest last
	helm     []helmRevision // newest last
	pods     []*pod
	slices   []string // its EndpointSlices
	busy     bool     // a rollout is running; until it ends, no other starts and the app is not scaled
	dirty    bool     // the status must be written
	since    metav1.Time
}

// revision is a pod template and the object that has it: a ReplicaSet for a Deployment, otherwise a
// ControllerRevision.
type revision struct {
	number      int
	name        string
	hash        string
	uid         types.UID
	created     metav1.Time
	replicas    int
	lastWritten replicaSetState
	template    corev1.PodSpec
	spec        corev1.PodSpec    // of its pods
	labels      map[string]string // of its pods
	written     map[string]string // labels of the template
}

func (a *app) key() store.Key { return store.Key{Namespace: a.namespace, Name: a.name} }

func (a *app) selector() map[string]string {
	return map[string]string{"app.kubernetes.io/name": a.role, "app.kubernetes.io/instance": a.name}
}

// labels returns the labels of all objects of the app.
func (a *app) labels() map[string]string {
	l := a.selector()
	l["app.kubernetes.io/version"], l["app.kubernetes.io/managed-by"], l["team"] = a.version(), "Helm", a.team
	return l
}

func (a *app) version() string {
	return fmt.Sprintf("%d.%d.%d", a.release[0], a.release[1], a.release[2])
}

func (a *app) reference() corev1.ObjectReference {
	return corev1.ObjectReference{Kind: a.kind, Namespace: a.namespace, Name: a.name, UID: a.uid, APIVersion: "apps/v1"}
}

// newApp returns an app without objects.
func (w *world) newApp(kind, namespace, team, role string) *app {
	a := &app{
		kind: kind, namespace: namespace, name: team + "-" + role, team: team, role: role, uid: newUID(w.rng),
		release: [3]int{1 + w.rng.IntN(4), w.rng.IntN(30), w.rng.IntN(10)}, sidecar: w.chance(15), migrates: kind == deployment && w.chance(10),
	}
	a.image = pick(w.rng, registries) + "/" + team + "/" + role
	// Ages range from hours to months. Most apps are old; a few are new.
	age := time.Duration(w.rng.ExpFloat64() * float64(30*24*time.Hour))
	a.created = w.ago(min(max(age, 3*time.Hour), 400*24*time.Hour))
	a.since = a.created
	return a
}

// revise gives the app a new template, created at the given time.
func (w *world) revise(a *app, at metav1.Time) {
	r := &revision{number: 1, hash: suffix(w.rng, 10), uid: newUID(w.rng), created: at}
	if a.revision != nil {
		r.number = a.revision.number + 1
		a.old = append(a.old, a.revision)
	}
	r.name = a.name + "-" + r.hash
	r.labels, r.written = a.labels(), a.labels()
	switch a.kind {
	case deployment:
		r.labels["pod-template-hash"] = r.hash
	default:
		r.labels["controller-revision-hash"] = r.name
	}
	a.revision = r
	r.template = a.template()
	r.spec = admitted(r.template, suffix(w.rng, 5))
}

// bump increments the release.
func (w *world) bump(a *app) {
	if w.chance(30) {
		a.release[1], a.release[2] = a.release[1]+1, 0
		return
	}
	a.release[2]++
}

// controller returns the owner reference of the app's pods.
func (a *app) controller(r *revision) []metav1.OwnerReference {
	if a.kind == deployment {
		return owner("apps/v1", "ReplicaSet", &metav1.ObjectMeta{Name: r.name, UID: r.uid})
	}
	return owner("apps/v1", a.kind, &metav1.ObjectMeta{Name: a.name, UID: a.uid})
}

// podName returns the next pod's name: an ordinal for a StatefulSet, otherwise a random suffix.
func (w *world) podName(a *app, r *revision) string {
	switch a.kind {
	case statefulSet:
		taken := map[string]bool{}
		for _, p := range a.pods {
			taken[p.name] = true
		}
		for i := 0; ; i++ {
			if name := fmt.Sprintf("%s-%d", a.name, i); !taken[name] {
				return name
			}
		}
	case daemonSet:
		return a.name + "-" + suffix(w.rng, 5)
	}
	return r.name + "-" + suffix(w.rng, 5)
}

// generateName returns a pod name without its last part; it is the pod's generateName.
func generateName(name string) string { return name[:strings.LastIndexByte(name, '-')+1] }
