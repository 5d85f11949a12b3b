//go:build !js

package pane

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/detail"
	"watchglass/internal/wire"
)

// protobufOf returns an object of the scripted server from one of Kubernetes.
func protobufOf(t *testing.T, resource string, o interface {
	runtime.Object
	metav1.Object
}) testObject {
	t.Helper()
	doc, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), o)
	if err != nil {
		t.Fatal(err)
	}
	return testObject{resource: resource, namespace: "a", name: o.GetName(), raw: doc}
}

// metaOf returns the metadata of an object with labels, which may have an owner: "Deployment web".
func metaOf(name, version, owner string, labels ...string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: name, Namespace: "a", UID: types.UID("u-" + name), ResourceVersion: version, Labels: map[string]string{"app": "web"}}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		m.Labels[key] = value
	}
	if kind, by, ok := strings.Cut(owner, " "); ok {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: by, UID: types.UID("u-" + by), Controller: new(true)}}
	}
	return m
}

func templateOf(image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}}}
}

var webOnly = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}

// webDeployment returns a Deployment with two pods, of which some have its template.
func webDeployment(t *testing.T, version, image string, total, updated int32) testObject {
	d := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{Kind: "Deployment", APIVersion: "apps/v1"}, ObjectMeta: metaOf("web", version, ""), Spec: appsv1.DeploymentSpec{Replicas: new(int32(2)), Selector: webOnly, Template: templateOf(image)}}
	d.Status = appsv1.DeploymentStatus{Replicas: total, AvailableReplicas: 2, UpdatedReplicas: updated, Conditions: []appsv1.DeploymentCondition{{Type: "Progressing", Status: "True", Reason: "NewReplicaSetAvailable"}}}
	return protobufOf(t, "deployments", d)
}

// webSet returns a ReplicaSet of that Deployment, or of another.
func webSet(t *testing.T, number, image, owner string, ready, total int32) testObject {
	s := &appsv1.ReplicaSet{TypeMeta: metav1.TypeMeta{Kind: "ReplicaSet", APIVersion: "apps/v1"}, ObjectMeta: metaOf("web-"+number, fmt.Sprint(10, number, ready), owner, "pod-template-hash="+number), Spec: appsv1.ReplicaSetSpec{Selector: webOnly, Template: templateOf(image)}}
	s.Annotations = map[string]string{"deployment.kubernetes.io/revision": number, "kubernetes.io/change-cause": "cause\u202e" + number + strings.Repeat("x", 9000)}
	s.Spec.Template.Labels["pod-template-hash"] = number
	s.CreationTimestamp = metav1.Unix(1000*int64(3-len(number)), 0) // 10 is older than 9, since it was used again
	s.Status = appsv1.ReplicaSetStatus{Replicas: total, ReadyReplicas: ready, AvailableReplicas: ready}
	return protobufOf(t, "replicasets", s)
}

// webPod returns a pod that is ready, or whose image cannot be pulled.
func webPod(t *testing.T, name, owner string, ready bool, labels ...string) testObject {
	p := &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: metaOf(name, map[bool]string{false: "50", true: "51"}[ready], owner, labels...), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "app:2"}}}}
	p.Status = corev1.PodStatus{Phase: "Running", Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True"}}}
	if !ready {
		p.Status = corev1.PodStatus{Phase: "Pending", Conditions: []corev1.PodCondition{{Type: "Ready", Status: "False"}}, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}}}}}
	}
	return protobufOf(t, "pods", p)
}

// numbers returns the revisions of a document in a line.
func numbers(c detail.Changes) string {
	if c.Revisions == nil {
		return "none"
	}
	var out []string
	for _, v := range c.Revisions.Revisions {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s", v.Number, v.State))+fmt.Sprintf(" %d/%d", v.Ready, v.Total))
	}
	for _, d := range c.Revisions.Denied {
		out = append(out, d.Resource+" denied")
	}
	if c.Revisions.Loading {
		out = append(out, "loading")
	}
	return strings.Join(out, ", ")
}

// TestRevisionsPane checks that a Deployment shows its own ReplicaSets, live, with what changed between
// two of them, in bounds, and that its lists go with the pane or with the Deployment.
func TestRevisionsPane(t *testing.T) {
	s := newServer(webSet(t, "1", "app:1", "Deployment web", 0, 0), webSet(t, "2", "app:2", "Deployment web", 2, 2), webSet(t, "7", "app:1", "Deployment other", 1, 1))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewChanges, "deployments.apps", "a", "web", detail.ChangesOptions{Revisions: "2"})
		h.wantAsked("")
		h.shows(webDeployment(t, "90", "app:2", 2, 2))
		h.Wait(soon)
		got := last[detail.Changes](h)
		if numbers(got) != "2 live 2/2, 1 0/0" || got.Revisions.Pods != "app=web" || got.Revisions.Resource != "replicasets.apps" {
			t.Errorf("%s: %+v", numbers(got), got.Revisions)
		}
		if c := got.Revisions.Compared; c == nil || c.From != "1" || c.To != "2" || len(c.Fields) != 1 || c.Fields[0].Path != "spec.containers[main].image" || c.Fields[0].After != "app:2" {
			t.Errorf("%+v", c)
		}
		if cause := got.Revisions.Revisions[0].Cause; len(cause) > 400 || !strings.HasPrefix(cause, "cause\ufffd2x") {
			t.Errorf("%d bytes: %.20q", len(cause), cause)
		}
		h.wantAsked("watch replicasets/a where app=web")
		s.change(wire.Added, webSet(t, "3", "app:3", "Deployment web", 0, 1))
		h.Wait(soon)
		if got := last[detail.Changes](h); numbers(got) != "3 0/1, 2 live 2/2, 1 0/0" {
			t.Error(numbers(got))
		}
		h.shows(webDeployment(t, "91", "app:3", 3, 1))
		h.options(detail.ChangesOptions{Revisions: "3,1"})
		h.Wait(soon)
		got = last[detail.Changes](h)
		if c := got.Revisions.Compared; numbers(got) != "3 next 0/1, 2 live 2/2, 1 0/0" || c == nil || c.From != "1" || c.To != "3" {
			t.Errorf("%s: %+v", numbers(got), c)
		}
		for _, none := range []string{"1", "9", "9,1", "1,9", "1,", ",", "2,2", "x"} {
			h.options(detail.ChangesOptions{Revisions: none})
			h.Wait(soon)
			if all := read[detail.Changes](h); len(all) > 0 && all[len(all)-1].Revisions.Compared != nil {
				t.Errorf("%s: %+v", none, all[len(all)-1].Revisions.Compared)
			}
		}
		h.deletes()
		h.Wait(soon)
		if got := last[detail.Changes](h); numbers(got) != "none" || !got.Deleted {
			t.Errorf("%s, deleted %t", numbers(got), got.Deleted)
		}
		h.Wait(linger)
		h.wantAsked("close watch replicasets/a where app=web")
	})
}

// TestRevisionUsedAgain checks that a revision that was used again has the time at which the overview saw that.
func TestRevisionUsedAgain(t *testing.T) {
	again := webSet(t, "10", "app:1", "Deployment web", 2, 2)
	newer := webSet(t, "9", "app:2", "Deployment web", 0, 0)
	s := newServer(again, newer)
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.Again = map[string]int64{"web-10": 5000, "web-9": 4000}
		h.opens(NewChanges, "deployments.apps", "a", "web", nil)
		h.shows(webDeployment(t, "90", "app:1", 2, 2))
		h.Wait(soon)
		var got []string
		for _, v := range last[detail.Changes](h).Revisions.Revisions {
			got = append(got, fmt.Sprintf("%d: %d, after %d, again %d", v.Number, v.Created, v.After, v.Again))
		}
		if want := "10: 1000, after 2000, again 5000 | 9: 2000, after 0, again 0"; strings.Join(got, " | ") != want {
			t.Errorf("%s, want %s", strings.Join(got, " | "), want)
		}
	})
}

// storeRevision returns a ControllerRevision of the StatefulSet web.
func storeRevision(t *testing.T, number int64, image string) testObject {
	r := &appsv1.ControllerRevision{TypeMeta: metav1.TypeMeta{Kind: "ControllerRevision", APIVersion: "apps/v1"}, ObjectMeta: metaOf(fmt.Sprint("web-", number), fmt.Sprint("2", number), "StatefulSet web"), Revision: number}
	r.Data.Raw = fmt.Appendf(nil, `{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"web"}},"spec":{"containers":[{"image":%q,"name":"main"}]}}}}`, image)
	return protobufOf(t, "controllerrevisions", r)
}

// webStateful returns a StatefulSet of two pods.
func webStateful(t *testing.T, version, current, update string) testObject {
	s := &appsv1.StatefulSet{TypeMeta: metav1.TypeMeta{Kind: "StatefulSet", APIVersion: "apps/v1"}, ObjectMeta: metaOf("web", version, ""), Spec: appsv1.StatefulSetSpec{Replicas: new(int32(2)), Selector: webOnly, Template: templateOf("app:2")}}
	s.Status = appsv1.StatefulSetStatus{Replicas: 2, UpdatedReplicas: 1, CurrentRevision: current, UpdateRevision: update}
	return protobufOf(t, "statefulsets", s)
}

// TestRevisionsLost checks that the revisions of an object that is opened again are read again where memory has dropped
// them.
func TestRevisionsLost(t *testing.T) {
	s := newServer(webSet(t, "1", "app:1", "Deployment web", 0, 0), webSet(t, "2", "app:2", "Deployment web", 2, 2), webPod(t, "p", "ReplicaSet web-2", true, "pod-template-hash=2"))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		open := func(open Open) {
			h.opens(open, "deployments.apps", "a", "web", nil)
			h.shows(webDeployment(t, "90", "app:2", 2, 2))
			h.Wait(soon)
		}
		open(NewChanges)
		h.server.asks()
		h.drop("replicasets.apps")
		open(NewChanges)
		if got := numbers(last[detail.Changes](h)); got != "2 live 2/2, 1 0/0" {
			t.Error(got)
		}
		h.wantAsked("list replicasets/a where metadata.name=web-1, list replicasets/a where metadata.name=web-2")
	})
}

// TestControllerRevisionsPane checks that pods are counted by their revision, and that one that changes
// counts otherwise.
func TestControllerRevisionsPane(t *testing.T) {
	s := newServer(storeRevision(t, 1, "app:1"), storeRevision(t, 2, "app:2"), webPod(t, "web-0", "StatefulSet web", true, "controller-revision-hash=web-1"), webPod(t, "web-1", "StatefulSet web", false, "controller-revision-hash=web-2"), webPod(t, "stranger", "StatefulSet other", true, "controller-revision-hash=web-1"))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewChanges, "statefulsets.apps", "a", "web", nil)
		h.shows(webStateful(t, "90", "web-1", "web-2"))
		h.Wait(soon)
		if got := last[detail.Changes](h); numbers(got) != "2 next 0/1, 1 live 1/1" || !got.Revisions.Counted {
			t.Error(numbers(got))
		}
		h.wantAsked("watch controllerrevisions/a where app=web, watch pods/a where app=web")
		s.change(wire.Modified, webPod(t, "web-1", "StatefulSet web", true, "controller-revision-hash=web-2"))
		h.Wait(soon)
		if got := last[detail.Changes](h); numbers(got) != "2 next 1/1, 1 live 1/1" {
			t.Error(numbers(got))
		}
	})
}

// TestRevisionsPaneDenied checks that lists that may not be read are named, and nothing claims to be all.
func TestRevisionsPaneDenied(t *testing.T) {
	for resource, want := range map[string]string{"controllerrevisions": "controllerrevisions.apps denied", "pods": "2 next 0/0, 1 live 0/0, pods denied"} {
		s := newServer(storeRevision(t, 1, "app:1"), storeRevision(t, 2, "app:2"), webPod(t, "web-0", "StatefulSet web", true, "controller-revision-hash=web-1"))
		s.deny = denies(resource, forbidden)
		onHost(t, s, nil, func(t *testing.T, h *host) {
			h.opens(NewChanges, "statefulsets.apps", "a", "web", nil)
			h.shows(webStateful(t, "90", "web-1", "web-2"))
			h.Wait(soon)
			if got := last[detail.Changes](h); numbers(got) != want || resource == "pods" && got.Revisions.Counted {
				t.Errorf("%s: %s", resource, numbers(got))
			}
		})
	}
	s := newServer()
	s.faulty = map[string]fault{"replicasets": silent}
	s.endless = "replicasets"
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewChanges, "deployments.apps", "a", "web", nil)
		h.shows(webDeployment(t, "90", "app:2", 2, 2))
		h.Wait(soon)
		if got := last[detail.Changes](h); numbers(got) != "loading" {
			t.Error(numbers(got))
		}
	})
}

// TestRolloutSummary checks that the summary shows a rollout while it is in progress, with why its pods are
// not ready, and holds its lists no longer.
func TestRolloutSummary(t *testing.T) {
	s := newServer(webSet(t, "1", "app:1", "Deployment web", 2, 2), webSet(t, "2", "app:2", "Deployment web", 0, 1), webPod(t, "web-2-x", "ReplicaSet web-2", false), webPod(t, "web-1-x", "ReplicaSet web-1", true),
		webPod(t, "stranger", "StatefulSet web-2", false)) // whose owner has the name of a ReplicaSet
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "deployments.apps", "a", "web", nil)
		h.shows(webDeployment(t, "90", "app:1", 2, 2))
		h.Wait(soon)
		if got := last[detail.Summary](h); got.Rollout != nil {
			t.Errorf("%+v", got.Rollout)
		}
		h.wantAsked("watch replicasets/a where app=web")
		h.shows(webDeployment(t, "91", "app:2", 3, 1))
		h.Wait(soon)
		u := last[detail.Summary](h).Rollout
		if u == nil || u.From != 1 || u.To != 2 || u.Ready != 0 || u.Desired != 2 || u.Old != 2 || len(u.Waits) != 1 || u.Waits[0].Pod != "web-2-x" || !strings.Contains(u.Waits[0].Text, "ImagePullBackOff") {
			t.Errorf("%+v", u)
		}
		h.wantAsked("watch pods/a where app=web")
		s.change(wire.Modified, webPod(t, "web-2-x", "ReplicaSet web-2", true))
		s.change(wire.Modified, webSet(t, "2", "app:2", "Deployment web", 1, 1))
		h.Wait(soon)
		if u = last[detail.Summary](h).Rollout; u == nil || u.Ready != 1 || u.Waits[0].Text != "1 new pod to be created" {
			t.Errorf("%+v", u)
		}
		h.shows(webDeployment(t, "92", "app:2", 2, 2))
		h.Wait(soon)
		if got := last[detail.Summary](h); got.Rollout != nil {
			t.Errorf("%+v", got.Rollout)
		}
		h.Wait(linger)
		h.wantAsked("close watch pods/a where app=web")
	})
}

// TestRolloutSummaryInPast checks that a rollout waits for a pod as it did at the moment shown: one that is
// five seconds old then has not failed.
func TestRolloutSummaryInPast(t *testing.T) {
	moment := time.Date(1999, 12, 31, 23, 0, 0, 0, time.UTC)
	young := &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: metaOf("web-2-x", "50", "ReplicaSet web-2"), Status: corev1.PodStatus{Phase: "Pending"}}
	young.CreationTimestamp = metav1.NewTime(moment.Add(-5 * time.Second))
	s := newServer(webSet(t, "1", "app:1", "Deployment web", 2, 2), webSet(t, "2", "app:2", "Deployment web", 0, 1), protobufOf(t, "pods", young))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.Do(func() { h.Moment = moment })
		h.opens(NewSummary, "deployments.apps", "a", "web", nil)
		h.shows(webDeployment(t, "91", "app:2", 3, 1))
		h.Wait(soon)
		u := last[detail.Summary](h).Rollout
		if u == nil || len(u.Waits) != 1 || u.Waits[0].Pod != "web-2-x" || strings.Contains(u.Waits[0].Text, "not scheduled") {
			t.Errorf("%+v", u)
		}
	})
}

// TestRolloutSummaryDenied checks that a rollout shows as far as the Deployment itself says it.
func TestRolloutSummaryDenied(t *testing.T) {
	s := newServer()
	s.deny = func(wire.Request) *wire.Status { return forbidden }
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "deployments.apps", "a", "web", nil)
		h.shows(webDeployment(t, "91", "app:2", 3, 1))
		h.Wait(soon)
		u := last[detail.Summary](h).Rollout
		if u == nil || u.Counted || u.Updated != 1 || u.Old != 2 || len(u.Denied) != 2 {
			t.Errorf("%+v", u)
		}
		h.deletes()
		h.Wait(soon)
		if got := last[detail.Summary](h); got.Rollout != nil {
			t.Errorf("%+v", got.Rollout)
		}
	})
}
