// Package sums holds the sums of nodes to what kubectl's own code describes.
package sums

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubectl/pkg/describe"

	"watchglass/internal/hub/sums"
	"watchglass/internal/object"
	"watchglass/internal/view"
)

const (
	nodes = 200
	pods  = 10_000
)

var (
	cpus     = []string{"", "", "0", "1", "250m", "100m", "1500m", "2", "0.1", "15m"}
	memories = []string{"", "", "0", "64Mi", "1Gi", "100M", "1500000000", "1536Mi", "3k", "129e6", "1.5Gi"}
)

func list(r *rand.Rand) corev1.ResourceList {
	l := corev1.ResourceList{}
	for name, all := range map[corev1.ResourceName][]string{"cpu": cpus, "memory": memories[:9], "ephemeral-storage": {"", "1Gi"}} {
		if q := all[r.IntN(len(all))]; q != "" {
			l[name] = resource.MustParse(q)
		}
	}
	return l
}

func requirements(r *rand.Rand) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: list(r), Limits: list(r)}
}

// randomPod returns a pod with everything that its requests and limits may depend on.
func randomPod(r *rand.Rand, i int) *corev1.Pod {
	p := &corev1.Pod{}
	p.APIVersion, p.Kind = "v1", "Pod"
	p.Namespace, p.Name = []string{"a", "a-b", "b"}[r.IntN(3)], fmt.Sprint("p", i)
	p.Spec.NodeName = fmt.Sprint("n", r.IntN(nodes))
	p.Status.Phase = []corev1.PodPhase{"Running", "Running", "Running", "Pending", "Succeeded", "Failed"}[r.IntN(6)]
	for c := range 1 + r.IntN(3) {
		name := fmt.Sprint("c", c)
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: name, Resources: requirements(r)})
		if r.IntN(4) == 0 {
			given := requirements(r)
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: name, Resources: &given, AllocatedResources: list(r)})
		}
	}
	for c := range r.IntN(3) {
		name := fmt.Sprint("i", c)
		init := corev1.Container{Name: name, Resources: requirements(r)}
		if always := corev1.ContainerRestartPolicyAlways; r.IntN(2) == 0 {
			init.RestartPolicy = &always
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, init)
		if r.IntN(4) == 0 {
			given := requirements(r)
			p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, corev1.ContainerStatus{Name: name, Resources: &given, AllocatedResources: list(r)})
		}
	}
	if r.IntN(6) == 0 {
		p.Spec.Overhead = list(r)
	}
	if r.IntN(6) == 0 {
		given := requirements(r)
		p.Spec.Resources = &given
	}
	return p
}

func randomNode(r *rand.Rand, i int) *corev1.Node {
	n := &corev1.Node{}
	n.APIVersion, n.Kind, n.Name = "v1", "Node", fmt.Sprint("n", i)
	of := corev1.ResourceList{"cpu": resource.MustParse([]string{"4", "7910m", "96"}[r.IntN(3)]), "memory": resource.MustParse([]string{"16393244Ki", "8Gi", "1T"}[r.IntN(3)]), "pods": resource.MustParse("110")}
	if n.Status.Capacity = of; r.IntN(3) > 0 {
		n.Status.Allocatable = of
		n.Status.Capacity = corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("1"), "pods": resource.MustParse("1")}
	}
	return n
}

// decoder decodes what an apiserver would send.
func decoder(t *testing.T, kind string, codes *object.CodeTable) (*object.Decoder, func(o runtime.Object) *object.Object) {
	k, _ := object.Builtin(kind)
	d, encoder := object.NewDecoder(k, true).Share(codes), protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	return d, func(o runtime.Object) *object.Object {
		doc, err := runtime.Encode(encoder, o)
		if err != nil {
			t.Fatal(err)
		}
		out, err := d.Decode(doc)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// TestDescribeNodes compares the sums of 200 nodes with 10,000 pods with what kubectl describe
// prints, after a fifth of the pods has changed. The notation may differ: kubectl has that of the first pod.
func TestDescribeNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	codes := new(object.CodeTable)
	of, pod := decoder(t, "pods", codes)
	_, node := decoder(t, "nodes", codes)
	s := sums.New("nodes", codes, of.Columns())
	var all []*corev1.Pod
	var objects []*object.Object
	var first []sums.Change
	for i := range pods {
		p := randomPod(r, i)
		all, objects = append(all, p), append(objects, pod(p))
		first = append(first, sums.Change{After: objects[i]})
	}
	s.Begin(first)
	for s.Work(1000) {
	}
	for range pods / 5 {
		i := r.IntN(pods)
		p := randomPod(r, i)
		p.Namespace = all[i].Namespace
		after := pod(p)
		s.Apply([]sums.Change{{Before: objects[i], After: after}})
		all[i], objects[i] = p, after
	}
	groups := grouped(t, codes, of.Columns(), objects)
	s.Set(sums.Ready)

	byNode := make(map[string][]corev1.Pod)
	slices.SortFunc(all, func(a, b *corev1.Pod) int {
		return cmp.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	for _, p := range all {
		if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed { // kubectl selects so
			byNode[p.Spec.NodeName] = append(byNode[p.Spec.NodeName], *p)
		}
	}
	wrong := 0
	for i := range nodes {
		n := randomNode(r, i)
		client := fake.NewClientset(n)
		client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, &corev1.PodList{Items: byNode[n.Name]}, nil
		})
		text, err := (&describe.NodeDescriber{Interface: client}).Describe("", n.Name, describe.DescriberSettings{})
		if err != nil {
			t.Fatal(err)
		}
		want := described(t, text)
		var got []string
		for _, c := range s.Cells(node(n))[:5] {
			got = append(got, c.Text)
		}
		got[0], _, _ = strings.Cut(got[0], "/")
		for i, sum := range groups[n.Name] { // in one notation
			described, _, _ := strings.Cut(want[i+1], " ")
			if q, of := resource.MustParse(sum), resource.MustParse(described); q.Cmp(of) != 0 {
				t.Errorf("%s: the group says %s, and kubectl describes %s", n.Name, sum, described)
			}
		}
		if !slices.EqualFunc(got, want, same) {
			if wrong++; wrong < 10 {
				t.Errorf("%s: %q, and kubectl describes %q", n.Name, got, want)
			}
		}
	}
	t.Logf("%d of %d nodes with %d pods differ", wrong, nodes, pods)
}

// same reports whether two amounts, and the percentages behind them, are the same.
func same(got, want string) bool {
	amount, share, _ := strings.Cut(got, " ")
	other, otherShare, _ := strings.Cut(want, " ")
	a, b := resource.MustParse(amount), resource.MustParse(other)
	return a.Cmp(b) == 0 && share == otherShare
}

// grouped returns the sums of pods by node, in the order of the columns, as a grouped list has them.
func grouped(t *testing.T, codes *object.CodeTable, columns []object.Column, pods []*object.Object) map[string][]string {
	v := view.New()
	v.Start(slices.Clone(pods))
	v.SetShape(view.Shape{Columns: sums.Columns("pods", columns, false, sums.NewRequests(codes).Columns()), Namespaced: true, Kind: "Pod"})
	v.SetQuery(view.Query{Group: "Node", Columns: []string{"CPU Requests", "Memory Requests", "CPU Limits", "Memory Limits"}, Limit: nodes})
	out := make(map[string][]string)
	for v.Dirty() { // requests are read by and by
		v.Step(time.Unix(0, 0))
	}
	_, heads, rows := v.Rows(0, nodes+1, time.Unix(0, 0))
	for _, row := range rows {
		out[row.Cells[0]] = row.Cells[len(heads)-4:]
	}
	if len(out) != nodes {
		t.Fatalf("%d groups of %d nodes", len(out), nodes)
	}
	return out
}

var (
	total  = regexp.MustCompile(`Non-terminated Pods:\s+\((\d+) in total\)`)
	amount = regexp.MustCompile(`(?m)^  (cpu|memory)\s+(\S+ \(\d+%\))\s+(\S+ \(\d+%\))`)
)

// described returns what kubectl says, in the order of the columns.
func described(t *testing.T, text string) []string {
	count := total.FindStringSubmatch(text)
	rows := amount.FindAllStringSubmatch(text[strings.Index(text, "Allocated resources:"):], -1)
	if count == nil || len(rows) != 2 {
		t.Fatal(text)
	}
	return []string{count[1], rows[0][2], rows[1][2], rows[0][3], rows[1][3]}
}
