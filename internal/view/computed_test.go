//go:build !js

package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// computedShape is the shape of pods with their computed columns.
func computedShape(m podMaker) Shape {
	kind, _ := object.Builtin("pods")
	return Shape{Columns: slices.Concat(m.d.Columns(), kind.ComputedColumns()), Namespaced: true, Images: true}
}

// endedPod returns a pod whose containers last ended for these reasons, "" for none, and that
// last restarted some seconds ago.
func endedPod(m podMaker, name string, ago int64, reasons ...string) *object.Object {
	return m.pod(func(p *corev1.Pod) {
		p.Namespace, p.Name, p.Status.Phase = "a", name, corev1.PodRunning
		for i, why := range reasons {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: fmt.Sprint("c", i), Image: "registry:5000/x/" + name + ":1"})
			s := corev1.ContainerStatus{Name: fmt.Sprint("c", i), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
			if why != "" {
				code := map[string]int32{"OOMKilled": 137, "Error": 1}[why]
				s.RestartCount, s.LastTerminationState.Terminated = 1, &corev1.ContainerStateTerminated{Reason: why, ExitCode: code, FinishedAt: metav1.Unix(now.Unix()-ago, 0)}
			}
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, s)
		}
	})
}

// TestComputedFilter checks filters and orders by computed columns, which need not be shown.
func TestComputedFilter(t *testing.T) {
	m := newPodMaker(t)
	waiting := m.pod(func(p *corev1.Pod) {
		p.Namespace, p.Name = "a", "waits"
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
	})
	v := started([]*object.Object{endedPod(m, "fine", 0, ""), endedPod(m, "killed", 600, "", "OOMKilled"), endedPod(m, "both", 7200, "Error", "OOMKilled"), endedPod(m, "error", 90_000, "Error"), waiting})
	v.SetShape(computedShape(m))
	for i, c := range []struct{ text, sort, want string }{
		{"exit:OOMKilled", "", "both killed"},
		{"exit:oomkilled !exit:Error", "", "killed"},
		{"exit:Error,OOMKilled", "", "both error killed"},
		{"exit:Err*", "", "both error"},
		{"!exit:", "", "fine waits"},
		{"exit-code=1", "", "both error"},
		{"exit-code=137", "", "both killed"},
		{"exit-code>100", "", "both killed"},
		{"exit-code<100", "", "both error"},
		{"last-restart<1h", "", "killed"},
		{"last-restart<1d", "", "both killed"},
		{"last-restart>1d", "", "error"},
		{"waiting:ImagePullBackOff", "", "waits"},
		{"images:x/killed:1 or image:error", "", "error killed"},
		{"", "Last Restart", "killed both error fine waits"},
		{"", "Exit Code", "error both killed fine waits"},
		{"", "Exit", "fine waits error both killed"},
		{"OOMKilled", "", ""}, // a word finds only what may be on screen
	} {
		v.SetQuery(Query{Seq: uint32(i + 1), Limit: 10, Text: c.text, Sort: c.sort})
		p, _ := v.Step(now)
		var names []string
		for _, o := range v.Sent() {
			names = append(names, o.Name())
		}
		if got := strings.Join(names, " "); got != c.want || len(p.Problems) > 0 {
			t.Errorf("%q by %q: %q, want %q; %+v", c.text, c.sort, got, c.want, p.Problems)
		}
	}
	v.SetQuery(Query{Seq: 99, Limit: 10, Text: "OOMKilled", Columns: []string{"Name", "Exit"}})
	if p, _ := v.Step(now); p.Total != 2 {
		t.Errorf("%+v", p)
	}
}

// TestComputedFacets checks that a computed column has counts while it is in use, for completion
// too, and that a click on one gives as many rows.
func TestComputedFacets(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 11))
		m, v := newPodMaker(t), New()
		v.SetShape(computedShape(m))
		objects := map[string]*object.Object{}
		texts := []string{"", "exit:", "exit:Error", "!exit:Error ns:a", "waiting:x or exit:OOMKilled"}
		for step := range 30 {
			text := texts[r.IntN(len(texts))]
			v.SetQuery(Query{Seq: uint32(step + 1), Limit: 10, Text: text})
			var changes []Change
			for range r.IntN(4) {
				name := fmt.Sprint("p", r.IntN(9))
				reasons := []string{"", "Error", "OOMKilled"}
				c := Change{Before: objects[name], After: endedPod(m, name, 60, reasons[r.IntN(3)], reasons[r.IntN(3)])}
				objects[name] = c.After
				changes = append(changes, c)
			}
			v.Apply(changes)
			v.Step(now)
			facets := v.Facets(now)
			i := slices.IndexFunc(facets, func(f Facet) bool { return f.Name == "Exit" })
			if text == "" && i >= 0 {
				t.Fatal("counted for nobody")
			}
			if i < 0 {
				continue
			}
			for _, value := range facets[i].Values {
				fresh := New()
				for _, o := range objects {
					fresh.Apply([]Change{{After: o}})
				}
				fresh.SetShape(computedShape(m))
				clean := query.Clear(query.Clear(text, "exit", "Error"), "exit", "OOMKilled")
				if text == "exit:" {
					clean = ""
				}
				fresh.SetQuery(Query{Seq: 1, Text: query.Include(clean, "exit", value.Value), Limit: 10})
				if p, _ := fresh.Step(now); p.Total != value.Count {
					t.Fatalf("seed %d, step %d, %q: %q counts %d, a click gives %d", seed, step, text, value.Value, value.Count, p.Total)
				}
			}
		}
	}
}

// TestHurry has all objects counted at once, also right after a column with a facet was hidden: the objects that were
// still to be counted named the facets of before. The counts are in the next patch, even if the query chose anew.
func TestHurry(t *testing.T) {
	m, objects := newPodMaker(t), []*object.Object(nil)
	for i := range readBeside {
		objects = append(objects, endedPod(m, fmt.Sprint("web-", i%4, "-", i), 0, "Error"))
	}
	v := started(objects)
	v.SetShape(computedShape(m))
	q := Query{Limit: 5, Columns: []string{AllColumns, "Exit"}, Text: "image:web-1-1,none"}
	v.SetQuery(q)
	v.Step(now)
	if v.facets.allRead {
		t.Fatal("all was read in the first step")
	}
	q.Columns = nil
	v.SetQuery(q)
	v.Hurry()
	p, _ := v.Step(now)
	if at := slices.IndexFunc(p.Facets, func(f Facet) bool { return f.Name == ImageFacet }); at < 0 || len(p.Facets[at].Values) < 4 {
		t.Errorf("facets: %+v", p.Facets)
	}
}

// TestUnknownFacts checks that a list which is filtered or sorted by how containers ended says of how many objects that is
// not known: their bodies were lost before it was read.
func TestUnknownFacts(t *testing.T) {
	m := newPodMaker(t)
	kind, _ := object.Builtin("pods")
	lost := podMaker{t, object.NewDecoder(kind, true), nil} // it takes no excerpts
	v := started([]*object.Object{endedPod(m, "killed", 600, "OOMKilled"), endedPod(lost, "lost", 600, "OOMKilled"), endedPod(lost, "fine", 0, "")})
	shape := computedShape(m)
	shape.ID = "pods"
	v.SetShape(shape)
	for i, c := range []struct {
		text, sort string
		unknown    int
	}{{"exit:OOMKilled", "", 1}, {"!exit:OOMKilled", "", 1}, {"waiting:", "", 1}, {"exit:Error exit-code>1", "", 1}, {"", "Exit", 1}, {"image:x", "", 0}, {"", "", 0}} {
		v.SetQuery(Query{Seq: uint32(i + 1), Limit: 10, Text: c.text, Sort: c.sort})
		p, _ := v.Step(now)
		var want []Gap
		if c.unknown > 0 {
			want = []Gap{{Resource: "pods", State: Unread, Unread: c.unknown}}
		}
		if !slices.Equal(p.Gaps, want) {
			t.Errorf("%s %s: %+v", c.text, c.sort, p.Gaps)
		}
	}
}
