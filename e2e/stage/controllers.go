package stage

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/cluster"
)

// Controllers starts a controller manager, a scheduler and simulated kubelets, until the
// test ends. They act on the whole cluster. A package whose tests all need them sets
// Options.Cluster.Controllers instead; then pods have service accounts, too.
func Controllers(t *testing.T, o cluster.ControllerOptions) *cluster.Controllers {
	t.Helper()
	if Cluster.Controllers() != nil {
		t.Fatal("the cluster has controllers: use Cluster.Controllers")
	}
	x, err := Cluster.StartControllers(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Stop(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// Fault sets the fault of a pod, such as cluster.CrashLoop, or with "" removes it. It does
// not wait for the status.
func Fault(t *testing.T, pod *corev1.Pod, fault string) {
	t.Helper()
	_, err := Admin.CoreV1().Pods(pod.Namespace).Patch(t.Context(), pod.Name, types.MergePatchType, cluster.FaultPatch(fault), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// FaultNode sets the fault of a node, such as cluster.DiskPressure, or with "" removes it.
// It does not wait for the status.
func FaultNode(t *testing.T, node, fault string) {
	t.Helper()
	_, err := Admin.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, cluster.FaultPatch(fault), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// deleteNamespace deletes a namespace. The controllers delete what is in it.
func deleteNamespace(t *testing.T, name string) {
	if err := Admin.CoreV1().Namespaces().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Error(err)
	}
}
