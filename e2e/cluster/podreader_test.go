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
		version := revisionOf(t, list.ResourceVersion)
		versions = append(versions, version)
		for _, pod := range list.Items {
			want[version] = append(want[version], PodVersion{pod.Namespace, pod.Name, string(pod.UID), revisionOf(t, pod.ResourceVersion)})
		}
		readsAs(t, reader, version, want[version])
		writeSome(t, list.Items, round)
	}
	for _, forgets := range []bool{false, true} {
		for _, version := range slices.Backward(versions) {
			readsAs(t, reader, version, want[version])
			if forgets {
				reader.Forget()
			}
		}
	}
	for _, version := range []int64{0, -1, 1 << 40} {
		if pods, err := reader.At(t.Context(), version); err == nil {
			t.Errorf("%d pods at version %d", len(pods), version)
		}
	}
}

// readsAs checks what is read at a version.
func readsAs(t *testing.T, reader *PodReader, version int64, want []PodVersion) {
	t.Helper()
	pods, err := reader.At(t.Context(), version)
	if err != nil || !slices.Equal(pods, want) {
		t.Errorf("at version %d, %d pods are read, and %d listed, which are not the same; %v", version, len(pods), len(want), err)
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

func revisionOf(t *testing.T, version string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
