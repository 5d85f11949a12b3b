package main

import (
	"context"
	"errors"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
)

const (
	// moreTabs are opened beside the first one: a share of several is surer.
	moreTabs = 5

	// restWithin is how long the proxy has to give back what a sync took.
	restWithin = 5 * time.Second
)

// memory measures a proxy that has done nothing, and what its tabs add.
func (b *bench) memory(ctx context.Context, r *report) (err error) {
	fresh, err := proxy.Start(ctx, proxy.Options{Kubeconfig: b.kubeconfig})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	idle, err := b.resident(ctx, fresh)
	if err != nil {
		return err
	}
	return inTab(ctx, func(tab *browser.Tab) error {
		if _, err := b.open(tab, fresh.At("/pods"), "pods"); err != nil {
			return err
		}
		one, err := b.resident(ctx, fresh)
		if err != nil {
			return err
		}
		for range moreTabs {
			more, err := tab.Beside()
			if err != nil {
				return err
			}
			defer more.Close()
			if _, err := b.open(more, fresh.Origin()+"/pods", "pods"); err != nil {
				return err
			}
		}
		all, err := b.resident(ctx, fresh)
		r.proxyIdle = sample{idle / 1e6}
		r.proxyFirst = sample{(one - idle) / 1e3}
		r.proxyMore = sample{(all - one) / moreTabs / 1e3}
		return err
	})
}

// resident is the proxy's resident memory once it has come to rest.
func (b *bench) resident(ctx context.Context, p *proxy.Proxy) (float64, error) {
	if err := sleep(ctx, restWithin); err != nil {
		return 0, err
	}
	bytes, err := statusKB(p.PID(), "VmRSS")
	return float64(bytes), err
}
