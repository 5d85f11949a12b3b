//go:build !js

package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/object"
)

// podMaker makes pods as an apiserver sends them.
type podMaker struct {
	t      testing.TB
	d      *object.Decoder
	labels []object.Column
}

func newPodMaker(t testing.TB, added ...string) podMaker {
	var extras []object.Extra
	var labels []object.Column
	for _, name := range added {
		e, err := object.ParseExtra(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Printed() {
			extras = append(extras, e)
		} else {
			labels = append(labels, e.LabelColumn())
		}
	}
	kind, _ := object.Builtin("pods")
	return podMaker{t, object.NewDecoder(kind, true, extras...).Share(&codes), labels}
}

func (m podMaker) columns() []object.Column { return slices.Concat(m.d.Columns(), m.labels) }

func (m podMaker) pod(set func(p *corev1.Pod)) *object.Object {
	m.t.Helper()
	p := &corev1.Pod{}
	set(p)
	p.APIVersion, p.Kind = "v1", "Pod"
	doc, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), p)
	if err != nil {
		m.t.Fatal(err)
	}
	o, err := m.d.Decode(doc)
	if err != nil {
		m.t.Fatal(err)
	}
	return o
}

// TestAddedClicks holds the counts of images, of which a pod has several, and of
// columns that were added to what a click on them gives.
func TestAddedClicks(t *testing.T) {
	images := []string{"nginx", "nginx:1.25", "docker.io/library/nginx:1.25", "busybox", "nginx@sha256:9f86"}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := newPodMaker(t, "label.app", "annotation.example.com/owner", "{.spec.priority}")
		var all []*object.Object
		for i := range 40 {
			all = append(all, m.pod(func(p *corev1.Pod) {
				p.Namespace, p.Name = fmt.Sprint("ns", r.IntN(3)), fmt.Sprint("pod-", i)
				if n := r.IntN(4); n > 0 {
					p.Labels = map[string]string{"app": []string{"", "web", "API"}[n-1]}
				}
				if r.IntN(2) == 0 {
					p.Annotations = map[string]string{"example.com/owner": "ana b"}
				}
				if priority := int32(r.IntN(3)); priority > 0 {
					p.Spec.Priority = &priority
				}
				for range r.IntN(3) {
					p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Image: images[r.IntN(len(images))]})
				}
			}))
		}
		shape := Shape{Columns: m.columns(), Namespaced: true, Images: m.d.Images()}
		v, fresh := started(all), started(all)
		v.SetShape(shape)
		fresh.SetShape(shape)
		text := []string{"", "image:nginx", `!image:"nginx"`, "label.app:web", "!label.app:<none>", "{.spec.priority}:1", "{.spec.priority}>1", "annotation.example.com/owner:", "image:busybox ns:ns1"}[seed%9]
		v.SetQuery(Query{Seq: 1, Limit: 10, Text: text})
		var names []string
		for _, f := range v.Facets(now) {
			names = append(names, f.Name)
			for _, value := range f.Values {
				ask := Query{Text: clicked(t, text, Field(f.Name), value.Value)}
				if fresh.SetQuery(ask); len(fresh.problems) > 0 {
					t.Fatalf("%q: %v", ask.Text, fresh.problems)
				}
				if total, _, _ := fresh.Rows(0, 0, now); total != value.Count {
					t.Errorf("seed %d, %q: %s %q counts %d, and a click gives %d by %q", seed, text, f.Name, value.Value, value.Count, total, ask.Text)
				}
			}
		}
		for _, name := range []string{ImageFacet, "label.app", "annotation.example.com/owner", "{.spec.priority}"} {
			if !slices.Contains(names, name) {
				t.Errorf("no facet %s among %q", name, names)
			}
		}
	}
}

// TestColumns holds which columns show, in which order, and what is said of one
// that is not there.
func TestColumns(t *testing.T) {
	m := newPodMaker(t, "label.app")
	v := started([]*object.Object{m.pod(func(p *corev1.Pod) { p.Namespace, p.Name, p.Labels = "ns", "web-0", map[string]string{"app": "web"} })})
	v.SetShape(Shape{Columns: m.columns(), Namespaced: true})
	for _, c := range []struct {
		query Query
		names []string
		wrong string
	}{
		{Query{}, []string{"Namespace", "Name", "Ready", "Status", "Restarts", "Age"}, ""},
		{Query{Columns: []string{"*", "label.app"}}, []string{"Namespace", "Name", "Ready", "Status", "Restarts", "Age", "label.app"}, ""},
		{Query{Columns: []string{"label.app", "Node", "Name"}}, []string{"label.app", "Node", "Name"}, ""},
		{Query{Columns: []string{"Name", "*"}}, []string{"Name", "Namespace", "Ready", "Status", "Restarts", "Age"}, ""},
		{Query{Columns: []string{"Name", "label.other"}}, []string{"Name"}, ""},
		{Query{Columns: []string{"Name", "Colour"}}, []string{"Name"}, `there is no column "Colour"`},
		{Query{Columns: []string{"{.spec"}}, []string{"Namespace", "Name", "Ready", "Status", "Restarts", "Age"}, "the column {.spec: at character 7: the path ends, expected '}'"},
	} {
		v.SetQuery(c.query)
		total, columns, rows := v.Rows(0, 10, now)
		var names []string
		for _, column := range columns {
			names = append(names, column.Name)
		}
		if !slices.Equal(names, c.names) || total != 1 || len(rows[0].Cells) != len(names) {
			t.Errorf("%q: %q, not %q", c.query.Columns, names, c.names)
		}
		if at := slices.Index(names, "label.app"); at >= 0 && rows[0].Cells[at] != "web" {
			t.Errorf("%q: %q", c.query.Columns, rows[0].Cells)
		}
		if got := v.problems.Of(PartColumns); got.Text != c.wrong || c.wrong == "" && len(v.problems) > 0 {
			t.Errorf("%q: %q, not %q", c.query.Columns, got.Text, c.wrong)
		}
	}
}

// TestAddedText chooses a value of a path that is text, though it looks like a number,
// and finds what stands in the column of a label.
func TestAddedText(t *testing.T) {
	m := newPodMaker(t, "annotation.version", "{.metadata.annotations.version}", "label.app")
	var all []*object.Object
	for i, version := range []string{"1.1", "1.10", "1.1", "1", "1000m"} {
		all = append(all, m.pod(func(p *corev1.Pod) {
			p.Name, p.Annotations = fmt.Sprint("pod-", i), map[string]string{"version": version}
			p.Labels = map[string]string{"app": []string{"web", "db"}[i%2]}
		}))
	}
	v := started(all)
	v.SetShape(Shape{Columns: m.columns()})
	for text, want := range map[string]int{
		"{.metadata.annotations.version}:1.1": 2, "{.metadata.annotations.version}:1": 1, "{.metadata.annotations.version}>=1.1": 3,
		"annotation.version:1.10": 1, "annotation.version<1.1": 1, "web": 3, "DB": 2, "label.app:web": 3, "web/1": 0,
	} {
		v.SetQuery(Query{Text: text, Columns: []string{"*", "label.app"}})
		if total, _, _ := v.Rows(0, 9, now); total != want || len(v.problems) > 0 {
			t.Errorf("%q leaves %d, not %d: %v", text, total, want, v.problems)
		}
	}
}

// TestAgeOfAll asks objects that print no age for theirs.
func TestAgeOfAll(t *testing.T) {
	m := newPodMaker(t)
	young := m.pod(func(p *corev1.Pod) { p.Name, p.CreationTimestamp.Time = "young", now.Add(-60e9) })
	old := m.pod(func(p *corev1.Pod) { p.Name, p.CreationTimestamp.Time = "old", now.Add(-3600e9) })
	v := started([]*object.Object{young, old})
	v.SetShape(Shape{Columns: []object.Column{{Name: "Name", Kind: object.NameCell}}})
	v.SetQuery(Query{Text: "age>5m", Limit: 5})
	if _, _, rows := v.Rows(0, 5, now); len(rows) != 1 || rows[0].Key != "old" {
		t.Errorf("%v, %v", rows, v.problems)
	}
}
