package cluster

import (
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestStored: at each version, the pods that are read from etcd are those that the apiserver lists, also after some
// were written, deleted, and created anew under the same name.
func TestStored(t *testing.T) {
	seed(t)
	client, err := shared.client()
	if err != nil {
		t.Fatal(err)
	}
	reads := shared.NewStored()
	for round := range 3 {
		list, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var want []StoredPod
		for _, pod := range list.Items {
			want = append(want, StoredPod{pod.Namespace, pod.Name, string(pod.UID), revision(t, pod.ResourceVersion)})
		}
		pods, err := reads.At(t.Context(), revision(t, list.ResourceVersion))
		if err != nil || !slices.Equal(pods, want) {
			t.Fatalf("round %d: %d pods are read, and %d listed, which are not the same; %v", round, len(pods), len(want), err)
		}
		again, gone, written := list.Items[0], list.Items[1], list.Items[2]
		for _, pod := range []metav1.ObjectMeta{again.ObjectMeta, gone.ObjectMeta} {
			now := int64(0)
			if err := client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
				t.Fatal(err)
			}
		}
		again.ResourceVersion, again.UID = "", ""
		if _, err := (&etcdStore{shared}).write(t.Context(), VerbCreate, &again); err != nil {
			t.Fatal(err)
		}
		written.Labels["round"] = strconv.Itoa(round)
		if _, err := (&etcdStore{shared}).write(t.Context(), VerbLabel, &written); err != nil {
			t.Fatal(err)
		}
	}
}

func revision(t *testing.T, version string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
