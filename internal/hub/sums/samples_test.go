//go:build !js

package sums

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/series"
)

// TestSamplesOfAnother checks that an object has no measurements of one of the same name that was there before it.
func TestSamplesOfAnother(t *testing.T) {
	d, _ := metrics(t)
	s, now := NewSamples(), time.Unix(1_800_000_000, 0)
	var before *object.Object
	for i, cpu := range []int{950, 940, 3, 4} { // the third is of a new pod
		after := measuredAt(t, d, "web-0", cpu, i)
		s.Apply("pods.metrics.k8s.io", d.Columns(), []Change{{Before: before, After: after}}, time.Minute, now.Add(time.Duration(i)*time.Minute))
		before = after
	}
	cpu, _ := s.Of("a/web-0", 2, now.Add(3*time.Minute))
	if slices.Max(cpu) != 4 {
		t.Errorf("up to %v", slices.Max(cpu))
	}
	if cpu, _ = s.Of("a/web-0", 0, now.Add(3*time.Minute)); slices.Max(cpu) < 900 {
		t.Errorf("of all: up to %v", slices.Max(cpu))
	}
}

// TestSamplesModel polls metrics at random, with pauses and objects that are not measured, and
// compares each series with one that is made from all samples: what was not polled is a gap.
func TestSamplesModel(t *testing.T) {
	d, decode := metrics(t)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		s, now := NewSamples(), time.Unix(1_800_000_000, 0)
		all, held := map[string][]sample{}, map[string]*object.Object{}
		for round := range 200 {
			now = now.Add(time.Duration(r.IntN(40)) * time.Second)
			if r.IntN(30) == 0 {
				now = now.Add(time.Duration(r.IntN(20)) * time.Minute)
			}
			if r.IntN(20) == 0 {
				clear(held) // the source was closed
			}
			for i := range 4 {
				name := fmt.Sprint("p", i)
				key := "a/" + name
				c := Change{Before: held[key]}
				if delete(held, key); r.IntN(6) == 0 {
					s.Apply("pods.metrics.k8s.io", d.Columns(), []Change{c}, 10*time.Second, now)
					continue
				}
				cpu := r.IntN(1000)
				c.After = measuredAt(t, d, name, cpu, round)
				held[key] = c.After
				s.Apply("pods.metrics.k8s.io", d.Columns(), []Change{c}, 10*time.Second, now)
				all[key] = append(all[key], sample{received: uint32(now.Unix()), cpu: float32(cpu), joined: c.Before != nil})
			}
			s.Apply("pods.metrics.k8s.io", d.Columns(), []Change{{After: decode("a", "other", 1)}}, 0, now) // always the same
			for key := range all {
				got, memory := s.Of(key, 0, now)
				if want := naive(all[key], now); !slices.Equal(got, want) {
					t.Fatalf("seed %d, %s:\n%v, want\n%v", seed, key, got, want)
				}
				if last := memory[series.Steps-1]; last >= 0 && last != 1<<20*1000 {
					t.Fatalf("memory: %v", last)
				}
			}
		}
	}
	if cpu, _ := NewSamples().Of("a/none", 0, time.Now()); slices.Max(cpu) != series.Unknown {
		t.Errorf("of nothing: %v", cpu)
	}
}

// measuredAt returns the metrics of a pod, measured so many seconds after an hour.
func measuredAt(t testing.TB, d *object.Decoder, name string, cpu, seconds int) *object.Object {
	o, err := d.Decode(fmt.Appendf(nil, `{"kind":"PodMetrics","apiVersion":"metrics.k8s.io/v1beta1","metadata":{"name":%q,"namespace":"a"},"timestamp":%q,"containers":[{"usage":{"cpu":"%dm","memory":"1Mi"}}]}`, name, time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339), cpu))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func naive(all []sample, now time.Time) []float32 {
	out := series.Blank()
	step := func(i int) int64 {
		return series.Steps - 1 - series.StepOf(now) + series.StepOf(time.Unix(int64(all[i].received), 0))
	}
	for i, m := range all {
		from := step(i)
		if m.joined && i > 0 && m.received-all[i-1].received <= 90 {
			from = min(from, step(i-1)+1)
		}
		for at := max(from, 0); at <= step(i); at++ {
			out[at] = m.cpu
		}
	}
	return out
}

// TestSamplesTwice takes a measurement once, though two sources bring it.
func TestSamplesTwice(t *testing.T) {
	d, _ := metrics(t)
	s, now := NewSamples(), time.Unix(1_800_000_000, 0)
	for i := range 4 {
		s.Apply("pods.metrics.k8s.io", d.Columns(), []Change{{After: measuredAt(t, d, "p", 5, i/2)}}, 0, now)
	}
	if len(s.all) != 2 {
		t.Errorf("%d samples", len(s.all))
	}
}

// TestSamplesBound polls far more pods than fit, some of which are replaced: the samples take no more
// than mostBytes, and what is kept is the newest. Once all are too old, none is kept.
func TestSamplesBound(t *testing.T) {
	names := func(from int) (all []string) {
		for i := range 30_000 {
			all = append(all, strings.Clone(fmt.Sprintf("team-%02d/checkout-web-5d9c7bd8b6-%05d", i%40, i+from)))
		}
		return all
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	s, now := NewSamples(), time.Unix(1_800_000_000, 0)
	var keys []string
	for round := range 30 {
		if round%10 == 0 {
			keys = names(round * 10_000)
		}
		now = now.Add(30 * time.Second)
		for _, key := range keys {
			s.addLocked(key, sample{received: uint32(now.Unix()), measured: uint32(now.Unix()), cpu: 1, joined: true}, time.Minute)
			if n := s.bytesLocked(); n > mostBytes {
				t.Fatalf("%d bytes", n)
			}
		}
	}
	last := keys[len(keys)-1]
	cpu, _ := s.Of(last, 0, now)
	if n := len(s.all); n < mostBytes/sampleBytes/4 || cpu[series.Steps-1] != 1 || cpu[series.Steps-3] != 1 {
		t.Errorf("%d samples, %v", n, cpu)
	}
	keys = nil
	if used := heap() - before; used > mostBytes {
		t.Errorf("%d bytes of heap", used)
	}
	runtime.KeepAlive(s)
	if s.Trim(now.Add(15 * time.Minute)); len(s.last) == 0 {
		t.Error("what is shown has been dropped")
	}
	if s.Trim(now.Add(20 * time.Minute)); len(s.all)+len(s.last)+s.keys != 0 {
		t.Errorf("%d samples, %d objects, %d bytes", len(s.all), len(s.last), s.keys)
	}
}

// BenchmarkSamples notes one poll of 20,000 pods.
func BenchmarkSamples(b *testing.B) {
	d, _ := metrics(b)
	changes := make([]Change, 20_000)
	for i := range changes {
		changes[i].After = measuredAt(b, d, fmt.Sprint("checkout-web-5d9c7bd8b6-", i), i%1000, 1)
	}
	s, now := NewSamples(), time.Unix(1_800_000_000, 0)
	b.ReportAllocs()
	for b.Loop() {
		for i := range s.all {
			s.all[i].measured = 0 // what follows is new
		}
		now = now.Add(110 * time.Second)
		s.Apply("pods.metrics.k8s.io", d.Columns(), changes, 110*time.Second, now)
	}
	b.ReportMetric(float64(s.bytesLocked()), "bytes")
	b.ReportMetric(float64(len(s.all))/20_000, "samples/pod")
}
