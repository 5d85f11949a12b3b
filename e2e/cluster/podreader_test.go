package cluster

import (
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPodReader: at each version, the pods that are read from etcd are those that the apiserver lists, also after some
// were written, deleted, and created anew under the same name, and when an older version is read after a newer one.
func TestPodReader(t *testing.T) {
	seed(t)
	client, err := shared.client()
	if err != nil {
		t.Fatal(err)
	}
	reader, want := shared.NewPodReader(), make(map[int64][]PodVersion)
	var versions []int64
	for round := range 3 {
		list, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		now := version(t, list.ResourceVersion)
		versions = append(versions, now)
		for _, pod := range list.Items {
			want[now] = append(want[now], PodVersion{pod.Namespace, pod.Name, string(pod.UID), version(t, pod.ResourceVersion)})
		}
		readsAs(t, reader, now, want[now])
		writeSome(t, list.Items, round)
	}
	for _, forgets := range []bool{false, true} {
		for _, v := range slices.Backward(versions) {
			readsAs(t, reader, v, want[v])
			if forgets {
				reader.Forget()
			}
		}
	}
	for _, v := range []int64{0, -1, 1 << 40} {
		if pods, err := reader.At(t.Context(), v); err == nil {
			t.Errorf("%d pods at version %d", len(pods), v)
		}
	}
}

// readsAs checks what is read at a version.
func readsAs(t *testing.T, reader *PodReader, at int64, want []PodVersion) {
	t.Helper()
	pods, err := reader.At(t.Context(), at)
	if err != nil || !slices.Equal(pods, want) {
		t.Errorf("at version %d, %d pods are read, and %d listed, which are not the same; %v", at, len(pods), len(want), err)
	}
}

// writeSome deletes two pods, creates one of them anew, and changes a third.
func writeSome(t *testing.T, pods []corev1.Pod, round int) {
	t.Helper()
	etcd := &etcdStore{shared}
	for i := range 2 {
		if _, err := etcd.write(t.Context(), VerbDelete, &pods[i]); err != nil {
			t.Fatal(err)
		}
	}
	again, changed := pods[0].DeepCopy(), pods[2].DeepCopy()
	again.ResourceVersion, again.UID = "", ""
	changed.Labels["round"] = strconv.Itoa(round)
	for verb, pod := range map[Verb]*corev1.Pod{VerbCreate: again, VerbLabel: changed} {
		if _, err := etcd.write(t.Context(), verb, pod); err != nil {
			t.Fatal(err)
		}
	}
}
