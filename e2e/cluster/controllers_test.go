package cluster

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// labelled is a Stage that writes a message into pods with a label.
const labelled = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-labelled}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchLabels: {stage: own}
    matchExpressions:
    - {key: .status.message, operator: DoesNotExist}
  weight: 1
  steps:
  - patch: {subresource: status, root: status, template: 'message: from a stage'}
`

// runPod makes a pod and waits until it is ready.
func runPod(t *testing.T, client *kubernetes.Clientset, name string, labels map[string]string) *corev1.Pod {
	t.Helper()
	pods := client.CoreV1().Pods("default")
	pod, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = waitFor(bounded(t), name+" to be ready", func(ctx context.Context) error {
		if pod, err = pods.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return errNotReady(pod.Status)
	})
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

type errNotReady corev1.PodStatus

func (e errNotReady) Error() string { return (*corev1.PodStatus)(&e).String() }

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestControllers(t *testing.T) {
	c, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}()
	client := clientFor(t, c.Config())
	if _, err := c.StartControllers(t.Context(), ControllerOptions{SchedulerFlags: []string{"--no-such-flag"}}); err == nil ||
		!strings.Contains(err.Error(), "kube-scheduler.log") || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("the error of an unknown flag: %v", err)
	}
	for i, name := range []string{"first", "second"} { // the second finds the nodes of the first
		x, err := c.StartControllers(t.Context(), ControllerOptions{Nodes: 2 + i, Stages: []string{labelled}})
		if err != nil {
			t.Fatal(err)
		}
		if pids := x.PIDs(); len(pids) != 3 {
			t.Errorf("the programs %v run", pids)
		}
		runPod(t, client, name, nil)
		if pod := runPod(t, client, name+"-labelled", map[string]string{"stage": "own"}); pod.Status.Message != "from a stage" {
			t.Errorf("the test's own stage was not played: %v", pod.Status)
		}
		if i == 1 {
			if err := c.KillAPIServer(); err != nil {
				t.Fatal(err)
			}
			if err := c.StartAPIServer(t.Context()); err != nil {
				t.Fatal(err)
			}
			runPod(t, client, "after-restart", nil)
		}
		if err := x.Stop(); err != nil {
			t.Error(err)
		}
		if pids := x.PIDs(); len(pids) != 0 {
			t.Errorf("after Stop the programs %v run", pids)
		}
	}
	if out, err := c.Kubectl(t.Context(), "logs", "first"); err == nil {
		t.Errorf("the log server is stopped, and served %q", out)
	}
}
