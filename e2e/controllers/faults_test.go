package controllers

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// withFault gives a pod a fault, an init container and a sidecar.
func withFault(fault string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Labels = map[string]string{cluster.FaultLabel: fault}
		p.Spec.InitContainers = []corev1.Container{{Name: "init", Image: "registry.example/init:1"}}
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "side", Image: "registry.example/side:1"})
	}
}

// columns returns what kubectl shows of a pod: ready containers, status and restarts.
func columns(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	fields := strings.Fields(stage.Kubectl(t, "get", "pod", "-n", pod.Namespace, pod.Name, "--no-headers")[0])
	return strings.Join(fields[1:4], " ")
}

func TestFaults(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	main := func(p *corev1.Pod) corev1.ContainerStatus { return p.Status.ContainerStatuses[0] }
	for _, test := range []struct {
		fault, columns string
		recovered      string // the columns without the fault; empty: the pod has ended
		event          string // reason
		is             func(*corev1.Pod) bool
	}{
		{cluster.CrashLoop, "1/2 CrashLoopBackOff 5", "2/2 Running 6", "BackOff", func(p *corev1.Pod) bool {
			last := main(p).LastTerminationState.Terminated
			want := fmt.Sprintf("back-off 2m40s restarting failed container=main pod=%s_%s(%s)", p.Name, p.Namespace, p.UID)
			return last.ExitCode == 1 && last.Reason == "Error" && main(p).State.Waiting.Message == want && p.Status.Phase == corev1.PodRunning
		}},
		{cluster.OOMKilled, "1/2 CrashLoopBackOff 5", "2/2 Running 6", "BackOff", func(p *corev1.Pod) bool {
			last := main(p).LastTerminationState.Terminated
			return last.ExitCode == 137 && last.Reason == "OOMKilled" && last.ContainerID != "" && !last.FinishedAt.IsZero()
		}},
		{cluster.ImagePull, "1/2 ImagePullBackOff 0", "2/2 Running 0", "Failed", func(p *corev1.Pod) bool {
			return strings.HasPrefix(main(p).State.Waiting.Message, `Back-off pulling image "registry.example/app:1": ErrImagePull: `) && p.Status.Phase == corev1.PodPending
		}},
		{cluster.ConfigError, "1/2 CreateContainerConfigError 0", "2/2 Running 0", "Failed", func(p *corev1.Pod) bool {
			return main(p).State.Waiting.Message == `configmap "main-config" not found`
		}},
		{cluster.NotReady, "1/2 Running 0", "2/2 Running 0", "Unhealthy", func(p *corev1.Pod) bool {
			c := podCondition(p, corev1.PodReady)
			return c.Reason == "ContainersNotReady" && c.Message == "containers with unready status: [main]" && *main(p).Started
		}},
		{cluster.Creating, "0/2 Init:0/1 0", "2/2 Running 0", "", func(p *corev1.Pod) bool {
			return main(p).State.Waiting.Reason == "ContainerCreating" && p.Status.PodIP == "" && p.Status.HostIP != "" && podCondition(p, corev1.PodReadyToStartContainers).Status == corev1.ConditionFalse
		}},
		{cluster.InitStuck, "0/2 Init:0/1 0", "2/2 Running 0", "", func(p *corev1.Pod) bool {
			return p.Status.InitContainerStatuses[0].State.Running != nil && podCondition(p, corev1.PodInitialized).Message == "containers with incomplete status: [init]"
		}},
		{cluster.InitCrashLoop, "0/2 Init:CrashLoopBackOff 5", "2/2 Running 0", "", func(p *corev1.Pod) bool {
			return p.Status.InitContainerStatuses[0].LastTerminationState.Terminated.ExitCode == 1
		}},
		{cluster.Evicted, "0/2 Error 0", "", "Evicted", func(p *corev1.Pod) bool {
			return p.Status.Phase == corev1.PodFailed && p.Status.Reason == "Evicted" && podCondition(p, corev1.DisruptionTarget).Reason == "TerminationByKubelet"
		}},
	} {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			pod := stage.Create(t, ns, test.fault, withFault(test.fault))
			// A pod that is being created may show in the same way.
			stage.WaitFor(t, "the pod has the fault, and shows as "+test.columns, func() bool { return columns(t, pod) == test.columns && test.is(getPod(t, pod)) })
			if test.event != "" {
				stage.WaitFor(t, "the kubelet's event", func() bool {
					events, err := stage.Admin.CoreV1().Events(ns).List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.uid=" + string(pod.UID) + ",source=kubelet"})
					if err != nil {
						t.Fatal(err)
					}
					return len(events.Items) == 1 && events.Items[0].Reason == test.event && events.Items[0].Type == "Warning"
				})
			}
			stage.Fault(t, pod, "")
			if test.recovered != "" {
				stage.WaitFor(t, "the pod recovers to "+test.recovered, func() bool { return columns(t, pod) == test.recovered })
			}
		})
	}
}

func TestFaultOfRunningPod(t *testing.T) {
	t.Parallel()
	pod := stage.Create(t, stage.Namespace(t), "one")
	waitReady(t, pod)
	for _, restarts := range []string{"5", "6"} { // its recovery is a restart
		stage.Fault(t, pod, cluster.CrashLoop)
		stage.WaitFor(t, "the pod crashes", func() bool { return columns(t, pod) == "0/1 CrashLoopBackOff "+restarts })
		stage.Fault(t, pod, "")
		waitReady(t, pod)
	}
}

func TestTerminating(t *testing.T) {
	t.Parallel()
	pod := stage.Create(t, stage.Namespace(t), "one", withFault(cluster.Terminating))
	waitReady(t, pod)
	if err := stage.Admin.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := columns(t, pod); got != "2/2 Terminating 0" {
		t.Errorf("the pod shows as %s", got)
	}
	stage.Fault(t, pod, "")
	stage.WaitFor(t, "the pod is gone", func() bool { return gone(t, pod) })
}

func TestManual(t *testing.T) {
	t.Parallel()
	pod := stage.Create(t, stage.Namespace(t), "one", func(p *corev1.Pod) { p.Labels = map[string]string{cluster.FaultLabel: cluster.Manual} })
	other := stage.Create(t, pod.Namespace, "other")
	waitReady(t, other) // the kubelets have seen both
	if status := getPod(t, pod).Status; status.StartTime != nil {
		t.Errorf("a kubelet wrote %+v", status)
	}
	stage.SetStatus(t, pod, corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "RunContainerError"}},
	}}})
	if got := columns(t, pod); got != "0/1 RunContainerError 0" {
		t.Errorf("the pod shows as %s", got)
	}
}

func TestReadyAfter(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	after := func(wait string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Annotations = map[string]string{cluster.ReadyAfter: wait} }
	}
	slow := stage.Create(t, ns, "slow", after("1h"))
	stage.WaitFor(t, "the slow pod is being created", func() bool { return columns(t, slow) == "0/1 ContainerCreating 0" })
	waitReady(t, stage.Create(t, ns, "quick", after("100ms")))
	if ready(getPod(t, slow)) {
		t.Error("the slow pod is ready")
	}
}
