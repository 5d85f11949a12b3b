package cluster

import (
	"context"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// writeTimeout is the longest a write may hold up its worker.
const writeTimeout = 10 * time.Second

// work makes the writes of one worker, in their order.
func (ch *Churn) work(ctx context.Context, jobs <-chan churnJob) {
	for job := range jobs {
		if ctx.Err() != nil {
			continue // not a failure: the churn is over
		}
		w := Write{Verb: job.verb, Namespace: job.pod.namespace, Name: job.pod.name}
		err := ch.write(ctx, job, &w)
		if err != nil {
			job.pod.pod = nil // look again the next time
			job.pod.gone.Store(job.verb == VerbCreate || apierrors.IsNotFound(err))
			if ctx.Err() != nil {
				continue
			}
		}
		ch.record(w, err)
	}
}

func (ch *Churn) write(ctx context.Context, job churnJob, w *Write) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	subject := job.pod
	if job.verb == VerbCreate {
		subject = job.model
	}
	if subject.pod == nil {
		pod, err := ch.store.get(ctx, subject.namespace, subject.name)
		if err != nil {
			return err
		}
		subject.pod = pod
	}
	if job.verb == VerbDelete && subject.pod.DeletionTimestamp != nil {
		// A finalizer would keep it: that is no deletion anybody sees.
		w.Verb = VerbStatus
	}
	next := change(w.Verb, subject.pod, job.pod.name)
	w.Sent = time.Now()
	pod, err := ch.store.write(ctx, w.Verb, next)
	w.Answered = time.Now()
	if err != nil {
		return err
	}
	job.pod.pod = pod
	if pod != nil {
		w.ResourceVersion = pod.ResourceVersion
	}
	return nil
}

// change is pod as it is to be written.
func change(verb Verb, pod *corev1.Pod, name string) *corev1.Pod {
	switch verb {
	case VerbStatus:
		pod = pod.DeepCopy()
		nextStatus(pod)
	case VerbLabel:
		pod = pod.DeepCopy()
		nextWave(pod)
	case VerbCreate:
		pod = sibling(pod, name)
	}
	return pod
}

// nextWave never leaves the label as it was, since that would make no event.
func nextWave(pod *corev1.Pod) {
	wave, _ := strconv.Atoi(pod.Labels["wave"]) // none is as good as 0
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["wave"] = strconv.Itoa((wave + 1) % 10)
}

// sibling is another pod of the same ReplicaSet.
func sibling(pod *corev1.Pod, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: pod.Namespace,
			GenerateName: pod.GenerateName, OwnerReferences: pod.OwnerReferences,
			Labels: pod.Labels, Annotations: pod.Annotations,
		},
		Spec: *pod.Spec.DeepCopy(),
	}
}

// nextStatus changes what kubectl prints of the pod: a pod that runs crashes with
// one more restart, any other one runs. A pod without a node stays pending and
// changes its reason.
func nextStatus(pod *corev1.Pod) {
	now := metav1.Now().Rfc3339Copy()
	if pod.Spec.NodeName == "" {
		if pod.Status.Reason == "" {
			pod.Status.Reason = "Preempting"
		} else {
			pod.Status.Reason = ""
		}
		return
	}
	if len(pod.Status.ContainerStatuses) == 0 {
		addContainerStatuses(pod)
	}
	first := &pod.Status.ContainerStatuses[0]
	crash := first.State.Running != nil
	pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodRunning, "", ""
	for i := range pod.Status.ContainerStatuses {
		on := true
		s := &pod.Status.ContainerStatuses[i]
		s.Ready, s.Started = true, &on
		s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
	}
	if crash {
		off := false
		first.Ready, first.Started = false, &off
		first.RestartCount++
		first.State = corev1.ContainerState{Waiting: waiting(crashLoop, first.Image)}
		first.LastTerminationState.Terminated = terminated(1, "Error", first.ContainerID, now, now)
	}
	setReady(pod, !crash, now)
}

func addContainerStatuses(pod *corev1.Pod) {
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, Image: c.Image})
	}
}

func setReady(pod *corev1.Pod, ready bool, now metav1.Time) {
	for _, kind := range []corev1.PodConditionType{corev1.PodReady, corev1.ContainersReady, corev1.PodInitialized} {
		c := condition(kind, ready || kind == corev1.PodInitialized, "ContainersNotReady", now)
		found := false
		for i := range pod.Status.Conditions {
			if old := &pod.Status.Conditions[i]; old.Type == kind {
				found = true
				if old.Status != c.Status {
					*old = c
				}
			}
		}
		if !found {
			pod.Status.Conditions = append(pod.Status.Conditions, c)
		}
	}
}
