//go:build !js

package demo

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/store"
)

// recorder keeps the Events. A repeated event increases a count. Beyond a maximum the oldest are
// deleted; in a real cluster they expire after an hour.
type recorder struct {
	most  int
	keys  []store.Key               // oldest first
	known map[eventKey]*occurrences // the kept ones
	of    map[store.Key]eventKey
	count int
}

// eventKey identifies an event: those with equal values are counted as one.
type eventKey struct {
	object          store.Key
	kind            string
	reason, message string
}

type occurrences struct {
	key   store.Key
	first metav1.Time
	count int32
}

// The components that report events.
const (
	scheduler     = "default-scheduler"
	kubelet       = "kubelet"
	deploymentCtl = "deployment-controller"
	replicaSetCtl = "replicaset-controller"
	statefulCtl   = "statefulset-controller"
	daemonCtl     = "daemonset-controller"
	jobCtl        = "job-controller"
	cronCtl       = "cronjob-controller"
	nodeCtl       = "node-controller"
	scalerCtl     = "horizontal-pod-autoscaler"
)

func (w *world) normal(from string, about corev1.ObjectReference, reason, message string, args ...any) {
	w.record(corev1.EventTypeNormal, from, about, reason, fmt.Sprintf(message, args...))
}

func (w *world) warn(from string, about corev1.ObjectReference, reason, message string, args ...any) {
	w.record(corev1.EventTypeWarning, from, about, reason, fmt.Sprintf(message, args...))
}

func (w *world) record(kind, from string, about corev1.ObjectReference, reason, message string) {
	r := &w.recorder
	if r.known == nil {
		r.known, r.of = map[eventKey]*occurrences{}, map[store.Key]eventKey{}
	}
	what := eventKey{store.Key{Namespace: about.Namespace, Name: about.Name}, about.Kind, reason, message}
	seen := r.known[what]
	if seen == nil {
		r.count++
		namespace := about.Namespace
		if namespace == "" {
			namespace = "default"
		}
		name := fmt.Sprintf("%s.%x", about.Name, w.now.UnixNano()+int64(r.count%1000))
		seen = &occurrences{key: store.Key{Namespace: namespace, Name: name}, first: w.stamp()}
		r.known[what], r.of[seen.key] = seen, what
		r.keys = append(r.keys, seen.key)
	}
	seen.count++
	w.put(w.eventObject(kind, from, about, what, seen))
	for len(r.keys) > r.most {
		oldest := r.keys[0]
		r.keys = r.keys[1:]
		delete(r.known, r.of[oldest])
		delete(r.of, oldest)
		remove[corev1.Event](w, oldest)
	}
}

// eventObject returns an Event in one of the two forms in use: the scheduler writes the newer
// one, with a series; everybody else writes the older one, with a count.
func (w *world) eventObject(kind, from string, about corev1.ObjectReference, what eventKey, seen *occurrences) *corev1.Event {
	e := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: seen.key.Namespace, Name: seen.key.Name, CreationTimestamp: seen.first, UID: w.uidOf("events", seen.key)},
		InvolvedObject: about, Reason: what.reason, Message: what.message, Type: kind, ReportingController: from,
	}
	if from == scheduler {
		now := metav1.NewMicroTime(w.now.Truncate(time.Microsecond))
		e.EventTime, e.Action, e.ReportingInstance = metav1.NewMicroTime(seen.first.Time), "Binding", scheduler+"-0"
		if seen.count > 1 {
			e.Series = &corev1.EventSeries{Count: seen.count, LastObservedTime: now}
		}
		return e
	}
	e.Source = corev1.EventSource{Component: from}
	e.FirstTimestamp, e.LastTimestamp, e.Count = seen.first, w.stamp(), seen.count
	return e
}
