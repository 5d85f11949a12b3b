package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
)

const (
	// demoPods are as many as the design promises.
	demoPods = 100_000
	// demoVisits is how often the demo is opened.
	demoVisits = 3
	// scrollPace is a fast turn of a wheel, in pixels a second.
	scrollPace = 5000
	scrollFor  = 5 * time.Second
)

// demo is what was measured of the demo cluster, which lives all the while.
type demo struct {
	pods         int
	visits       []visit
	filter, sort sample
	facet        sample
	group        sample
	frames       sample  // milliseconds between two of them, while the list scrolls
	empty        float64 // of them, in percent, that had no rows yet
	ends         sample  // as frames, while it scrolls from one end to the other
}

// demo measures the demo cluster that the proxy carries.
func (b *bench) demo(ctx context.Context, r *report) (err error) {
	visits := demoVisits
	r.demo.pods = demoPods
	if b.quick {
		visits, r.demo.pods = 1, b.pods
	}
	p, err := proxy.Start(ctx, proxy.Options{Args: []string{"--demo", "--demo-objects", strconv.Itoa(r.demo.pods)}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	for i := range visits {
		ask := i == visits-1
		err := inTab(ctx, func(tab *browser.Tab) error { return b.visitDemo(ctx, p, &r.demo, tab, ask) })
		if err != nil {
			return err
		}
	}
	return nil
}

// visitDemo measures one visit, and what is asked in it.
func (b *bench) visitDemo(ctx context.Context, p *proxy.Proxy, d *demo, tab *browser.Tab, ask bool) error {
	v, err := b.open(tab, p.At("/pods"), "pods")
	if err != nil {
		return err
	}
	if v.cpu, err = workerCPU(); err != nil {
		return err
	}
	if err := v.inspect(tab, "pods"); err != nil {
		return err
	}
	b.logf("demo: %d pods, first row %.0f ms, synced %.0f ms", v.objects, v.firstRow, v.synced)
	d.visits = append(d.visits, v)
	if !ask {
		return nil
	}
	if err := prepare(ctx, tab); err != nil {
		return err
	}
	if d.filter, err = b.filtered(tab); err != nil {
		return err
	}
	if d.facet, err = b.clicked(tab); err != nil {
		return err
	}
	if d.sort, err = b.sorted(tab); err != nil {
		return err
	}
	if d.group, err = b.groupedBy(tab); err != nil {
		return err
	}
	return b.scrolled(tab, d)
}

// scrolled scrolls the list, as fast as a wheel and then from one end to the other,
// and sees whether it keeps up.
func (b *bench) scrolled(tab *browser.Tab, d *demo) error {
	frames, empty, err := b.scroll(tab, scrollPace)
	if err != nil {
		return err
	}
	d.frames, d.empty = frames, 100*float64(empty)/float64(len(frames))
	height, err := browser.Eval[float64](tab, `(g => g.scrollHeight - g.clientHeight)(document.querySelector("[role=grid]"))`)
	if err != nil {
		return err
	}
	d.ends, _, err = b.scroll(tab, height/scrollFor.Seconds())
	return err
}

// scroll scrolls from the top at a pace, in pixels a second.
func (b *bench) scroll(tab *browser.Tab, pace float64) (frames sample, empty int, err error) {
	got, err := browser.Eval[struct {
		Frames   sample
		Empty    int
		Scrolled float64
	}](tab, fmt.Sprintf("benchScroll(%f, %d)", pace, scrollFor.Milliseconds()))
	if err != nil {
		return nil, 0, err
	}
	if want := pace * scrollFor.Seconds(); got.Scrolled < want*0.95 {
		return nil, 0, fmt.Errorf("the list scrolled by %.0f pixels of %.0f", got.Scrolled, want)
	}
	b.logf("scroll by %.0f px/s: %d frames, %d of them empty", pace, len(got.Frames), got.Empty)
	return got.Frames, got.Empty, nil
}

func (r *report) demoLines() []row {
	d := r.demo
	return []row{
		{Name: "tab: navigation → first row", Unit: millis, Values: of(d.visits, func(v visit) float64 { return v.firstRow }), Budget: &budget{Most: firstRowWithin}},
		{Name: "tab: navigation → synced", Unit: millis, Values: of(d.visits, func(v visit) float64 { return v.synced })},
		{Name: "worker heap", Unit: megabytes, Values: of(d.visits, func(v visit) float64 { return v.worker / 1e6 })},
		{Name: "  per pod: rows and indexes", Unit: kilobytes, Values: of(d.visits, func(v visit) float64 { return (v.worker - v.packed) / float64(v.objects) / 1e3 }), Budget: &budget{Most: heapRows}},
		{Name: "  per pod: with packed objects", Unit: kilobytes, Values: of(d.visits, func(v visit) float64 { return v.worker / float64(v.objects) / 1e3 }), Budget: &budget{Most: heapPacked}},
		{Name: "filter typed → painted, median", Unit: millis, Values: d.filter, Budget: &budget{Most: filterMedian}},
		{Name: "filter typed → painted, p95", Unit: millis, Values: d.filter, Of: quantile(0.95), Budget: &budget{Most: filterP95, Of: quantile(0.95)}},
		{Name: "facet clicked → painted, median", Unit: millis, Values: d.facet, Budget: &budget{Most: filterMedian}},
		{Name: "facet clicked → painted, p95", Unit: millis, Values: d.facet, Of: quantile(0.95), Budget: &budget{Most: filterP95, Of: quantile(0.95)}},
		{Name: "group clicked → painted, median", Unit: millis, Values: d.group, Budget: &budget{Most: groupMedian}},
		{Name: "group clicked → painted, slowest", Unit: millis, Values: d.group, Of: quantile(1)},
		{Name: "sort clicked → painted, median", Unit: millis, Values: d.sort},
		{Name: "sort clicked → painted, slowest", Unit: millis, Values: d.sort, Of: quantile(1), Budget: &budget{Most: sortWithin, Of: quantile(1)}},
		{Name: fmt.Sprintf("scrolling by %d px/s: between frames, median", scrollPace), Unit: millis, Values: d.frames},
		{Name: fmt.Sprintf("scrolling by %d px/s: between frames, p99", scrollPace), Unit: millis, Values: d.frames, Of: quantile(0.99)},
		{Name: "  frames without rows", Unit: percent, Values: sample{d.empty}},
		{Name: "scrolling from end to end: between frames, median", Unit: millis, Values: d.ends},
		{Name: "scrolling from end to end: between frames, the longest", Unit: millis, Values: d.ends, Of: quantile(1), Budget: &budget{Most: longFrame, Of: quantile(1)}},
	}
}
