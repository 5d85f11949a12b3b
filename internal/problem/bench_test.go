//go:build !js

package problem

import (
	"fmt"
	"testing"
	"time"
	"unsafe"
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
	c := podsNamed(b, 1, healthyPod)[0]
	b.ReportAllocs()
	for b.Loop() {
		if Wants(*c.Kind, c.Columns, c.After) {
			b.Fatal("a healthy pod is wanted")
		}
	}
}

// BenchmarkApplyHealthy counts healthy pods, into an engine that knows a thousand broken ones.
func BenchmarkApplyHealthy(b *testing.B) {
	broken, healthy := podsNamed(b, 1000, healthyPod, unreadySince5m, oomStatus), podsNamed(b, 1000, healthyPod, `{"metadata":{"namespace":"other"}}`)
	e := New(Options{})
	e.Apply(broken, noon)
	e.Read(noon, 0)
	e.Changed(noon)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		e.Apply(healthy, noon)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(healthy)), "ns/pod")
}

// BenchmarkBroken applies a thousand broken pods of a hundred Deployments, and returns their rows.
func BenchmarkBroken(b *testing.B) {
	broken := podsNamed(b, 1000, healthyPod, unreadySince5m, oomStatus)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		e := New(Options{})
		e.Apply(broken, noon)
		e.Read(noon, 0)
		if rows, _ := e.Changed(noon); len(rows) != 100 {
			b.Fatal(len(rows))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(broken)), "µs/pod")
}

// BenchmarkOneOfMany changes one of a thousand broken pods.
func BenchmarkOneOfMany(b *testing.B) {
	broken := podsNamed(b, 1000, healthyPod, unreadySince5m, oomStatus)
	e := New(Options{})
	e.Apply(broken, noon)
	e.Read(noon, 0)
	e.Changed(noon)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		c := broken[i%len(broken)]
		c.Before = c.After
		e.Apply([]Change{c}, noon)
		e.Read(noon.Add(time.Second), 0)
		e.Changed(noon.Add(time.Second))
	}
}

// TestWantsAllocates holds that a healthy pod costs no memory.
func TestWantsAllocates(t *testing.T) {
	healthy := podsNamed(t, 100, healthyPod)
	e := New(Options{})
	e.Apply(healthy[:1], noon)
	if n := testing.AllocsPerRun(10, func() { e.Apply(healthy, noon) }); n != 0 || len(e.records) != 0 {
		t.Errorf("%v allocations, %d records", n, len(e.records))
	}
	if n := testing.AllocsPerRun(10, func() { Wants(*healthy[0].Kind, healthy[0].Columns, healthy[0].After) }); n != 0 {
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
