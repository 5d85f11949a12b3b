//go:build !js

package related

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/internal/object"
)

// event returns an event that was last seen so many seconds after the epoch.
func event(t *testing.T, name, of string, last int64) Change {
	t.Helper()
	return decoded(t, "events", &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID("event-" + name)},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: "a", Name: "p-" + of, UID: "u"},
		Type:           "Warning", Reason: name, Message: "it did", Count: 3, Source: corev1.EventSource{Component: "kubelet"},
		FirstTimestamp: metav1.Unix(1, 0), LastTimestamp: metav1.Unix(last, 0),
	})
}

// TestEvents checks the events of an object as they are added, changed and deleted.
func TestEvents(t *testing.T) {
	e := NewEvents(NewIndex(object.Builtin))
	mine := map[string]bool{"u": true}
	first, second := event(t, "one", "x", 100), event(t, "two", "x", 200)
	e.Apply([]Change{first, second})
	all := e.Of(mine)
	if len(all) != 2 || all[0].Reason != "two" || all[1].Reason != "one" {
		t.Fatalf("%+v", all)
	}
	if one := all[0]; one.Object != (ID{pods, "a", "p-x"}) || one.Kind != "Pod" || one.Type != "Warning" || one.Count != "3" || one.Source != "kubelet" || one.Message != "it did" || one.First != 1 || one.Last != 200 {
		t.Errorf("%+v", one)
	}
	again := event(t, "one", "x", 300)
	again.Before = first.After
	e.Apply([]Change{again})
	if all = e.Of(mine); len(all) != 2 || all[0].Reason != "one" || all[0].Last != 300 {
		t.Errorf("%+v", all)
	}
	if others := e.Of(map[string]bool{"v": true}); len(others) != 0 {
		t.Errorf("%+v", others)
	}
	e.Apply([]Change{{Kind: again.Kind, Before: again.After}, {Kind: second.Kind, Before: second.After}})
	if len(e.of)+len(e.whose) != 0 {
		t.Error("something is left")
	}
	if ago := Ago(time.Now().Add(-150*time.Second).Unix(), time.Now()); ago != "2m30s" {
		t.Error(ago)
	}
}

// TestOwned checks that all owned objects are found, at any depth, and no others.
func TestOwned(t *testing.T) {
	x := NewIndex(object.Builtin)
	owned := func(kind, name, uid string) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID(uid)}}
	}
	x.Apply([]Change{
		decoded(t, deployments, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "d", UID: "1"}}),
		decoded(t, replicaSets, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "r", UID: "2", OwnerReferences: owned("Deployment", "d", "1")}}),
		decoded(t, pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p", UID: "3", OwnerReferences: owned("ReplicaSet", "r", "2")}}),
		decoded(t, pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "other", UID: "4"}}),
	})
	if uids := x.Owned(ID{deployments, "a", "d"}); len(uids) != 3 || uids["4"] {
		t.Error(uids)
	}
}
