//go:build !js

package problem

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"watchglass/internal/problem/problemtest"
	"watchglass/internal/problem/rule"
)

// podsNamed returns changes that add pods, copies of one with names of their own.
func podsNamed(b testing.TB, n int, docs ...string) []Change {
	b.Helper()
	all := make([]Change, n)
	for i := range all {
		name := fmt.Sprintf(`{"metadata":{"name":"web-5d9c-%05d","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web%d-5d9c","controller":true}]}}`, i, i/10)
		all[i] = decode(b, true, append(append([]string{}, docs...), name)...)
	}
	return all
}

// BenchmarkWants looks at healthy pods.
func BenchmarkWants(b *testing.B) {
	c := podsNamed(b, 1, problemtest.HealthyPod)[0]
	id := c.Kind.ID()
	b.ReportAllocs()
	for b.Loop() {
		if rule.Wants(c.Kind, id, c.Columns, c.After, 0) {
			b.Fatal("a healthy pod is wanted")
		}
	}
}

// BenchmarkApplyHealthy counts healthy pods, into an engine that knows a thousand broken ones.
func BenchmarkApplyHealthy(b *testing.B) {
	broken, healthy := podsNamed(b, 1000, problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus), podsNamed(b, 1000, problemtest.HealthyPod, `{"metadata":{"namespace":"other"}}`)
	e := New(Options{})
	e.Apply(broken, problemtest.Noon)
	e.Read(problemtest.Noon, 0)
	e.Changed(problemtest.Noon)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		e.Apply(healthy, problemtest.Noon)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(healthy)), "ns/pod")
}

// BenchmarkBroken applies a thousand broken pods of a hundred Deployments, and returns their rows.
func BenchmarkBroken(b *testing.B) {
	broken := podsNamed(b, 1000, problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		e := New(Options{})
		e.Apply(broken, problemtest.Noon)
		e.Read(problemtest.Noon, 0)
		if rows, _ := e.Changed(problemtest.Noon); len(rows) != 100 {
			b.Fatal(len(rows))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(broken)), "µs/pod")
}

// BenchmarkOneOfMany changes one of a thousand broken pods.
func BenchmarkOneOfMany(b *testing.B) {
	broken := podsNamed(b, 1000, problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus)
	e := New(Options{})
	e.Apply(broken, problemtest.Noon)
	e.Read(problemtest.Noon, 0)
	e.Changed(problemtest.Noon)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		c := broken[i%len(broken)]
		c.Before = c.After
		e.Apply([]Change{c}, problemtest.Noon)
		e.Read(problemtest.Noon.Add(time.Second), 0)
		e.Changed(problemtest.Noon.Add(time.Second))
	}
}

// TestWantsAllocates holds that a healthy pod costs no memory.
func TestWantsAllocates(t *testing.T) {
	healthy := podsNamed(t, 100, problemtest.HealthyPod)
	e := New(Options{})
	e.Apply(healthy[:1], problemtest.Noon)
	if n := testing.AllocsPerRun(10, func() { e.Apply(healthy, problemtest.Noon) }); n != 0 || len(e.records) != 0 {
		t.Errorf("%v allocations, %d records", n, len(e.records))
	}
	if n := testing.AllocsPerRun(10, func() { rule.Wants(healthy[0].Kind, healthy[0].Kind.ID(), healthy[0].Columns, healthy[0].After, 0) }); n != 0 {
		t.Errorf("Wants: %v allocations", n)
	}
}

// TestRecordSize holds that the record of an object that is well stays small: 64 bytes more are 2.5 MB at
// 100,000 pods of the demo.
func TestRecordSize(t *testing.T) {
	if n := unsafe.Sizeof(record{}); n > 256 {
		t.Errorf("a record takes %d bytes", n)
	}
}
