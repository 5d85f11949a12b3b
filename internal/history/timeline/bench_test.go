package timeline

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/history"
)

// hour is a record of an hour at 100 changes a second on 10,000 pods: most are of their status, some are
// restarts, and some of labels. It makes each change when it is asked for it.
type hour struct {
	history.Record
	pods  [][4][]byte // versions of each pod
	count int
}

const hourly = 360_000

func newHour(t testing.TB) *hour {
	h := &hour{count: hourly}
	for i := range 10_000 {
		var versions [4][]byte
		for v := range versions {
			p := pod("web-" + strconv.Itoa(i))
			p.Labels["pod-template-hash"] = strconv.Itoa(i % 500)
			p.OwnerReferences[0].Name = fmt.Sprint("web", i%500, "-", i%500)
			p.Spec.NodeName = fmt.Sprint("node-", i%200)
			p.UID, p.ResourceVersion = "u", fmt.Sprint(i*4+v)
			for range 20 { // as large as pods are
				p.Spec.Containers[0].Env = append(p.Spec.Containers[0].Env, corev1.EnvVar{Name: fmt.Sprint("SETTING_", len(p.Spec.Containers[0].Env)), Value: "a value that is not short"})
			}
			p.Status.PodIP = fmt.Sprint("10.0.0.", v)
			if v == 3 {
				p.Status.ContainerStatuses[0].RestartCount = 1
			}
			if v == 2 {
				p.Labels["app"] = "other"
			}
			versions[v] = packed(t, p)
		}
		h.pods = append(h.pods, versions)
	}
	return h
}

func (h *hour) Span() (from, to time.Time) { return begin, begin.Add(time.Hour) }
func (h *hour) Streams() []history.Stream  { return []history.Stream{podStream} }
func (h *hour) Gaps(int) []history.Gap     { return nil }
func (h *hour) Count() uint64              { return uint64(h.count) }
func (h *hour) Between(_ int, from, to time.Time, yield func(history.Change) bool) {
	for i := range h.count {
		at := begin.Add(time.Duration(i+1) * 10 * time.Millisecond)
		p := i * 7 % len(h.pods)
		v := []int{0, 1, 0, 1, 0, 1, 2, 3}
		k := i / len(h.pods) % (len(v) - 1)
		if at.After(from) && !at.After(to) && !yield(history.Change{At: at, Type: 'M', Key: "shop/web-" + strconv.Itoa(p), UID: "u", Before: h.pods[p][v[k]], After: h.pods[p][v[k+1]]}) {
			return
		}
	}
}

// BenchmarkHour reads an hour and draws it, in steps as the hub does, and reports the longest of them.
func BenchmarkHour(b *testing.B) {
	h := newHour(b)
	for b.Loop() {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		line := New(h, find)
		longest := time.Duration(0)
		step := func(f func(time.Duration) bool) (took time.Duration) {
			for more := true; more; {
				began := time.Now()
				more = f(4 * time.Millisecond)
				once := time.Since(began)
				longest, took = max(longest, once), took+once
			}
			return took
		}
		read := step(line.Read)
		d := line.Draw(Question{Bars: 300, Most: 40, Lanes: "owner"})
		draw := step(d.Count)
		began := time.Now()
		p := d.Picture()
		picture := time.Since(began)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if p.Total+p.Folded != h.count || len(p.Lanes) != 40 {
			b.Fatalf("%d and %d of %d, %d lanes", p.Total, p.Folded, h.count, len(p.Lanes))
		}
		b.ReportMetric(float64(read.Milliseconds()), "ms-read")
		b.ReportMetric(float64(draw.Milliseconds()), "ms-count")
		b.ReportMetric(float64(picture.Microseconds())/1000, "ms-picture")
		b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB-heap")
		runtime.KeepAlive(line)
	}
}
