package e2e

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/proxy"
)

// namespace makes a namespace that no other test uses, and returns its name.
func namespace(t *testing.T) string {
	t.Helper()
	ns, err := admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Nobody empties a namespace here, so its pods are taken away by hand.
		background := context.Background()
		now := int64(0)
		if err := admin.CoreV1().Pods(ns.Name).DeleteCollection(background, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
	})
	return ns.Name
}

// create makes a pod with one container.
func create(t *testing.T, ns, name string, change ...func(*corev1.Pod)) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: new(bool),
			Containers:                   []corev1.Container{{Name: "main", Image: "registry.example/app:1"}},
		},
	}
	for _, f := range change {
		f(pod)
	}
	made, err := admin.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// setStatus gives a pod a status, as its kubelet would.
func setStatus(t *testing.T, pod *corev1.Pod, status corev1.PodStatus) {
	t.Helper()
	doc, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		t.Fatal(err)
	}
	_, err = admin.CoreV1().Pods(pod.Namespace).Patch(t.Context(), pod.Name, types.MergePatchType, doc, metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	now := int64(0)
	if err := admin.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
}

func running(restarts int32) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "main", Ready: true, RestartCount: restarts, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
	}}}
}

// cell is the text of a cell on screen, by the key of its row and its column.
func (e eyes) cell(key, column string) string {
	return eval[string](e, `document.querySelector('[role=row][data-key="`+key+`"] [data-column="`+column+`"]')?.textContent ?? ""`)
}

func (e eyes) awaitCell(key, column, text string) {
	e.t.Helper()
	e.await(`document.querySelector('[role=row][data-key="` + key + `"] [data-column="` + column + `"]')?.textContent === "` + text + `"`)
}

// TestLive makes, changes and deletes a pod: the list shows each without a reload.
func TestLive(t *testing.T) {
	ns := namespace(t)
	e := synced(t, serve(t, proxy.Options{}).At("/pods?n="+ns))
	e.await(`document.querySelector(".panel").innerText.includes("Nothing matches")`)
	eval[bool](e, `window.unreloaded = true`)
	pod := create(t, ns, "alive")
	key := ns + "/alive"
	e.awaitCell(key, "Status", "Pending")
	if uid := eval[string](e, `document.querySelector('[data-key="`+key+`"]').dataset.uid`); uid != string(pod.UID) {
		t.Errorf("the row has uid %s, the pod %s", uid, pod.UID)
	}
	setStatus(t, pod, running(0))
	e.awaitCell(key, "Status", "Running")
	e.awaitCell(key, "Ready", "1/1")
	setStatus(t, pod, running(3))
	e.await(`document.querySelector('[data-key="` + key + `"] [data-column="Restarts"]').textContent.startsWith("3")`)
	if rows := eval[int](e, `+document.querySelector("[role=grid]").getAttribute("aria-rowcount")`); rows != 2 {
		t.Errorf("aria-rowcount is %d with one match", rows)
	}
	remove(t, pod)
	e.await(`!document.querySelector('[data-key="` + key + `"]')`)
	if !eval[bool](e, `window.unreloaded === true`) {
		t.Error("the page was loaded again")
	}
}

// TestAgeTicks sees an age grow though nothing happens to the pod.
func TestAgeTicks(t *testing.T) {
	ns := namespace(t)
	e := synced(t, serve(t, proxy.Options{}).At("/pods?n="+ns))
	create(t, ns, "young")
	e.await(`/^\d+s$/.test(document.querySelector('[data-key="` + ns + `/young"] [data-column="Age"]')?.textContent)`)
	first := e.cell(ns+"/young", "Age")
	begin := time.Now()
	e.await(`document.querySelector('[data-key="` + ns + `/young"] [data-column="Age"]').textContent !== "` + first + `"`)
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the age stood still for %s", took)
	}
}
