package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"watchglass/e2e/browser"
)

// settle is how long the machine is left alone before something is measured: a
// Chromium that has just started has much to do that no visit should pay for.
const settle = time.Second

// visit is one cold navigation in a Chromium of its own: no cache, no code cache,
// no cookie. Times are in milliseconds from the navigation.
type visit struct {
	boot, firstRow, synced float64
	glimpse, live          float64 // of a second visit

	objects      int
	worker, page float64 // bytes of Go heap, after a collection in the worker
	packed       float64 // of the worker's, in packed objects
	packedKept   int
	cpu          time.Duration // of the worker's thread, until synced
	tasks        []float64     // of the page, longer than 50 ms, after boot
	served       usage         // by the apiserver
	painted      float64       // median from a write to its cell, in milliseconds
}

// marks waits in the page for the marks of a visit, and answers with their times;
// with none after a while, since no question to a page may take too long.
const marks = `((names) => new Promise((done) => {
	const look = () => {
		const times = names.map((name) => performance.getEntriesByName(name)[0]?.startTime);
		if (!times.includes(undefined)) done(times);
	};
	new PerformanceObserver(look).observe({ type: "mark", buffered: true });
	look();
	setTimeout(done, 30_000, []);
}))(["watchglass:boot", "watchglass:first-row", "watchglass:synced:%s"])`

// syncWithin bounds one sync, of a tab or of a native informer.
const syncWithin = 10 * time.Minute

// inTab runs f in a tab of a fresh Chromium, which has further flags.
func inTab(ctx context.Context, f func(tab *browser.Tab) error, flags ...string) error {
	return inBrowser(ctx, func(chrome *browser.Browser) error {
		tab, err := quietTab(chrome)
		if err == nil {
			err = sleep(ctx, settle)
		}
		if err == nil {
			err = f(tab)
		}
		return err
	}, flags...)
}

// inBrowser runs f with a fresh Chromium, which has further flags.
func inBrowser(ctx context.Context, f func(chrome *browser.Browser) error, flags ...string) error {
	chrome, err := browser.Start(ctx, flags...)
	if err != nil {
		return err
	}
	return errors.Join(f(chrome), chrome.Stop())
}

// quietTab opens a tab in a profile of its own, and has the browser report nothing of it but what is asked.
func quietTab(chrome *browser.Browser) (*browser.Tab, error) {
	tab, err := chrome.NewTab()
	if err != nil {
		return nil, err
	}
	return tab, tab.Quiet()
}

// open navigates and returns when the resource is synced.
func (b *bench) open(tab *browser.Tab, address, resource string) (visit, error) {
	var v visit
	if err := tab.Open(address); err != nil {
		return v, err
	}
	var times []float64
	for begin := time.Now(); len(times) == 0; {
		if time.Since(begin) > syncWithin {
			return v, fmt.Errorf("%s did not sync within %s", resource, syncWithin)
		}
		var err error
		if times, err = browser.Eval[[]float64](tab, fmt.Sprintf(marks, resource)); err != nil {
			return v, fmt.Errorf("wait for %s: %w", resource, err)
		}
	}
	v.boot, v.firstRow, v.synced = times[0], times[1], times[2]
	return v, nil
}

// sync measures one visit of the pods.
func (b *bench) sync(ctx context.Context, after time.Duration) (v visit, err error) {
	err = inTab(ctx, func(tab *browser.Tab) error {
		v, err = b.measured(tab, "pods")
		if err != nil {
			return err
		}
		if err := sleep(ctx, after); err != nil {
			return err
		}
		return v.inspect(tab, "pods")
	})
	return v, err
}

// measured is open, with what it cost.
func (b *bench) measured(tab *browser.Tab, resource string) (v visit, err error) {
	v.served, err = b.spent(func() error {
		served := v.served
		if v, err = b.open(tab, b.proxy.At("/"+resource), resource); err == nil {
			v.cpu, err = workerCPU()
		}
		v.served = served
		return err
	})
	return v, err
}

// inspect asks the tab what it holds.
func (v *visit) inspect(tab *browser.Tab, resource string) error {
	told, err := browser.Eval[struct {
		browser.Inspection
		Packed struct {
			Bytes   int64
			Objects int
		}
	}](tab, "watchglass.inspect({gc: true})")
	if err != nil {
		return err
	}
	for _, s := range told.Sources {
		if s.Resource != resource {
			continue
		}
		if s.State != "live" || s.Relists > 0 {
			return fmt.Errorf("the tab's %s are %s, after %d relists", resource, s.State, s.Relists)
		}
		v.objects = s.Objects
	}
	v.worker, v.page = float64(told.Memory.Worker), float64(told.Memory.Page)
	v.packed, v.packedKept = float64(told.Packed.Bytes), told.Packed.Objects
	for _, task := range told.LongTasks {
		if task.Start >= v.boot {
			v.tasks = append(v.tasks, task.Duration)
		}
	}
	return nil
}

// weight is how many bytes a visit moved over the network, as the page counts.
func weight(tab *browser.Tab) (float64, error) {
	return browser.Eval[float64](tab, `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
		.reduce((sum, e) => sum + e.transferSize, 0)`)
}

// sleep waits, unless the run is over.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
