package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
)

const (
	// busyVisits is how often a tab is opened while events flow.
	busyVisits = 5

	// busyFor is how long the events go on behind a sync.
	busyFor = 5 * time.Second

	// busyTasksFor is how long the tasks of a page that has just started are measured: until its pods are
	// there, and beyond.
	busyTasksFor = 20 * time.Second
)

// busy visits the pods while they change at a high pace.
func (b *bench) busy(ctx context.Context, r *report) error {
	flowing, stop := context.WithCancel(ctx)
	defer stop()
	begin := time.Now()
	churn, err := b.cluster.Churn(flowing, cluster.ChurnOptions{PerSecond: b.churn, Direct: true})
	if err != nil {
		return err
	}
	visits := busyVisits
	if b.quick {
		visits = 1
	}
	for range visits {
		v, err := b.sync(ctx, busyFor)
		if err != nil {
			return err
		}
		r.busy = append(r.busy, v)
		result, err := runNative(ctx, b.kubeconfig, protobuf)
		if err != nil {
			return err
		}
		took := float64(result.Took) / float64(time.Millisecond)
		r.busyNative = append(r.busyNative, took)
		b.logf("busy: tab synced %.0f ms, long tasks %.0f; client-go %.0f ms", v.synced, v.tasks, took)
	}
	if r.busyTasks, err = b.busyTasks(ctx); err != nil {
		return err
	}
	b.logf("busy: tasks of the page, processor time: %.1f ms at most", r.busyTasks.quantile(1))
	stop()
	if err := churn.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	counts := churn.Counts()
	all := counts.Status + counts.Label + counts.Create + counts.Delete
	r.Flowed = float64(all) / time.Since(begin).Seconds()
	if counts.Failed > 0 {
		return fmt.Errorf("%d of %d writes failed", counts.Failed, all+counts.Failed)
	}
	return nil
}

// busyTasks returns the processor time of each task of the page from soon after its boot. A long task takes as much
// longer as what else runs on the machine makes it wait; this is what the page itself needs.
func (b *bench) busyTasks(ctx context.Context) (tasks sample, err error) {
	err = inTab(ctx, func(tab *browser.Tab) error {
		if err := tab.Open(b.proxy.At("/pods")); err != nil {
			return err
		}
		if err := tab.Await(`performance.getEntriesByName("watchglass:boot").length > 0`, syncWithin); err != nil {
			return err
		}
		tasks, err = tab.Tasks(func() error { return sleep(ctx, busyTasksFor) })
		return err
	})
	return tasks, err
}
