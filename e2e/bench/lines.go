package main

import (
	"fmt"
	"time"
)

// From as many pods on, the tab has to be faster than the native informer; below,
// its start weighs too much.
const manyPods = 50_000

// The budgets: what each figure may be at most.
const (
	syncRatio       = 1.8 // of client-go's default informer
	syncRatioMany   = 0.9
	firstRowWithin  = 900 // ms
	heapRows        = 0.6 // KB a pod
	heapPacked      = 2.5
	workPerPod      = 15 // µs
	longTask        = 100
	filterMedian    = 50 // ms
	filterP95       = 100
	groupMedian     = 60
	detailWithin    = 100
	logsHeld        = 64 // MB
	sortWithin      = 300
	longFrame       = 50
	changeP50       = 10
	changeP99       = 34
	proxyIdleMost   = 40  // MB
	proxyTabMost    = 256 // KB
	apiserverFactor = 1.1
)

// lines makes the rows.
func (r *report) lines() {
	r.Sections = []section{
		{"sync, cold, in turns", r.syncLines()},
		{"the tab, synced", r.tabLines()},
		{fmt.Sprintf("while %.0f events/s flow (%.0f asked for)", r.Flowed, r.Churn), r.busyLines()},
		{"to the painted rows", r.paintLines()},
		{"the proxy and the apiserver", r.costLines()},
		{fmt.Sprintf("a log of %d MB/s, followed for %v", logsPace/1_000_000, r.gush.lasted), r.logLines()},
		{fmt.Sprintf("the demo cluster, %d pods, living", r.demo.pods), r.demoLines()},
	}
}

func (r *report) syncLines() []row {
	synced := r.tabSynced()
	rows := []row{
		{Name: "tab: navigation → boot", Unit: millis, Values: of(r.visits, func(v visit) float64 { return v.boot })},
		{Name: "tab: navigation → first row", Unit: millis, Values: of(r.visits, func(v visit) float64 { return v.firstRow }), Budget: &budget{Most: firstRowWithin}},
		{Name: "tab: navigation → synced", Unit: millis, Values: synced},
	}
	for _, kind := range nativeKinds {
		if n := r.natives[kind]; n != nil {
			rows = append(rows, row{Name: nativeNames[kind] + kind.awaited(), Unit: millis, Values: n.took})
		}
	}
	for _, kind := range nativeKinds {
		if n := r.natives[kind]; n != nil {
			line := row{Name: "tab synced / " + nativeNames[kind], Unit: times, Values: ratio(synced, n.took)}
			if kind == protobuf {
				line.Budget = &budget{Most: syncBudget(r.Pods)}
			}
			rows = append(rows, line)
		}
	}
	return append(rows, row{Name: "the machine's use by others, between turns", Unit: percent, Values: r.others})
}

func syncBudget(pods int) float64 {
	if pods >= manyPods {
		return syncRatioMany
	}
	return syncRatio
}

func (r *report) tabLines() []row {
	pods := float64(r.Pods)
	rows := []row{
		{Name: "worker heap", Unit: megabytes, Values: of(r.visits, func(v visit) float64 { return v.worker / 1e6 })},
		{Name: "  of a tab with one service", Unit: megabytes, Values: sample{r.bare.worker / 1e6}},
		{Name: "  more per pod: rows and indexes", Unit: kilobytes, Values: of(r.visits, func(v visit) float64 { return (v.worker - r.bare.worker - v.packed) / pods / 1e3 }), Budget: &budget{Most: heapRows}},
		{Name: "  more per pod: with packed objects", Unit: kilobytes, Values: of(r.visits, func(v visit) float64 { return (v.worker - r.bare.worker) / pods / 1e3 }), Budget: &budget{Most: heapPacked}},
		{Name: "  pods whose packed object is kept", Unit: count, Values: of(r.visits, func(v visit) float64 { return float64(v.packedKept) })},
		{Name: "page heap", Unit: megabytes, Values: of(r.visits, func(v visit) float64 { return v.page / 1e6 })},
		{Name: "worker thread per pod, view and GC included", Unit: micros, Values: of(r.visits, func(v visit) float64 { return float64(v.cpu-r.bare.cpu) / pods / float64(time.Microsecond) }), Budget: &budget{Most: workPerPod}},
	}
	for _, kind := range nativeKinds {
		if n := r.natives[kind]; n != nil && kind.informs() {
			rows = append(rows, row{Name: nativeNames[kind] + ": heap", Unit: megabytes, Values: n.heap.scaled(1e-6)})
		}
	}
	rows = append(rows, taskLines(r.visits, false)...)
	return append(rows, r.download, r.revisit)
}

func (r *report) busyLines() []row {
	synced := of(r.busy, func(v visit) float64 { return v.synced })
	return append([]row{
		{Name: "tab: navigation → first row", Unit: millis, Values: of(r.busy, func(v visit) float64 { return v.firstRow }), Budget: &budget{Most: firstRowWithin}},
		{Name: "tab: navigation → synced", Unit: millis, Values: synced},
		{Name: nativeNames[protobuf] + ": start → HasSynced", Unit: millis, Values: r.busyNative},
		{Name: "tab synced / " + nativeNames[protobuf], Unit: times, Values: ratio(synced, r.busyNative)},
	}, append(taskLines(r.busy, true),
		row{Name: "page tasks after boot, processor time of the longest", Unit: millis, Values: sample{r.busyTasks.quantile(1)}, Budget: &budget{Most: longFrame}},
		row{Name: "  of all", Unit: millis, Values: r.busyTasks, Of: quantile(0.99)},
	)...)
}

// taskLines are how often the page was held up after its boot, and how long at most.
func taskLines(visits []visit, held bool) []row {
	rows := []row{
		{Name: "page tasks > 50 ms after boot", Unit: count, Values: of(visits, func(v visit) float64 { return float64(len(v.tasks)) })},
		{Name: "  the longest of each visit", Unit: millis, Values: of(visits, func(v visit) float64 { return sample(append(v.tasks, 0)).quantile(1) })},
	}
	if held {
		rows[0].Budget = &budget{Most: 0}
		rows[1].Budget = &budget{Most: longTask, Of: quantile(1)}
	}
	return rows
}

func (r *report) paintLines() []row {
	return []row{
		{Name: "filter typed → painted, median", Unit: millis, Values: r.filter, Budget: &budget{Most: filterMedian}},
		{Name: "filter typed → painted, p95", Unit: millis, Values: r.filter, Of: quantile(0.95), Budget: &budget{Most: filterP95, Of: quantile(0.95)}},
		{Name: "pod selected → its summary painted, median", Unit: millis, Values: r.details, Budget: &budget{Most: detailWithin}},
		{Name: "pod selected → its summary painted, p95", Unit: millis, Values: r.details, Of: quantile(0.95), Budget: &budget{Most: detailWithin, Of: quantile(0.95)}},
		{Name: "change: answered → painted, p50", Unit: millis, Values: r.painted, Budget: &budget{Most: changeP50}},
		{Name: "change: answered → painted, p99", Unit: millis, Values: r.painted, Of: quantile(0.99), Budget: &budget{Most: changeP99, Of: quantile(0.99)}},
		{Name: "change: answered → in the DOM, p50", Unit: millis, Values: r.changed},
		{Name: "change: answered → in the DOM, p99", Unit: millis, Values: r.changed, Of: quantile(0.99)},
		{Name: "change: sent → painted, p50", Unit: millis, Values: r.fromSent},
	}
}

func (r *report) costLines() []row {
	cpu := of(r.visits, func(v visit) float64 { return float64(v.served.cpu.Milliseconds()) })
	bytes := of(r.visits, func(v visit) float64 { return v.served.bytes })
	var nativeCPU, nativeBytes sample
	for _, u := range r.natives[protobuf].served {
		nativeCPU, nativeBytes = append(nativeCPU, float64(u.cpu.Milliseconds())), append(nativeBytes, u.bytes)
	}
	return []row{
		{Name: "proxy at rest, RSS", Unit: megabytes, Values: r.proxyIdle, Budget: &budget{Most: proxyIdleMost}},
		{Name: "  more with one tab", Unit: kilobytes, Values: r.proxyFirst},
		{Name: "  more with each further browser", Unit: kilobytes, Values: r.proxyMore, Budget: &budget{Most: proxyTabMost}},
		{Name: "apiserver CPU, one tab's sync", Unit: millis, Values: cpu},
		{Name: "apiserver CPU, one native protobuf sync", Unit: millis, Values: nativeCPU},
		{Name: "  ratio", Unit: times, Values: r.apiserverRatio(), Budget: &budget{Most: apiserverFactor}},
		{Name: "apiserver bytes written, one tab's sync", Unit: megabytes, Values: bytes.scaled(1e-6)},
		{Name: "apiserver bytes written, one native protobuf sync", Unit: megabytes, Values: nativeBytes.scaled(1e-6)},
		{Name: "  ratio", Unit: times, Values: ratio(bytes, nativeBytes), Budget: &budget{Most: apiserverFactor}},
	}
}

// logLines are those of the log that was followed.
func (r *report) logLines() []row {
	g := r.gush
	return []row{
		{Name: "lines, each of them counted", Unit: count, Values: sample{float64(g.lines)}},
		{Name: "  of which dropped for want of room", Unit: count, Values: sample{g.dropped}},
		{Name: "last line written → counted", Unit: millis, Values: sample{g.behind}},
		{Name: "page tasks > 50 ms", Unit: count, Values: sample{float64(len(g.tasks))}, Budget: &budget{Most: 0}},
		{Name: "  the longest", Unit: millis, Values: sample{append(g.tasks, 0).quantile(1)}},
		{Name: "held of it, worker and page", Unit: megabytes, Values: sample{g.held / 1e6}, Budget: &budget{Most: logsHeld}},
		{Name: "  with garbage, at most", Unit: megabytes, Values: sample{g.most / 1e6}},
	}
}

// apiserverRatio is what a tab's sync costs the apiserver, of a native one's.
func (r *report) apiserverRatio() sample {
	cpu := func(u usage) float64 { return float64(u.cpu.Milliseconds()) }
	var native sample
	for _, u := range r.natives[protobuf].served {
		native = append(native, cpu(u))
	}
	return ratio(of(r.visits, func(v visit) float64 { return cpu(v.served) }), native)
}
