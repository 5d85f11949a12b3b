//go:build !js

package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// revisionKey is the annotation with a Deployment's revision.
const revisionKey = "deployment.kubernetes.io/revision"

// keepRevisions is how many old revisions a workload keeps.
const keepRevisions = 3

func (a *app) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: a.namespace, Name: a.name, UID: a.uid, CreationTimestamp: a.created, Labels: a.labels(), Generation: int64(a.revision.number),
		Annotations:   map[string]string{"meta.helm.sh/release-name": a.name, "meta.helm.sh/release-namespace": a.namespace},
		ManagedFields: []metav1.ManagedFieldsEntry{managed("helm", "", `{"f:metadata":{"f:labels":{}},"f:spec":{"f:replicas":{},"f:template":{}}}`, a.created)},
	}
}

// podTemplate returns the template as its author writes it: controllers add a label to their pods.
func (a *app) podTemplate(r *revision) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: r.written}, Spec: r.template}
}

// replicaSetState is the state of a ReplicaSet that was last written.
type replicaSetState struct {
	all, ready       int32
	replicas, number int
}

// counts are the pod counts in a workload's status.
type counts struct{ all, ready, updated int32 }

func (a *app) count(of *revision) (c counts) {
	for _, p := range a.pods {
		if p.dying || of != nil && p.revision != of {
			continue
		}
		c.all++
		if p.ready {
			c.ready++
		}
		if p.revision == a.revision {
			c.updated++
		}
	}
	return c
}

// sync writes the app's status and endpoints after a short delay. Changes during the delay share
// the write.
func (w *world) sync(a *app) {
	if a.dirty {
		return
	}
	a.dirty = true
	w.after(200*time.Millisecond, func() {
		a.dirty = false
		w.balance(a)
		w.writeApp(a)
		w.writeEndpoints(a)
	})
}

// writeApp writes the workload and its revisions.
func (w *world) writeApp(a *app) {
	for _, r := range append(slices.Clip(a.old[max(0, len(a.old)-keepRevisions):]), a.revision) {
		if a.kind == deployment {
			w.writeReplicaSet(a, r)
		} else {
			w.writeControllerRevision(a, r)
		}
	}
	switch a.kind {
	case deployment:
		w.put(w.deployment(a))
	case statefulSet:
		w.put(a.statefulSet())
	case daemonSet:
		w.put(a.daemonSet())
	}
}

// writeReplicaSet writes a ReplicaSet if it has changed.
func (w *world) writeReplicaSet(a *app, r *revision) {
	c := a.count(r)
	is := replicaSetState{c.all, c.ready, r.replicas, r.number}
	if r.lastWritten == is {
		return
	}
	r.lastWritten = is
	labels := map[string]string{"pod-template-hash": r.hash}
	for name, value := range a.selector() {
		labels[name] = value
	}
	w.put(&appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: a.namespace, Name: r.name, UID: r.uid, CreationTimestamp: r.created, Labels: r.labels, Generation: 1,
			Annotations:     map[string]string{revisionKey: strconv.Itoa(r.number), "deployment.kubernetes.io/desired-replicas": strconv.Itoa(a.replicas)},
			OwnerReferences: owner("apps/v1", deployment, &metav1.ObjectMeta{Name: a.name, UID: a.uid}),
			ManagedFields:   []metav1.ManagedFieldsEntry{managed("kube-controller-manager", "", `{"f:spec":{"f:replicas":{}},"f:status":{"f:replicas":{}}}`, r.created)},
		},
		Spec:   appsv1.ReplicaSetSpec{Replicas: ptr(int32(r.replicas)), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: r.labels}, Spec: r.template}},
		Status: appsv1.ReplicaSetStatus{Replicas: c.all, FullyLabeledReplicas: c.all, ReadyReplicas: c.ready, AvailableReplicas: c.ready, ObservedGeneration: 1},
	})
}

// writeControllerRevision writes a ControllerRevision once: nothing of it changes.
func (w *world) writeControllerRevision(a *app, r *revision) {
	is := replicaSetState{number: r.number}
	if r.lastWritten == is {
		return
	}
	r.lastWritten = is
	template, err := json.Marshal(a.podTemplate(r))
	must(err)
	w.put(&appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: a.namespace, Name: r.name, UID: r.uid, CreationTimestamp: r.created, Labels: r.labels,
			OwnerReferences: owner("apps/v1", a.kind, &metav1.ObjectMeta{Name: a.name, UID: a.uid}),
			ManagedFields:   []metav1.ManagedFieldsEntry{managed("kube-controller-manager", "", `{"f:data":{},"f:revision":{}}`, r.created)},
		},
		Data:     runtime.RawExtension{Raw: fmt.Appendf(nil, `{"spec":{"template":{"$patch":"replace",%s}}`, template[1:])},
		Revision: int64(r.number),
	})
}

func (w *world) deployment(a *app) *appsv1.Deployment {
	c, quarter := a.count(nil), intstr.FromString("25%")
	d := &appsv1.Deployment{
		ObjectMeta: a.meta(),
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr(int32(a.replicas)), Selector: &metav1.LabelSelector{MatchLabels: a.selector()}, Template: a.podTemplate(a.revision),
			Strategy:             appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &quarter, MaxUnavailable: &quarter}},
			RevisionHistoryLimit: ptr(int32(10)), ProgressDeadlineSeconds: ptr(int32(600)),
		},
		Status: appsv1.DeploymentStatus{
			ObservedGeneration: int64(a.revision.number), Replicas: c.all, UpdatedReplicas: c.updated, ReadyReplicas: c.ready, AvailableReplicas: c.ready,
			UnavailableReplicas: max(0, int32(a.replicas)-c.ready),
		},
	}
	d.Annotations[revisionKey] = strconv.Itoa(a.revision.number)
	progress := appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, LastUpdateTime: w.stamp(), LastTransitionTime: a.created, Reason: "NewReplicaSetAvailable", Message: `ReplicaSet "` + a.revision.name + `" has successfully progressed.`}
	if a.busy || c.updated < int32(a.replicas) { // a pod that fails later is no rollout
		progress.Reason, progress.Message = "ReplicaSetUpdated", `ReplicaSet "`+a.revision.name+`" is progressing.`
	}
	available := appsv1.DeploymentCondition{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, LastUpdateTime: a.since, LastTransitionTime: a.since, Reason: "MinimumReplicasAvailable", Message: "Deployment has minimum availability."}
	if int(c.ready) < a.replicas-a.replicas/4 {
		available.Status, available.Reason, available.Message = corev1.ConditionFalse, "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
	}
	if old, ok := read[appsv1.Deployment](w, a.key()); ok && len(old.Status.Conditions) == 2 && old.Status.Conditions[0].Status != available.Status {
		a.since = w.stamp()
		available.LastUpdateTime, available.LastTransitionTime = a.since, a.since
	}
	d.Status.Conditions = []appsv1.DeploymentCondition{available, progress}
	return d
}

func (a *app) statefulSet() *appsv1.StatefulSet {
	c, current := a.count(nil), a.revision
	if a.busy {
		current = a.old[len(a.old)-1]
	}
	return &appsv1.StatefulSet{
		ObjectMeta: a.meta(),
		Spec: appsv1.StatefulSetSpec{
			Replicas: ptr(int32(a.replicas)), Selector: &metav1.LabelSelector{MatchLabels: a.selector()}, Template: a.podTemplate(a.revision), ServiceName: a.name,
			PodManagementPolicy: appsv1.OrderedReadyPodManagement, RevisionHistoryLimit: ptr(int32(10)),
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
				ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claimSpec(""), Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
			}},
		},
		Status: appsv1.StatefulSetStatus{
			ObservedGeneration: int64(a.revision.number), Replicas: c.all, ReadyReplicas: c.ready, AvailableReplicas: c.ready, CurrentReplicas: a.count(current).all, UpdatedReplicas: c.updated,
			CurrentRevision: current.name, UpdateRevision: a.revision.name, CollisionCount: ptr(int32(0)),
		},
	}
}

func (a *app) daemonSet() *appsv1.DaemonSet {
	c := a.count(nil)
	return &appsv1.DaemonSet{
		ObjectMeta: a.meta(),
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: a.selector()}, Template: a.podTemplate(a.revision), RevisionHistoryLimit: ptr(int32(10)),
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType},
		},
		Status: appsv1.DaemonSetStatus{
			ObservedGeneration: int64(a.revision.number), DesiredNumberScheduled: int32(a.replicas), CurrentNumberScheduled: c.all, UpdatedNumberScheduled: c.updated,
			NumberReady: c.ready, NumberAvailable: c.ready, NumberUnavailable: int32(a.replicas) - c.ready,
		},
	}
}
