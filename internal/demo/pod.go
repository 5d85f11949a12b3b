//go:build !js

package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/internal/demo/store"
)

// pod is the state that the simulation needs of a pod; the rest is in its object.
type pod struct {
	app      *app
	revision *revision
	name     string
	uid      types.UID
	node     *node
	ip       string
	ready    bool
	dying    bool
	broken   bool // crashing, or cannot start
}

func (p *pod) key() store.Key { return store.Key{Namespace: p.app.namespace, Name: p.name} }

func (p *pod) reference() corev1.ObjectReference {
	return corev1.ObjectReference{Kind: "Pod", Namespace: p.app.namespace, Name: p.name, UID: p.uid, APIVersion: "v1"}
}

// inContainer returns a reference to the pod's main container.
func (p *pod) inContainer() corev1.ObjectReference {
	ref := p.reference()
	ref.FieldPath = "spec.containers{" + p.app.role + "}"
	return ref
}

// newPod creates a pod of an app and its object, in phase Pending.
func (w *world) newPod(a *app, at metav1.Time) (*pod, *corev1.Pod) {
	r := a.revision
	p := &pod{app: a, revision: r, name: w.podName(a, r), uid: newUID(w.rng)}
	a.pods = append(a.pods, p)
	o := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: a.namespace, Name: p.name, GenerateName: generateName(p.name), UID: p.uid, CreationTimestamp: at, Labels: r.labels,
			Annotations: map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9090"}, OwnerReferences: a.controller(r), Generation: 1,
			ManagedFields: []metav1.ManagedFieldsEntry{
				managed("kube-controller-manager", "", `{"f:metadata":{"f:generateName":{},"f:labels":{},"f:ownerReferences":{}},"f:spec":{"f:containers":{}}}`, at),
				managed("kubelet", "status", `{"f:status":{"f:conditions":{},"f:containerStatuses":{},"f:phase":{}}}`, at),
			},
		},
		Spec:   r.spec,
		Status: corev1.PodStatus{Phase: corev1.PodPending, QOSClass: corev1.PodQOSBurstable},
	}
	if a.kind == statefulSet {
		claim := corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-" + p.name}}}
		o.Spec.Volumes = append(slices.Clip(o.Spec.Volumes), claim)
		o.Spec.Hostname, o.Spec.Subdomain, o.GenerateName = p.name, a.name, a.name+"-"
	}
	return p, o
}

// address returns a new IP for the pod; a pod of a system app has its node's.
func (w *world) address(p *pod) string {
	if p.app.system {
		return p.node.ip
	}
	w.ips++
	return fmt.Sprintf("10.%d.%d.%d", 128+w.ips>>16&0x3f, w.ips>>8&0xff, w.ips&0xff)
}

// drop removes a pod from its app.
func (p *pod) drop() {
	p.app.pods = slices.DeleteFunc(p.app.pods, func(other *pod) bool { return other == p })
}

// condition sets a condition. Its transition time changes only with its status.
func condition(o *corev1.Pod, kind corev1.PodConditionType, yes bool, reason, message string, at metav1.Time) {
	c := corev1.PodCondition{Type: kind, Status: corev1.ConditionFalse, Reason: reason, Message: message, LastTransitionTime: at}
	if yes {
		c.Status = corev1.ConditionTrue
	}
	i := slices.IndexFunc(o.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
	if i < 0 {
		o.Status.Conditions = append(o.Status.Conditions, c)
		return
	}
	if o.Status.Conditions[i].Status == c.Status {
		c.LastTransitionTime = o.Status.Conditions[i].LastTransitionTime
	}
	o.Status.Conditions[i] = c
}

// setScheduled marks a pod as scheduled.
func setScheduled(o *corev1.Pod, n *node, at metav1.Time) {
	o.Spec.NodeName = n.name
	condition(o, corev1.PodScheduled, true, "", "", at)
}

// setUnschedulable marks a pod as unschedulable.
func setUnschedulable(o *corev1.Pod, message string, at metav1.Time) {
	condition(o, corev1.PodScheduled, false, corev1.PodReasonUnschedulable, message, at)
}

// setCreating marks a pod as accepted by its node, with its containers being created.
func setCreating(o *corev1.Pod, n *node, at metav1.Time) {
	s := &o.Status
	s.HostIP, s.HostIPs, s.StartTime = n.ip, []corev1.HostIP{{IP: n.ip}}, &at
	inits := len(o.Spec.InitContainers) > 0
	condition(o, corev1.PodReadyToStartContainers, false, "", "", at)
	condition(o, corev1.PodInitialized, !inits, "", "", at)
	notReady(o, at)
	waiting := func(c corev1.Container, reason string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: c.Name, Image: c.Image, Started: ptr(false), State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}
	}
	for _, c := range o.Spec.InitContainers {
		s.InitContainerStatuses = append(s.InitContainerStatuses, waiting(c, "ContainerCreating"))
	}
	for _, c := range o.Spec.Containers {
		reason := "ContainerCreating"
		if inits {
			reason = "PodInitializing"
		}
		s.ContainerStatuses = append(s.ContainerStatuses, waiting(c, reason))
	}
}

func notReady(o *corev1.Pod, at metav1.Time) {
	message := fmt.Sprintf("containers with unready status: [%s]", o.Spec.Containers[0].Name)
	condition(o, corev1.ContainersReady, false, "ContainersNotReady", message, at)
	condition(o, corev1.PodReady, false, "ContainersNotReady", message, at)
}

// setStarted marks a pod's containers as running.
func setStarted(o *corev1.Pod, ip string, at metav1.Time) {
	s := &o.Status
	s.Phase, s.PodIP, s.PodIPs = corev1.PodRunning, ip, []corev1.PodIP{{IP: ip}}
	condition(o, corev1.PodReadyToStartContainers, true, "", "", at)
	condition(o, corev1.PodInitialized, true, "", "", at)
	for i := range s.InitContainerStatuses {
		c := &s.InitContainerStatuses[i]
		c.Ready, c.ContainerID = true, containerID(o, i+100, 0)
		c.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: metav1.NewTime(at.Add(-time.Second)), FinishedAt: at, ContainerID: c.ContainerID}}
	}
	for i := range s.ContainerStatuses {
		setRunning(o, i, at)
	}
}

// setRunning marks a container as running.
func setRunning(o *corev1.Pod, i int, at metav1.Time) {
	c := &o.Status.ContainerStatuses[i]
	c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}
	c.Started, c.ContainerID = ptr(true), containerID(o, i, int(c.RestartCount))
	c.ImageID = c.Image[:strings.LastIndexByte(c.Image, ':')] + "@sha256:" + c.ContainerID[len("containerd://"):]
}

// containerID derives an ID from the pod's UID, the container's index and its restarts.
func containerID(o *corev1.Pod, container, restarts int) string {
	seed := uint64(restarts)<<8 | uint64(container)
	for _, b := range []byte(o.UID) {
		seed = (seed ^ uint64(b)) * 1099511628211
	}
	id := ""
	for range 4 {
		seed = (seed ^ seed>>29) * 0x9e3779b97f4a7c15
		id += fmt.Sprintf("%016x", seed)
	}
	return "containerd://" + id
}

// setReady marks a pod as ready.
func setReady(o *corev1.Pod, at metav1.Time) {
	for i := range o.Status.ContainerStatuses {
		o.Status.ContainerStatuses[i].Ready = true
	}
	condition(o, corev1.ContainersReady, true, "", "", at)
	condition(o, corev1.PodReady, true, "", "", at)
}

// setUnready marks a pod as failing its readiness probe.
func setUnready(o *corev1.Pod, at metav1.Time) {
	o.Status.ContainerStatuses[0].Ready = false
	notReady(o, at)
}

// setCrashed marks a pod's first container as terminated and waiting to be restarted.
func setCrashed(o *corev1.Pod, reason string, code int32, ran time.Duration, message string, at metav1.Time) {
	c := &o.Status.ContainerStatuses[0]
	ended := &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, StartedAt: metav1.NewTime(at.Add(-ran)), FinishedAt: at, ContainerID: c.ContainerID}
	if c.State.Running != nil {
		ended.StartedAt = c.State.Running.StartedAt
	}
	c.LastTerminationState = corev1.ContainerState{Terminated: ended}
	c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: message}}
	c.Ready, c.Started = false, ptr(false)
	notReady(o, at)
}

// setPullFailed marks a pod's image as one that cannot be pulled.
func setPullFailed(o *corev1.Pod, reason, message string) {
	o.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

// setFinished marks a pod as succeeded or failed.
func setFinished(o *corev1.Pod, code int32, at metav1.Time) {
	phase, reason, why := corev1.PodSucceeded, "Completed", "PodCompleted"
	if code != 0 {
		phase, reason, why = corev1.PodFailed, "Error", "PodFailed"
	}
	o.Status.Phase = phase
	for i := range o.Status.ContainerStatuses {
		c := &o.Status.ContainerStatuses[i]
		ended := &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, FinishedAt: at, StartedAt: at, ContainerID: c.ContainerID}
		if c.State.Running != nil {
			ended.StartedAt = c.State.Running.StartedAt
		}
		c.State, c.Ready, c.Started = corev1.ContainerState{Terminated: ended}, false, ptr(false)
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.ContainersReady, corev1.PodReady} {
		condition(o, kind, false, why, "", at)
	}
}

// setEvicted marks a pod as evicted by its node.
func setEvicted(o *corev1.Pod, at metav1.Time) {
	setFinished(o, 137, at)
	o.Status.Reason = "Evicted"
	o.Status.Message = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 61480Ki. Container " + o.Spec.Containers[0].Name + " was using 1893484Ki, request is 512Mi, has larger consumption of memory."
	condition(o, corev1.DisruptionTarget, true, "TerminationByKubelet", o.Status.Message, at)
}

// setTerminating marks a pod as terminating.
func setTerminating(o *corev1.Pod, at metav1.Time) {
	o.DeletionGracePeriodSeconds = ptr(int64(30))
	o.DeletionTimestamp = ptr(metav1.NewTime(at.Add(30 * time.Second)))
}
