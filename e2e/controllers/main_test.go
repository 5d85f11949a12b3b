// Package controllers tests the cluster with controllers, a scheduler and simulated
// kubelets (cluster.ControllerOptions). Other packages rely on what it shows.
package controllers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{
		Cluster: cluster.Options{Controllers: &cluster.ControllerOptions{Nodes: 4, Logs: logs}},
		Finish:  noBrokenStage,
	}))
}

// logs gives every container a log of one line.
func logs(namespace, pod, container string, previous bool) cluster.Log {
	if previous {
		return nil
	}
	script := cluster.NewScript(time.Now(), fmt.Sprintf("%s/%s/%s started", namespace, pod, container))
	script.End()
	return script
}

var brokenStage = regexp.MustCompile(`(?m)^.*(failed to compute|stage match).*$`)

// noBrokenStage returns an error if kwok could not execute a Stage. Not every test would
// notice that the status is missing.
func noBrokenStage() error {
	log, err := os.ReadFile(filepath.Join(stage.Cluster.Dir(), "kwok.log"))
	if broken := brokenStage.Find(log); broken != nil {
		return errors.Join(err, fmt.Errorf("a stage of kwok is broken: %.2000s", broken))
	}
	return err
}

// deploy creates a Deployment whose pods have one container.
func deploy(t *testing.T, ns, name string, replicas int32, change ...func(*appsv1.Deployment)) {
	t.Helper()
	labels := map[string]string{"app": name}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1"}}},
			},
		},
	}
	for _, f := range change {
		f(d)
	}
	if _, err := stage.Admin.AppsV1().Deployments(ns).Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// condition returns a condition of a Deployment.
func condition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType) appsv1.DeploymentCondition {
	for _, c := range d.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return appsv1.DeploymentCondition{}
}

func podsOf(t *testing.T, ns, selector string) []corev1.Pod {
	t.Helper()
	pods, err := stage.Admin.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	return pods.Items
}

func getPod(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	now, err := stage.Admin.CoreV1().Pods(pod.Namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// gone reports whether a pod no longer exists.
func gone(t *testing.T, pod *corev1.Pod) bool {
	t.Helper()
	_, err := stage.Admin.CoreV1().Pods(pod.Namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err != nil
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) corev1.PodCondition {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return corev1.PodCondition{}
}

func ready(pod *corev1.Pod) bool {
	return podCondition(pod, corev1.PodReady).Status == corev1.ConditionTrue
}

// waitReady waits until a pod is ready.
func waitReady(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	stage.WaitFor(t, pod.Name+" is ready", func() bool { return ready(getPod(t, pod)) })
}

// addNode creates a node for one test. Nothing is scheduled to it.
func addNode(t *testing.T) string {
	t.Helper()
	name, err := stage.Cluster.Controllers().AddNode(t.Context(), func(n *corev1.Node) { n.Spec.Unschedulable = true })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := stage.Admin.CoreV1().Nodes().Delete(context.Background(), name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	})
	stage.WaitFor(t, name+" is ready", func() bool {
		return cluster.NodeCondition(getNode(t, name), corev1.NodeReady).Status == corev1.ConditionTrue
	})
	return name
}

func getNode(t *testing.T, name string) *corev1.Node {
	t.Helper()
	node, err := stage.Admin.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return node
}

func tainted(node *corev1.Node, key string, effect corev1.TaintEffect) bool {
	for _, taint := range node.Spec.Taints {
		if taint.Key == key && taint.Effect == effect {
			return true
		}
	}
	return false
}
