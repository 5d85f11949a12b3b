package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// state is how a pod fares; it reads as kubectl's STATUS column.
type state string

const (
	running      state = "Running"
	notReady     state = "Running, not ready"
	crashLoop    state = "CrashLoopBackOff"
	badImage     state = "ImagePullBackOff"
	unscheduled  state = "Pending"
	completed    state = "Completed"
	evicted      state = "Evicted"
	initializing state = "Init:0/1"
	terminating  state = "Terminating"
	creating     state = "ContainerCreating"
	outOfMemory  state = "OOMKilled"
)

// states and how many of 1,000 pods are in each.
var states = []struct {
	state state
	share int
}{
	{running, 900}, {crashLoop, 25}, {badImage, 15}, {unscheduled, 15}, {completed, 12}, {evicted, 8},
	{initializing, 8}, {terminating, 5}, {notReady, 5}, {creating, 4}, {outOfMemory, 3},
}

// drainFinalizer keeps the terminating pods, as a kubelet would by not answering.
const drainFinalizer = "watchglass.example.com/drain"

// pickState gives the first pods one state each, so that none is missing, and
// draws the others.
func pickState(i int, rng *rand.Rand, canInit bool) state {
	picked := running
	if i < len(states) {
		picked = states[i].state
	} else {
		n := rng.IntN(1000)
		for _, s := range states {
			if n -= s.share; n < 0 {
				picked = s.state
				break
			}
		}
	}
	if picked == initializing && !canInit {
		return running
	}
	return picked
}

// place is where a pod runs.
type place struct{ node, host, address string }

// samplePlace is in the cached field sets where a pod's own place belongs.
var samplePlace = place{node: "node", host: "192.0.2.1", address: "192.0.2.2"}

func (f *fleet) place(rng *rand.Rand) place {
	node := rng.IntN(f.options.Nodes)
	return place{
		node:    fmt.Sprintf("node-%04d", node+1),
		host:    fmt.Sprintf("10.0.%d.%d", node/250, 2+node%250),
		address: fmt.Sprintf("10.%d.%d.%d", 128+node>>8, node&0xff, 2+rng.IntN(250)),
	}
}

// kubeletFields works out which fields a kubelet owns of a pod in each state. They
// are the same for all pods that have, or do not have, init containers.
func kubeletFields(template *corev1.Pod) (map[state]string, error) {
	fields := map[state]string{}
	for _, s := range states {
		if s.state == unscheduled {
			continue // no kubelet knows of it
		}
		pod := template.DeepCopy()
		setStatus(pod, s.state, samplePlace, rand.New(rand.NewPCG(0, 0)))
		own := &corev1.Pod{Status: pod.Status}
		own.Status.QOSClass = "" // the apiserver's
		own.Status.Conditions = slices.DeleteFunc(own.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodScheduled // the scheduler's
		})
		text, err := fieldsOf(own, "status.conditions")
		if err != nil {
			return nil, fmt.Errorf("fields of %s: %w", statusManager, err)
		}
		fields[s.state] = text
	}
	return fields, nil
}

// run puts the pod on a node and in a state.
func (f *fleet) run(pod *corev1.Pod, s state, rng *rand.Rand) {
	at := f.place(rng)
	setStatus(pod, s, at, rng)
	manager, fields := "kube-scheduler", schedulerFields
	if s != unscheduled {
		pod.Spec.NodeName = at.node
		manager, fields = statusManager, strings.ReplaceAll(f.kubelet[hasInit(pod)][s], samplePlace.address, at.address)
	}
	if s == terminating {
		pod.Finalizers = []string{drainFinalizer}
		deleted, grace := metav1.NewTime(f.options.Now.Add(-time.Minute).Truncate(time.Second)), int64(30)
		pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &deleted, &grace
		pod.Generation = 2
	}
	reported := pod.CreationTimestamp.Add(20 * time.Second)
	pod.ManagedFields = append(pod.ManagedFields, managedEntry(manager, "status", reported, fields))
}

// schedulerFields is what a scheduler owns of a pod that it cannot place.
const schedulerFields = `{"f:status":{"f:conditions":{".":{},"k:{\"type\":\"PodScheduled\"}":` +
	`{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:message":{},"f:observedGeneration":{},"f:reason":{},"f:status":{},"f:type":{}}}}}`

// setStatus fills in the status of a pod in state s, as its kubelet reports it.
func setStatus(pod *corev1.Pod, s state, at place, rng *rand.Rand) {
	pod.Status = corev1.PodStatus{Phase: phaseOf(s), QOSClass: corev1.PodQOSGuaranteed}
	started := metav1.NewTime(pod.CreationTimestamp.Add(2 * time.Second))
	if s == unscheduled {
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			Message:            "0/40 nodes are available: 40 Insufficient memory. preemption: 0/40 nodes are available.",
			LastTransitionTime: started, ObservedGeneration: 1,
		}}
		return
	}
	pod.Status.StartTime = &started
	pod.Status.ObservedGeneration = 1
	pod.Status.Conditions = conditions(s, started)
	if s == evicted {
		pod.Status.Reason = "Evicted"
		pod.Status.Message = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 61324Ki."
		return
	}
	pod.Status.HostIP, pod.Status.HostIPs = at.host, []corev1.HostIP{{IP: at.host}}
	if s != creating && s != initializing {
		pod.Status.PodIP, pod.Status.PodIPs = at.address, []corev1.PodIP{{IP: at.address}}
	}
	for i := range pod.Spec.InitContainers {
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, initStatus(&pod.Spec.InitContainers[i], s, started, rng))
	}
	for i := range pod.Spec.Containers {
		own := s
		if i > 0 && (s == crashLoop || s == badImage || s == outOfMemory || s == notReady) {
			own = running // the sidecar is well
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, containerStatus(&pod.Spec.Containers[i], own, started, rng))
	}
}

func phaseOf(s state) corev1.PodPhase {
	switch s {
	case badImage, unscheduled, initializing, creating:
		return corev1.PodPending
	case completed:
		return corev1.PodSucceeded
	case evicted:
		return corev1.PodFailed
	}
	return corev1.PodRunning
}

// conditions are in the order in which a kubelet lists them.
func conditions(s state, at metav1.Time) []corev1.PodCondition {
	if s == evicted {
		return []corev1.PodCondition{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "TerminationByKubelet", LastTransitionTime: at, ObservedGeneration: 1,
				Message: "The node was low on resource: memory. Threshold quantity: 100Mi, available: 61324Ki."},
			condition(corev1.PodScheduled, true, "", at),
		}
	}
	up := s == running || s == terminating
	reason := "ContainersNotReady"
	if s == completed {
		reason = "PodCompleted"
	}
	return []corev1.PodCondition{
		condition(corev1.PodReadyToStartContainers, s != creating && s != completed, "", at),
		condition(corev1.PodInitialized, s != initializing, "ContainersNotInitialized", at),
		condition(corev1.PodReady, up, reason, at),
		condition(corev1.ContainersReady, up, reason, at),
		condition(corev1.PodScheduled, true, "", at),
	}
}

func condition(kind corev1.PodConditionType, holds bool, reason string, at metav1.Time) corev1.PodCondition {
	c := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at, ObservedGeneration: 1}
	if !holds {
		c.Status, c.Reason = corev1.ConditionFalse, reason
	}
	return c
}

func initStatus(c *corev1.Container, s state, at metav1.Time, rng *rand.Rand) corev1.ContainerStatus {
	if s == initializing {
		status := containerStatus(c, running, at, rng)
		status.Ready = false
		return status
	}
	return containerStatus(c, completed, at, rng)
}

// containerStatus is what a kubelet reports of one container.
func containerStatus(c *corev1.Container, s state, at metav1.Time, rng *rand.Rand) corev1.ContainerStatus {
	status := corev1.ContainerStatus{Name: c.Name, Image: c.Image}
	on := s == running || s == notReady || s == terminating
	status.Started = &on
	if s == badImage || s == creating || s == initializing {
		status.State.Waiting = waiting(s, c.Image)
		return status
	}
	status.Ready = s == running || s == terminating
	status.ImageID = fmt.Sprintf("%s@sha256:%016x%016x%016x%016x", strings.Split(c.Image, ":")[0], hash(c.Image), hash(c.Name), hash(c.Image+"1"), hash(c.Image+"2"))
	status.ContainerID = containerID(rng)
	ended := metav1.NewTime(at.Add(time.Minute))
	switch s {
	case crashLoop:
		status.RestartCount = 3 + int32(rng.ExpFloat64()*40)
		status.State.Waiting = waiting(s, c.Image)
		status.LastTerminationState.Terminated = terminated(1, "Error", status.ContainerID, at, ended)
	case completed:
		status.State.Terminated = terminated(0, "Completed", status.ContainerID, at, ended)
	case outOfMemory:
		status.RestartCount = 1
		status.State.Terminated = terminated(137, "OOMKilled", status.ContainerID, at, ended)
		status.LastTerminationState.Terminated = terminated(137, "OOMKilled", containerID(rng), at, at)
	default:
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: at}
		if rng.IntN(20) == 0 { // it failed once, and has been well since
			status.RestartCount = 1 + int32(rng.IntN(3))
			status.LastTerminationState.Terminated = terminated(1, "Error", containerID(rng), at, at)
		}
	}
	return status
}

func waiting(s state, image string) *corev1.ContainerStateWaiting {
	switch s {
	case crashLoop:
		return &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 5m0s restarting failed container"}
	case badImage:
		return &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: fmt.Sprintf("Back-off pulling image %q: ErrImagePull: not found", image)}
	case initializing:
		return &corev1.ContainerStateWaiting{Reason: "PodInitializing"}
	}
	return &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
}

func terminated(code int32, reason, id string, from, to metav1.Time) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, ContainerID: id, StartedAt: from, FinishedAt: to}
}

func containerID(rng *rand.Rand) string {
	return fmt.Sprintf("containerd://%016x%016x%016x%016x", rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64())
}

// hash is FNV-1a, for digests that are the same wherever an image runs.
func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}
