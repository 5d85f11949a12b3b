//go:build !js

package sums

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"watchglass/internal/object"
)

// metrics decodes the metrics of a pod, as the sources of usage do.
func metrics(t testing.TB) (d *object.Decoder, decode func(namespace, name string, cpu int) *object.Object) {
	var extras []object.Extra
	for _, path := range MetricsPaths("pods.metrics.k8s.io") {
		e, err := object.ParseExtra(path)
		if err != nil {
			t.Fatal(err)
		}
		extras = append(extras, e)
	}
	d = object.NewDecoder(object.Kind{Group: MetricsGroup, Version: "v1beta1", Resource: "pods", Name: "PodMetrics", Namespaced: true}, false, extras...)
	return d, func(namespace, name string, cpu int) *object.Object {
		o, err := d.Decode(fmt.Appendf(nil, `{"kind":"PodMetrics","apiVersion":"metrics.k8s.io/v1beta1","metadata":{"name":%q,"namespace":%q},"timestamp":"2026-11-23T15:00:00Z","containers":[{"usage":{"cpu":"%dm","memory":"1Mi"}},{"usage":{"cpu":"0","memory":"1Mi"}}]}`, name, namespace, cpu))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
}

// TestUsageModel changes metrics at random, and compares what namespaces use with a naive count.
func TestUsageModel(t *testing.T) {
	d, decode := metrics(t)
	m := newMaker(t)
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		u := NewUsage("namespaces", m.codes)
		u.Set(Ready)
		u.Complete("", true)
		used, objects := map[string]int{}, map[string]*object.Object{}
		for range 200 {
			namespace, name := fmt.Sprint("ns", r.IntN(3)), fmt.Sprint("p", r.IntN(10))
			key := namespace + "/" + name
			c := Change{Before: objects[key]}
			delete(objects, key)
			if delete(used, key); r.IntN(3) > 0 {
				used[key] = r.IntN(1000)
				c.After = decode(namespace, name, used[key])
				objects[key] = c.After
			} else if c.Before == nil {
				continue
			}
			u.Apply(d.Columns(), []Change{c})
			for i := range 3 {
				sum, pods := 0, 0
				for key, n := range used {
					if key[:3] == fmt.Sprint("ns", i) {
						sum, pods = sum+n, pods+1
					}
				}
				want := ""
				if pods > 0 {
					want = fmt.Sprintf("%dm %dMi", sum, 2*pods)
				}
				cells := u.Cells(m.node(fmt.Sprint("ns", i), "1", "1", "1"))
				if got := cells[0].Text + " " + cells[1].Text; got != want && got != want+" " {
					t.Fatalf("seed %d: %q, want %q", seed, got, want)
				}
			}
		}
	}
}

// TestUsageCells checks the cells of a pod, and what they say without metrics.
func TestUsageCells(t *testing.T) {
	d, decode := metrics(t)
	m := newMaker(t)
	p := &corev1.Pod{}
	p.Namespace, p.Name = "a", "p"
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("500m")}, Limits: corev1.ResourceList{"memory": resource.MustParse("8Mi")},
	}}}
	pod, u := m.pod(p), NewUsage("pods", m.codes)
	check := func(want string) {
		t.Helper()
		var texts []any
		for _, c := range u.Cells(pod) {
			texts = append(texts, c.Text)
		}
		if got := fmt.Sprintf("%q", texts); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	check(`["…" "…" "" "" "" "" ""]`)
	u.Set(Ready)
	check(`["" "" "" "" "" "" ""]`)
	u.Apply(d.Columns(), []Change{{After: decode("a", "p", 100)}})
	check(`["100m (20%)" "2Mi" "" "20%" "" "" "25%"]`)
	if c := u.Cells(pod); c[0].Amount != 0.1 || c[1].Amount != 2<<20 || c[2].At == 0 || c[3].Amount != 0.2 {
		t.Errorf("%+v", c)
	}
	if keys := u.Touched(); len(keys) != 1 || keys[0] != "a/p" {
		t.Errorf("%q", keys)
	}
	u.Set(Denied)
	check(`["" "" "" "" "" "" ""]`)
	spaces := NewUsage("namespaces", m.codes)
	spaces.Apply(d.Columns(), []Change{{After: decode("a", "p", 100)}})
	if c := spaces.Cells(m.node("a", "1", "1", "1")); c[0].Text != "…" {
		t.Errorf("a part of a namespace is its sum: %+v", c[0])
	}
}

// TestUsageClamped checks that sums of amounts that no quantity can hold are the largest one, and are
// exact again once those are gone.
func TestUsageClamped(t *testing.T) {
	for _, c := range []struct {
		list string
		want int64
	}{{"9223372036854775807,9223372036854775807", math.MaxInt64}, {"9e18,9e18,9e18", math.MaxInt64}, {"-9e18,-9e18,1", -math.MaxInt64}, {"1,500m", 1500}, {"", 0}} {
		if got := added(c.list); got != c.want {
			t.Errorf("%s: %d, want %d", c.list, got, c.want)
		}
	}
	u := NewUsage("namespaces", newMaker(t).codes)
	u.setLocked("a/huge", usageOf{math.MaxInt64, math.MaxInt64, 1}, true)
	u.setLocked("a/huge2", usageOf{math.MaxInt64, 1, 1}, true)
	u.setLocked("a/negative", usageOf{-math.MaxInt64, -math.MaxInt64, 1}, true)
	u.setLocked("a/negative", usageOf{}, false)
	u.setLocked("a/small", usageOf{7, 8, 1}, true)
	if s := u.spaces["a"]; s.cpu.Clamped() != math.MaxInt64 || s.memory.Clamped() != math.MaxInt64 {
		t.Errorf("%d and %d", s.cpu.Clamped(), s.memory.Clamped())
	}
	u.setLocked("a/huge", usageOf{}, false)
	u.setLocked("a/huge2", usageOf{}, false)
	if s := u.spaces["a"]; s.cpu.Clamped() != 7 || s.memory.Clamped() != 8 || s.pods != 1 {
		t.Errorf("%d and %d of %d pods", s.cpu.Clamped(), s.memory.Clamped(), s.pods)
	}
}
