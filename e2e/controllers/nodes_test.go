package controllers

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// onNode puts a pod on a node without the scheduler.
func onNode(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeName = name }
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	name, controllers := addNode(t), stage.Cluster.Controllers()
	pod := stage.Create(t, stage.Namespace(t), "one", onNode(name))
	second := int64(1)
	evicted := stage.Create(t, pod.Namespace, "evicted", onNode(name), func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &second}}
	})
	waitReady(t, pod)
	waitReady(t, evicted)
	lease, err := stage.Admin.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stage.WaitFor(t, "the node's lease is renewed", func() bool {
		now, err := stage.Admin.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return now.Spec.RenewTime.After(lease.Spec.RenewTime.Time)
	})
	if err := controllers.StopHeartbeat(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	stage.WaitFor(t, "the node is not ready", func() bool {
		node := getNode(t, name)
		c := cluster.NodeCondition(node, corev1.NodeReady)
		return c.Status == corev1.ConditionUnknown && c.Reason == "NodeStatusUnknown" && c.Message == "Kubelet stopped posting node status." &&
			tainted(node, corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute)
	})
	stage.WaitFor(t, "its pod is not ready", func() bool { return !ready(getPod(t, pod)) })
	stage.WaitFor(t, "the other pod is deleted, and stays since no kubelet ends it", func() bool {
		now := getPod(t, evicted)
		return now.DeletionTimestamp != nil && podCondition(now, corev1.DisruptionTarget).Reason == "DeletionByTaintManager"
	})
	if err := controllers.StartHeartbeat(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	stage.WaitFor(t, "the node is ready again", func() bool {
		node := getNode(t, name)
		return cluster.NodeCondition(node, corev1.NodeReady).Status == corev1.ConditionTrue && !tainted(node, corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute)
	})
	waitReady(t, pod)
	stage.WaitFor(t, "the deleted pod is gone", func() bool { return gone(t, evicted) })
}

func TestNodeFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault, reason string
		condition     corev1.NodeConditionType
		status        corev1.ConditionStatus
		taint         string
	}{
		{cluster.NodeNotReady, "KubeletNotReady", corev1.NodeReady, corev1.ConditionFalse, corev1.TaintNodeNotReady},
		{cluster.MemoryPressure, "KubeletHasInsufficientMemory", corev1.NodeMemoryPressure, corev1.ConditionTrue, corev1.TaintNodeMemoryPressure},
		{cluster.DiskPressure, "KubeletHasDiskPressure", corev1.NodeDiskPressure, corev1.ConditionTrue, corev1.TaintNodeDiskPressure},
		{cluster.PIDPressure, "KubeletHasInsufficientPID", corev1.NodePIDPressure, corev1.ConditionTrue, corev1.TaintNodePIDPressure},
		{cluster.NodeNetworkUnavailable, "NoRouteCreated", corev1.NodeNetworkUnavailable, corev1.ConditionTrue, corev1.TaintNodeNetworkUnavailable},
	} {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			name := addNode(t)
			well := cluster.NodeCondition(getNode(t, name), test.condition)
			stage.FaultNode(t, name, test.fault)
			stage.WaitFor(t, "the condition and its taint are there", func() bool {
				node := getNode(t, name)
				c := cluster.NodeCondition(node, test.condition)
				return c.Status == test.status && c.Reason == test.reason && tainted(node, test.taint, corev1.TaintEffectNoSchedule)
			})
			stage.FaultNode(t, name, "")
			stage.WaitFor(t, "the node is well again", func() bool {
				node := getNode(t, name)
				c := cluster.NodeCondition(node, test.condition)
				return c.Status == well.Status && c.Reason == well.Reason && !tainted(node, test.taint, corev1.TaintEffectNoSchedule)
			})
		})
	}
}

// orphansDeleted bounds the pod garbage collector. It runs every 20 s, and waits 40 s more
// before it believes that a node is gone.
const orphansDeleted = 2 * time.Minute

func TestDeletedNode(t *testing.T) {
	t.Parallel()
	name := addNode(t)
	pod := stage.Create(t, stage.Namespace(t), "one", onNode(name))
	waitReady(t, pod)
	if err := stage.Admin.CoreV1().Nodes().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	stage.WaitWithin(t, orphansDeleted, "the pod of a deleted node is gone", func() bool { return gone(t, pod) })
}
