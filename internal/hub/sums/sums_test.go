//go:build !js

package sums

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/object"
)

// maker makes objects as an apiserver sends them.
type maker struct {
	t     testing.TB
	codes *object.CodeTable
	pods  *object.Decoder
	nodes *object.Decoder
}

func newMaker(t testing.TB) *maker {
	m := &maker{t: t, codes: new(object.CodeTable)}
	decoder := func(name string) *object.Decoder {
		kind, _ := object.Builtin(name)
		return object.NewDecoder(kind, true).Share(m.codes)
	}
	m.pods, m.nodes = decoder("pods"), decoder("nodes")
	return m
}

func (m *maker) decode(d *object.Decoder, o runtime.Object) *object.Object {
	m.t.Helper()
	doc, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), o)
	if err != nil {
		m.t.Fatal(err)
	}
	out, err := d.Decode(doc)
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

func (m *maker) pod(p *corev1.Pod) *object.Object {
	p.APIVersion, p.Kind = "v1", "Pod"
	return m.decode(m.pods, p)
}

func (m *maker) node(name, cpu, memory, pods string) *object.Object {
	n := &corev1.Node{}
	n.APIVersion, n.Kind, n.Name = "v1", "Node", name
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory), "pods": resource.MustParse(pods), "ephemeral-storage": resource.MustParse("1Gi")}
	n.Status.Capacity = corev1.ResourceList{"cpu": resource.MustParse("1000"), "memory": resource.MustParse("1Ei"), "pods": resource.MustParse("1")}
	return m.decode(m.nodes, n)
}

var (
	cpus     = []string{"", "0", "1", "250m", "100m", "1500m", "2", "0.1"}
	memories = []string{"", "0", "64Mi", "1Gi", "100M", "1500000000", "1536Mi", "3k"}
)

func list(r *rand.Rand) corev1.ResourceList {
	l := corev1.ResourceList{}
	if q := cpus[r.IntN(len(cpus))]; q != "" {
		l["cpu"] = resource.MustParse(q)
	}
	if q := memories[r.IntN(len(memories))]; q != "" {
		l["memory"] = resource.MustParse(q)
	}
	return l
}

// random returns a random pod of a key, on one of three nodes or on none.
func random(r *rand.Rand, namespace, name string) *corev1.Pod {
	p := &corev1.Pod{}
	p.Namespace, p.Name = namespace, name
	p.Spec.NodeName = []string{"n0", "n1", "n2", ""}[r.IntN(4)]
	p.Status.Phase = []corev1.PodPhase{"Running", "Running", "Pending", "Succeeded", "Failed"}[r.IntN(5)]
	for i := range 1 + r.IntN(2) {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: fmt.Sprint("c", i), Resources: corev1.ResourceRequirements{Requests: list(r), Limits: list(r)}})
	}
	return p
}

// add adds a quantity to the sums of a naive count, as kubectl does.
func add(to corev1.ResourceList, from corev1.ResourceList) {
	for name, q := range from {
		if sum, ok := to[name]; ok {
			sum.Add(q)
			to[name] = sum
		} else {
			to[name] = q.DeepCopy()
		}
	}
}

// binary gives sums binary notation as soon as they have a part in it.
func binary(sums, parts corev1.ResourceList) {
	for name, q := range parts {
		if sum := sums[name]; !q.IsZero() && q.Format == resource.BinarySI && sum.Format != q.Format {
			sums[name] = *resource.NewQuantity(sum.Value(), q.Format)
		}
	}
}

// recount returns the texts of a group's cells, counted anew.
func recount(pods map[string]*corev1.Pod, of func(p *corev1.Pod) bool) (count int, cells [5]string) {
	var all []*corev1.Pod
	for _, p := range pods {
		if of(p) && p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *corev1.Pod) int {
		return cmp.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	for _, p := range all {
		mine, most := corev1.ResourceList{}, corev1.ResourceList{}
		for _, c := range p.Spec.Containers {
			add(mine, c.Resources.Requests)
			add(most, c.Resources.Limits)
		}
		add(requests, mine)
		add(limits, most)
		binary(requests, mine)
		binary(limits, most)
	}
	for i, from := range map[int]corev1.ResourceList{cpuRequests: requests, memoryRequests: requests, cpuLimits: limits, memoryLimits: limits} {
		q := from[corev1.ResourceName(summed[i].resource)]
		cells[i] = q.String()
	}
	return len(all), cells
}

// TestModel changes pods at random, and compares all sums with a naive recount.
func TestModel(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := newMaker(t)
		nodes, namespaces := New("nodes", m.codes, m.pods.Columns()), New("namespaces", m.codes, m.pods.Columns())
		both := []*Sums{nodes, namespaces}
		pods, objects := map[string]*corev1.Pod{}, map[string]*object.Object{}
		for step := range 60 {
			var changes []Change
			for range 1 + r.IntN(12) {
				namespace, name := []string{"a", "a-b", "b"}[r.IntN(3)], fmt.Sprint("p", r.IntN(12))
				key := namespace + "/" + name
				c := Change{Before: objects[key]}
				if delete(objects, key); r.IntN(3) > 0 {
					pods[key] = random(r, namespace, name)
					c.After = m.pod(pods[key])
					objects[key] = c.After
				} else {
					delete(pods, key)
				}
				if c.Before != nil || c.After != nil {
					changes = append(changes, c)
				}
			}
			for _, s := range both {
				s.Apply(changes)
				if step < 5 {
					if s.Work(3); step == 4 {
						for s.Work(3) {
						}
					}
					continue
				}
				s.Set(Ready)
			}
			if step < 5 {
				continue
			}
			for _, name := range []string{"n0", "n1", "n2"} {
				got := nodes.Cells(m.node(name, "4", "8Gi", "110"))
				count, want := recount(pods, func(p *corev1.Pod) bool { return p.Spec.NodeName == name })
				check(t, seed, step, name, got, fmt.Sprintf("%d/110", count), want)
			}
			for _, name := range []string{"a", "a-b", "b"} {
				got := namespaces.Cells(m.node(name, "4", "8Gi", "110"))
				count, want := recount(pods, func(p *corev1.Pod) bool { return p.Namespace == name })
				check(t, seed, step, name, got, fmt.Sprint(count), want)
			}
		}
	}
}

func check(t *testing.T, seed uint64, step int, name string, got []object.Cell, count string, want [5]string) {
	t.Helper()
	if got[podsColumn].Text != count {
		t.Fatalf("seed %d, step %d, %s: %s pods, want %s", seed, step, name, got[podsColumn].Text, count)
	}
	for i := cpuRequests; i < requested; i++ {
		text := got[i].Text
		for at := range text {
			if text[at] == ' ' {
				text = text[:at]
				break
			}
		}
		if text != want[i] {
			t.Fatalf("seed %d, step %d, %s: %v is %q, want %q", seed, step, name, summed[i], text, want[i])
		}
	}
}

// TestCells checks the cells of a node and of a namespace, and what they say before the pods
// are known.
func TestCells(t *testing.T) {
	m := newMaker(t)
	pod := func(phase corev1.PodPhase) *object.Object {
		p := &corev1.Pod{}
		p.Namespace, p.Name, p.Spec.NodeName, p.Status.Phase = "a", "p", "n0", phase
		p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("1250m"), "memory": resource.MustParse("2Gi")},
			Limits:   corev1.ResourceList{"cpu": resource.MustParse("8")},
		}}}
		return m.pod(p)
	}
	for _, c := range []struct {
		kind, name string
		state      State
		phase      corev1.PodPhase
		want       string
	}{
		{"nodes", "n0", Loading, "Running", "… … … … … … … …"},
		{"nodes", "n0", Denied, "Running", "       "},
		{"nodes", "n0", Ready, "Running", "1/110 1250m (31%) 2Gi (25%) 8 (200%) 0 (0%) 31% 31% 25%"},
		{"nodes", "n0", Ready, "Failed", "0/110 0 (0%) 0 (0%) 0 (0%) 0 (0%) 0% 0% 0%"},
		{"nodes", "n1", Ready, "Running", "0/110 0 (0%) 0 (0%) 0 (0%) 0 (0%) 0% 0% 0%"},
		{"namespaces", "a", Ready, "Running", "1 1250m 2Gi 8 0   "},
	} {
		s := New(c.kind, m.codes, m.pods.Columns())
		s.Work(1)
		s.Set(c.state)
		s.Apply([]Change{{After: pod(c.phase)}})
		var texts []any
		for _, cell := range s.Cells(m.node(c.name, "4", "8Gi", "110")) {
			if texts = append(texts, cell.Text); cell.Unknown != (c.state == Loading) {
				t.Errorf("%+v: unknown %v", c, cell.Unknown)
			}
		}
		if got := fmt.Sprintln(texts...); got != c.want+"\n" {
			t.Errorf("%+v: %q", c, got)
		}
	}
	s := New("nodes", m.codes, m.pods.Columns())
	s.Work(1)
	s.Set(Ready)
	s.Apply([]Change{{After: pod("Running")}})
	cells := s.Cells(m.node("n0", "4", "8Gi", "110"))
	if cells[podsColumn].Amount != 1 || cells[cpuRequests].Amount != 1.25 || cells[memoryRequests].Amount != 2<<30 || cells[cpuRequested].Amount != 0.3125 || cells[requested] != cells[cpuRequested] {
		t.Errorf("%+v", cells)
	}
}

// TestUnreadable checks that a pod whose requests cannot be read makes the sums unknown.
func TestUnreadable(t *testing.T) {
	m := newMaker(t)
	kind, _ := object.Builtin("pods")
	m.pods = object.NewDecoder(kind, false).Share(m.codes)
	p := &corev1.Pod{}
	p.Namespace, p.Name, p.Spec.NodeName = "a", "p", "n0"
	o := m.pod(p)
	s := New("namespaces", m.codes, m.pods.Columns())
	s.Work(1)
	s.Set(Ready)
	s.Apply([]Change{{After: o}})
	if c := s.Cells(m.node("a", "1", "1", "1"))[podsColumn]; c.Text != "…" || !c.Unknown {
		t.Errorf("%+v", c)
	}
	s.Apply([]Change{{Before: o}})
	if c := s.Cells(m.node("a", "1", "1", "1"))[podsColumn]; c.Text != "0" || c.Unknown {
		t.Errorf("%+v", c)
	}
}

// TestHuge checks that a sum that is too large to be written becomes exact again.
func TestHuge(t *testing.T) {
	m := newMaker(t)
	s := New("namespaces", m.codes, m.pods.Columns())
	s.Work(1)
	s.Set(Ready)
	pod := func(name, memory string) *object.Object {
		p := &corev1.Pod{}
		p.Namespace, p.Name = "a", name
		p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"memory": resource.MustParse(memory)}}}}
		return m.pod(p)
	}
	huge := pod("huge", "7Ei")
	s.Apply([]Change{{After: pod("small", "3Ki")}, {After: huge}, {After: pod("other", "7Ei")}})
	s.Apply([]Change{{Before: huge}, {Before: pod("other", "7Ei")}})
	if c := s.Cells(m.node("a", "1", "1", "1"))[memoryRequests]; c.Text != "3Ki" {
		t.Errorf("%+v", c)
	}
}

// BenchmarkChange measures what a change of a pod costs: of its status, and of its requests.
func BenchmarkChange(b *testing.B) {
	m := newMaker(b)
	r := rand.New(rand.NewPCG(1, 1))
	s := New("nodes", m.codes, m.pods.Columns())
	var shapes []*corev1.Pod
	for range 50 {
		p := random(r, "a", "p")
		p.Status.Phase = "Running"
		shapes = append(shapes, p)
	}
	var all []Change
	for i := range 20_000 {
		p := shapes[i%len(shapes)]
		p.Name, p.Spec.NodeName = fmt.Sprint("web-", i), fmt.Sprint("node-", i%1000)
		all = append(all, Change{After: m.pod(p)})
	}
	s.Work(1)
	s.Apply(all)
	for name, by := range map[string]int{"status": 0, "requests": 1} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				a, z := all[i%len(all)].After, all[(i+by)%len(all)].After
				s.Apply([]Change{{a, z}})
			}
		})
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			s = New("nodes", m.codes, m.pods.Columns())
			s.Apply(all)
			s.Work(len(all))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/pod")
	})
}

// TestNoNodes checks that pods whose columns do not have their node, as in a recording or behind a gateway that sends Tables,
// are counted for none, and that this is not said to be 0.
func TestNoNodes(t *testing.T) {
	m := newMaker(t)
	p := &corev1.Pod{}
	p.Namespace, p.Name, p.Spec.NodeName = "a", "p", "n0"
	s := New("nodes", m.codes, []object.Column{{Name: "Name", Kind: object.NameCell}})
	s.Begin([]Change{{After: m.pod(p)}})
	s.Work(10)
	s.Set(Ready)
	if c := s.Cells(m.node("n0", "1", "1", "1"))[podsColumn]; c.Text != "…" {
		t.Errorf("%+v", c)
	}
}
