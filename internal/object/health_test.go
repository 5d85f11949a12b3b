//go:build !js

package object

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"watchglass/internal/object/tone"
)

// TestHealth checks the states that kubectl's columns hide: a pod whose containers are ready but
// that is not, because of a readiness gate or a lost node, and a node under pressure.
func TestHealth(t *testing.T) {
	conditions := func(ready corev1.ConditionStatus) []corev1.PodCondition {
		return []corev1.PodCondition{{Type: corev1.ContainersReady, Status: "True"}, {Type: corev1.PodReady, Status: ready, Reason: "ReadinessGatesNotReady"}}
	}
	pod := func(change func(*corev1.PodStatus)) runtime.Object {
		p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "x"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}}}}
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: conditions("True"), ContainerStatuses: []corev1.ContainerStatus{{
			Name: "a", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}}
		change(&p.Status)
		return p
	}
	node := func(all ...corev1.NodeCondition) runtime.Object {
		return &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "x"}, Status: corev1.NodeStatus{Conditions: all}}
	}
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: "True"}
	for name, c := range map[string]struct {
		resource string
		object   runtime.Object
		want     tone.Tone
	}{
		"a ready pod":                      {"pods", pod(func(*corev1.PodStatus) {}), tone.OK},
		"its conditions are not known yet": {"pods", pod(func(s *corev1.PodStatus) { s.Conditions = nil }), tone.OK},
		"a closed gate":                    {"pods", pod(func(s *corev1.PodStatus) { s.Conditions = conditions("False") }), tone.Warning},
		"failed, though its container completed": {"pods", pod(func(s *corev1.PodStatus) {
			s.Phase, s.Reason, s.Conditions = corev1.PodFailed, "Evicted", conditions("False")
			s.ContainerStatuses[0].Ready = false
			s.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}
		}), tone.Warning},
		"ready is not known": {"pods", pod(func(s *corev1.PodStatus) { s.Conditions = conditions("Unknown") }), tone.Warning},
		"completed": {"pods", pod(func(s *corev1.PodStatus) {
			s.Phase, s.Conditions = corev1.PodSucceeded, conditions("False")
			s.ContainerStatuses[0].Ready = false
			s.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}
		}), tone.OK},
		"a node":                  {"nodes", node(ready, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: "False"}), tone.OK},
		"a fault":                 {"nodes", node(ready, corev1.NodeCondition{Type: "KernelDeadlock", Status: "True"}), tone.Warning},
		"no known fault":          {"nodes", node(ready, corev1.NodeCondition{Type: "EtcdIsVoter", Status: "True"}), tone.OK},
		"pressure":                {"nodes", node(corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: "True"}, ready), tone.Warning},
		"no network":              {"nodes", node(ready, corev1.NodeCondition{Type: corev1.NodeNetworkUnavailable, Status: "True"}), tone.Warning},
		"pressure, and not ready": {"nodes", node(corev1.NodeCondition{Type: corev1.NodeReady, Status: "Unknown"}, corev1.NodeCondition{Type: corev1.NodeMemoryPressure, Status: "True"}), tone.Failed},
	} {
		k, ok := Builtin(c.resource)
		if !ok {
			t.Fatal(c.resource)
		}
		d := NewDecoder(k, true)
		o, err := d.Decode(payload(t, c.object))
		if err != nil {
			t.Fatal(err)
		}
		if got := ToneOfObject(k.Name, o, d.Columns()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
