//go:build !js

package related

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

func kindOf(t testing.TB, resource string) object.Kind {
	t.Helper()
	k, ok := object.Builtin(resource)
	if !ok {
		t.Fatalf("%s is not built in", resource)
	}
	return k
}

// decoded returns a change that adds an object, decoded as in a source.
func decoded(t testing.TB, resource string, obj runtime.Object) Change {
	t.Helper()
	kind := kindOf(t, resource)
	obj.GetObjectKind().SetGroupVersionKind(kindGVK(kind))
	payload, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), obj)
	if err != nil {
		t.Fatal(err)
	}
	d := object.NewDecoder(kind, true)
	o, err := d.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	return Change{Kind: kind, Columns: d.Columns(), After: o}
}

// TestReaders checks that every path of every rule resolves.
func TestReaders(t *testing.T) {
	var all []string
	for _, lists := range []map[string][]string{needs, everywhere} {
		for _, list := range lists {
			all = append(all, list...)
		}
	}
	for line := range strings.Lines(known) {
		resource, _, _ := strings.Cut(line, " ")
		all = append(all, resource)
	}
	x := NewIndex(object.Builtin)
	for _, resource := range all {
		if r := x.reader(kindOf(t, resource)); r.plan == nil {
			t.Errorf("%s: nothing is read", resource)
		}
		for _, one := range rulesOf(resource) {
			if to := x.target("", one.to); one.to != "" && to.resource != one.to {
				t.Errorf("%s refers to %s, which is not known", resource, one.to)
			}
		}
	}
}

// TestHiddenSets leads from a Deployment to its pods where its ReplicaSets may not be read, and only
// there.
func TestHiddenSets(t *testing.T) {
	owned := func(name, kind, by string) metav1.ObjectMeta {
		yes := true
		return metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID(name), Labels: map[string]string{"pod-template-hash": "5d9c"}, OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: by, UID: types.UID(by), Controller: &yes}}}
	}
	x := NewIndex(object.Builtin)
	x.Apply([]Change{
		decoded(t, deployments, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "web", UID: "web"}}),
		decoded(t, pods, &corev1.Pod{ObjectMeta: owned("web-5d9c-x", "ReplicaSet", "web-5d9c")}),
		decoded(t, pods, &corev1.Pod{ObjectMeta: owned("other-x", "ReplicaSet", "other")}),
	})
	pods := func() string {
		var all []string
		for uid := range x.Owned(ID{deployments, "a", "web"}) {
			all = append(all, uid)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	if got := pods(); got != "web" {
		t.Errorf("while the ReplicaSets come: %q", got)
	}
	x.SetReadable("a", false)
	if got := pods(); got != "web web-5d9c-x" {
		t.Errorf("without ReplicaSets: %q", got)
	}
	if g := x.Graph(ID{deployments, "a", "web"}, func(ID) (Presence, *wire.Status) { return Unknown, nil }, 20); !slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Name == "web-5d9c-x" }) {
		t.Errorf("%+v", g.Nodes)
	}
	x.Apply([]Change{decoded(t, replicaSets, &appsv1.ReplicaSet{ObjectMeta: owned("web-5d9c", "Deployment", "web")})})
	if got := pods(); got != "web web-5d9c web-5d9c-x" || len(x.nodes[ID{deployments, "a", "web"}].linkedFrom) != 2 {
		t.Errorf("with one: %q", got)
	}
	if all := x.along(x.nodes[ID{deployments, "a", "web"}], Owns, true); len(all) != 1 {
		t.Errorf("the Deployment owns %d objects itself", len(all))
	}
}

// cluster is a random cluster with few names, so that objects refer to each other.
type cluster struct {
	*rand.Rand
	version int
}

func (c *cluster) meta(name string, of ...metav1.OwnerReference) metav1.ObjectMeta {
	c.version++
	m := metav1.ObjectMeta{Namespace: []string{"a", "a", "a", "b"}[c.IntN(4)], Name: name, UID: types.UID(fmt.Sprintf("u%d", c.IntN(3))), ResourceVersion: fmt.Sprint(c.version)}
	m.Labels = map[string]string{"app": c.one("x", "y", "z"), "tier": c.one("1", "2")}
	if c.IntN(3) > 0 {
		m.OwnerReferences = of
	}
	return m
}

// wide returns the metadata of a cluster-scoped object.
func (c *cluster) wide(name string) metav1.ObjectMeta {
	m := c.meta(name)
	m.Namespace = ""
	return m
}

// annotate sets the class in the annotation that preceded the field, or in another annotation.
func (c *cluster) annotate(m metav1.ObjectMeta, key, class string) metav1.ObjectMeta {
	if c.IntN(3) == 0 {
		m.Annotations = map[string]string{c.one(key, key, "other"): class}
	}
	return m
}

func (c *cluster) one(of ...string) string { return of[c.IntN(len(of))] }

func (c *cluster) owner(apiVersion, kind, name string) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(fmt.Sprintf("u%d", c.IntN(3)))}
}

func (c *cluster) spec() corev1.PodSpec {
	s := corev1.PodSpec{NodeName: c.one("", "n1", "n2"), ServiceAccountName: c.one("", "default"), PriorityClassName: c.one("", "k1", "k2")}
	if c.IntN(3) == 0 {
		s.RuntimeClassName = new("k1")
	}
	s.Containers = []corev1.Container{{Name: "c", EnvFrom: []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: c.one("cm1", "cm2")}}}}}}
	if c.IntN(2) == 0 {
		s.Volumes = append(s.Volumes, corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: c.one("claim1", "claim2")}}})
	}
	if c.IntN(3) == 0 {
		s.Volumes = append(s.Volumes, corev1.Volume{Name: "e", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}})
	}
	if c.IntN(2) == 0 {
		s.InitContainers = []corev1.Container{{Name: "i", Env: []corev1.EnvVar{{Name: "K", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "k", LocalObjectReference: corev1.LocalObjectReference{Name: c.one("s1", "s2")}}}}}}}
	}
	return s
}

func (c *cluster) selector() *metav1.LabelSelector {
	switch c.IntN(4) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": c.one("x", "y")}}
	}
	op := []metav1.LabelSelectorOperator{metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist}[c.IntN(4)]
	e := metav1.LabelSelectorRequirement{Key: c.one("app", "tier", "none"), Operator: op}
	if op == metav1.LabelSelectorOpIn || op == metav1.LabelSelectorOpNotIn {
		e.Values = []string{c.one("x", "1"), "y"}
	}
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{e}}
}

// make creates a random object.
func (c *cluster) make() (string, metav1.Object) {
	n := c.one("1", "2", "3")
	switch c.IntN(15) {
	case 0:
		return deployments, &appsv1.Deployment{ObjectMeta: c.meta("d" + n), Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: c.spec()}}}
	case 1:
		return replicaSets, &appsv1.ReplicaSet{ObjectMeta: c.meta("r"+n, c.owner("apps/v1", "Deployment", "d"+c.one("1", "2"))), Spec: appsv1.ReplicaSetSpec{Template: corev1.PodTemplateSpec{Spec: c.spec()}}}
	case 2:
		s := &corev1.Service{ObjectMeta: c.meta("s" + n)}
		if c.IntN(3) > 0 {
			s.Spec.Selector = map[string]string{"app": c.one("x", "y")}
		}
		return services, s
	case 3:
		return ingresses, &networkingv1.Ingress{ObjectMeta: c.annotate(c.meta("i"+n), ingressOld, "k"+c.one("", "1", "2")), Spec: networkingv1.IngressSpec{IngressClassName: new(c.one("", "k1", "k2")), TLS: []networkingv1.IngressTLS{{SecretName: "s1"}}, DefaultBackend: &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "s" + c.one("1", "2")}}}}
	case 4:
		return budgets, &policyv1.PodDisruptionBudget{ObjectMeta: c.meta("p" + n), Spec: policyv1.PodDisruptionBudgetSpec{Selector: c.selector()}}
	case 5:
		return claims, &corev1.PersistentVolumeClaim{ObjectMeta: c.annotate(c.meta("claim"+n), storageOld, "k1"), Spec: corev1.PersistentVolumeClaimSpec{VolumeName: c.one("", "pv1"), StorageClassName: new(c.one("", "k1", "k2"))}}
	case 6:
		return volumes, &corev1.PersistentVolume{ObjectMeta: c.annotate(c.wide("pv"+n), storageOld, "k2"), Spec: corev1.PersistentVolumeSpec{StorageClassName: c.one("", "k1", "k2")}}
	case 7:
		return bindings, &rbacv1.RoleBinding{ObjectMeta: c.meta("b" + n), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: c.one("Role", "ClusterRole"), Name: "k" + n},
			Subjects: []rbacv1.Subject{{Kind: "User", Name: "default"}, {Kind: "ServiceAccount", Namespace: c.one("a", "b"), Name: "default"}}}
	case 8:
		return c.class("k" + n)
	}
	return pods, &corev1.Pod{ObjectMeta: c.meta("p"+n, c.owner("apps/v1", "ReplicaSet", "r"+c.one("1", "2"))), Spec: c.spec()}
}

// class creates a cluster-scoped object that others refer to.
func (c *cluster) class(name string) (string, metav1.Object) {
	m := c.wide(name)
	switch c.IntN(5) {
	case 0:
		return ingressClass, &networkingv1.IngressClass{ObjectMeta: m}
	case 1:
		return classes, &storagev1.StorageClass{ObjectMeta: m}
	case 2:
		return priorities, &schedulingv1.PriorityClass{ObjectMeta: m}
	case 3:
		return runtimes, &nodev1.RuntimeClass{ObjectMeta: m}
	}
	return clusterRoles, &rbacv1.ClusterRole{ObjectMeta: m}
}

// The annotations that preceded the class fields.
const (
	ingressOld = "kubernetes.io/ingress.class"
	storageOld = "volume.beta.kubernetes.io/storage-class"
)

// relation is a relation as the naive search finds it.
type relation struct {
	from, to ID
	verb     Verb
}

func idOf(resource string, o metav1.Object) ID { return ID{resource, o.GetNamespace(), o.GetName()} }

// naive returns all relations of a cluster by comparing every pair of objects.
func naive(all map[ID]metav1.Object) map[relation]bool {
	out := make(map[relation]bool)
	for id, o := range all {
		own := func(resource, name string) ID { return ID{resource, id.Namespace, name} }
		tell := func(verb Verb, to ID) {
			if to.Name != "" {
				out[relation{id, to, verb}] = true
			}
		}
		for _, ref := range o.GetOwnerReferences() {
			owner := own(map[string]string{"Deployment": deployments, "ReplicaSet": replicaSets}[ref.Kind], ref.Name)
			if is := all[owner]; is == nil || is.GetUID() == ref.UID {
				out[relation{owner, id, Owns}] = true
			}
		}
		switch o := o.(type) {
		case *corev1.Pod:
			naiveSpec(o.Spec, own, tell)
			tell(Runs, ID{nodes, "", o.Spec.NodeName})
			for _, v := range o.Spec.Volumes {
				if v.Ephemeral != nil {
					tell(Mounts, own(claims, o.Name+"-"+v.Name))
				}
			}
		case *appsv1.Deployment:
			naiveSpec(o.Spec.Template.Spec, own, tell)
		case *appsv1.ReplicaSet:
			naiveSpec(o.Spec.Template.Spec, own, tell)
		case *corev1.Service:
			if len(o.Spec.Selector) > 0 {
				naiveSelect(all, id, labels.SelectorFromSet(o.Spec.Selector), tell)
			}
		case *policyv1.PodDisruptionBudget:
			s, _ := metav1.LabelSelectorAsSelector(o.Spec.Selector)
			naiveSelect(all, id, s, tell)
		case *networkingv1.Ingress:
			tell(Routes, own(services, o.Spec.DefaultBackend.Service.Name))
			tell(Uses, own(secrets, o.Spec.TLS[0].SecretName))
			naiveClass(all, o.Annotations, ingressOld, ID{ingressClass, "", *o.Spec.IngressClassName}, tell)
		case *corev1.PersistentVolumeClaim:
			tell(Binds, ID{volumes, "", o.Spec.VolumeName})
			naiveClass(all, o.Annotations, storageOld, ID{classes, "", *o.Spec.StorageClassName}, tell)
		case *corev1.PersistentVolume:
			naiveClass(all, o.Annotations, storageOld, ID{classes, "", o.Spec.StorageClassName}, tell)
		case *rbacv1.RoleBinding:
			if o.RoleRef.Kind == "Role" {
				tell(Binds, own(roles, o.RoleRef.Name))
			} else {
				tell(Binds, ID{clusterRoles, "", o.RoleRef.Name})
			}
			tell(Binds, ID{accounts, o.Subjects[1].Namespace, o.Subjects[1].Name})
		}
	}
	return out
}

// naiveClass reports the class that an object refers to: the one in the annotation, if that class
// exists or the field names it too; otherwise the one in the field.
func naiveClass(all map[ID]metav1.Object, annotations map[string]string, old string, class ID, tell func(Verb, ID)) {
	if name, ok := annotations[old]; ok {
		same := class.Name == name
		if class.Name = name; !same && all[class] == nil {
			return
		}
	}
	tell(Uses, class)
}

func naiveSpec(s corev1.PodSpec, own func(resource, name string) ID, tell func(Verb, ID)) {
	tell(Uses, own(accounts, s.ServiceAccountName))
	tell(Uses, ID{priorities, "", s.PriorityClassName})
	if s.RuntimeClassName != nil {
		tell(Uses, ID{runtimes, "", *s.RuntimeClassName})
	}
	for _, c := range s.Containers {
		tell(Uses, own(configMaps, c.EnvFrom[0].ConfigMapRef.Name))
	}
	for _, c := range s.InitContainers {
		tell(Uses, own(secrets, c.Env[0].ValueFrom.SecretKeyRef.Name))
	}
	for _, v := range s.Volumes {
		if v.PersistentVolumeClaim != nil {
			tell(Mounts, own(claims, v.PersistentVolumeClaim.ClaimName))
		}
	}
}

func naiveSelect(all map[ID]metav1.Object, by ID, s labels.Selector, tell func(Verb, ID)) {
	for id, o := range all {
		if id.Resource == pods && id.Namespace == by.Namespace && s.Matches(labels.Set(o.GetLabels())) {
			tell(Selects, id)
		}
	}
}

// indexed returns all relations in an index.
func indexed(x *Index) map[relation]bool {
	out := make(map[relation]bool)
	for _, n := range x.nodes {
		for _, e := range x.sorted(n) {
			if e.out {
				out[relation{n.id, e.to.id, e.verb}] = true
			} else {
				out[relation{e.to.id, n.id, e.verb}] = true
			}
		}
	}
	return out
}

// TestIndex compares an index that follows random changes with a naive search of all objects. After
// all objects are deleted, the index must be empty.
func TestIndex(t *testing.T) {
	for seed := range uint64(60) {
		c := &cluster{Rand: rand.New(rand.NewPCG(seed, 7))}
		x, all, last := NewIndex(object.Builtin), make(map[ID]metav1.Object), make(map[ID]Change)
		for range 60 {
			if len(all) > 0 && c.IntN(3) == 0 {
				for id, was := range last {
					x.Apply([]Change{{Kind: was.Kind, Before: was.After}})
					delete(all, id)
					delete(last, id)
					break
				}
			} else {
				resource, o := c.make()
				id := idOf(resource, o)
				change := decoded(t, resource, o.(runtime.Object))
				change.Before = last[id].After
				x.Apply([]Change{change})
				all[id], last[id] = o, change
			}
			if got, want := indexed(x), naive(all); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d\n got %v\nwant %v", seed, got, want)
			}
		}
		checkGraphs(t, x, all)
		for _, was := range last {
			x.Apply([]Change{{Kind: was.Kind, Before: was.After}})
		}
		if len(x.nodes)+len(x.spaces)+x.unread != 0 {
			t.Fatalf("seed %d: %d nodes and %d namespaces are left", seed, len(x.nodes), len(x.spaces))
		}
	}
}

// checkGraphs compares the graph of each object with the true relations.
func checkGraphs(t *testing.T, x *Index, all map[ID]metav1.Object) {
	t.Helper()
	truth := naive(all)
	for focus := range all {
		g := x.Graph(focus, func(ID) (Presence, *wire.Status) { return Missing, nil }, MaxNodes)
		if g.Nodes[0].ID != focus {
			t.Fatalf("%v is not the first of %v", focus, g.Nodes)
		}
		if again := x.Graph(focus, func(ID) (Presence, *wire.Status) { return Missing, nil }, MaxNodes); !reflect.DeepEqual(g, again) {
			t.Fatalf("%v: two graphs of the same", focus)
		}
		in := make(map[relation]bool)
		for _, e := range g.Edges {
			r := relation{g.Nodes[e.From].ID, g.Nodes[e.To].ID, e.Verb}
			if in[r] = true; !truth[r] {
				t.Fatalf("%v: %v is not true", focus, r)
			}
		}
		for r := range truth {
			if (r.from == focus || r.to == focus) && !in[r] {
				t.Fatalf("%v: %v is not told", focus, r)
			}
		}
		for _, n := range g.Nodes {
			if there := all[n.ID] != nil; there != (n.Presence == Present) || there && n.UID != string(all[n.ID].GetUID()) {
				t.Fatalf("%v: %+v", focus, n)
			}
		}
	}
}

// TestTwoSources checks that an object stays until the last source that has it removes it.
func TestTwoSources(t *testing.T) {
	x := NewIndex(object.Builtin)
	pod := decoded(t, pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p"}, Spec: corev1.PodSpec{NodeName: "n"}})
	x.Apply([]Change{pod})
	x.Apply([]Change{pod})
	gone := Change{Kind: pod.Kind, Before: pod.After}
	x.Apply([]Change{gone})
	if len(indexed(x)) != 1 {
		t.Error("it has gone with the first")
	}
	x.Apply([]Change{gone})
	if len(x.nodes) != 0 {
		t.Error("it has not gone with the second")
	}
}

// TestBounded checks that a graph is no larger than its limit, and counts the rest.
func TestBounded(t *testing.T) {
	x := NewIndex(object.Builtin)
	owner := []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "d", UID: "u"}}
	x.Apply([]Change{decoded(t, daemonSets, &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "d", UID: "u"}})})
	const count = 1700
	for i := range count {
		x.Apply([]Change{decoded(t, pods, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: fmt.Sprint("p", i), OwnerReferences: owner},
			Spec:       corev1.PodSpec{NodeName: fmt.Sprint("n", i)},
		})})
	}
	g := x.Graph(ID{daemonSets, "a", "d"}, func(ID) (Presence, *wire.Status) { return Coming, nil }, MaxNodes)
	shown := make(map[string]int)
	for _, n := range g.Nodes {
		if n.More > 0 {
			shown["more "+n.Resource] += n.More
		} else {
			shown[n.Resource]++
		}
	}
	if len(g.Nodes) > MaxNodes || len(g.Nodes) < MaxNodes*9/10 || shown[pods]+shown["more pods"] != count || shown[nodes] != shown[pods] {
		t.Errorf("%d nodes: %v", len(g.Nodes), shown)
	}
	if !slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.More > 0 && n.Of.Name == "d" && n.Kind == "Pod" }) {
		t.Error("whose the others are is not said")
	}
}

// TestCountedWhere checks that counted objects have a namespace only if all of them share it.
func TestCountedWhere(t *testing.T) {
	for _, places := range []string{"a", "ab"} {
		x := NewIndex(object.Builtin)
		for i := range 40 {
			x.Apply([]Change{decoded(t, ingresses, &networkingv1.Ingress{
				ObjectMeta: metav1.ObjectMeta{Namespace: places[i%len(places):][:1], Name: fmt.Sprint("i", i)},
				Spec:       networkingv1.IngressSpec{IngressClassName: new("k")},
			})})
		}
		g := x.Graph(ID{ingressClass, "", "k"}, allMissing, 10)
		last := g.Nodes[len(g.Nodes)-1]
		if one := places == "a"; last.More < 30 || (last.Namespace == "a") != one || (last.Namespace == "") == one {
			t.Errorf("%s: %+v", places, last)
		}
	}
}

// BenchmarkRead measures the cost of one object.
func BenchmarkRead(b *testing.B) {
	c := &cluster{Rand: rand.New(rand.NewPCG(1, 1))}
	pod := decoded(b, pods, &corev1.Pod{ObjectMeta: c.meta("p", c.owner("apps/v1", "ReplicaSet", "r")), Spec: c.spec()})
	r := NewIndex(object.Builtin).reader(pod.Kind)
	b.ReportAllocs()
	for b.Loop() {
		if _, whole := r.read(pod.After, false); !whole {
			b.Fatal("it was not read")
		}
	}
}

func kindGVK(k object.Kind) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Name}
}
