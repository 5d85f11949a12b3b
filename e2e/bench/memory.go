package main

import (
	"context"
	"errors"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
)

const (
	// moreTabs are opened after the first one, each as another browser: a share of several is surer.
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
	return inBrowser(ctx, func(chrome *browser.Browser) error {
		one, err := b.residentWith(ctx, fresh, chrome, 1)
		if err != nil {
			return err
		}
		all, err := b.residentWith(ctx, fresh, chrome, moreTabs)
		r.proxyIdle = sample{idle / 1e6}
		r.proxyFirst = sample{(one - idle) / 1e3}
		r.proxyMore = sample{(all - one) / moreTabs / 1e3}
		return err
	})
}

// residentWith is the proxy's resident memory once so many more tabs show the pods. Each has a profile of its own, as
// another person's browser: tabs of one profile share a worker, and its connection to the proxy. They stay open until
// the browser is stopped.
func (b *bench) residentWith(ctx context.Context, p *proxy.Proxy, chrome *browser.Browser, tabs int) (float64, error) {
	for range tabs {
		tab, err := quietTab(chrome)
		if err != nil {
			return 0, err
		}
		if _, err := b.open(tab, p.At("/pods"), "pods"); err != nil {
			return 0, err
		}
	}
	return b.resident(ctx, p)
}

// resident is the proxy's resident memory once it has come to rest.
func (b *bench) resident(ctx context.Context, p *proxy.Proxy) (float64, error) {
	if err := sleep(ctx, restWithin); err != nil {
		return 0, err
	}
	bytes, err := statusKB(p.PID(), "VmRSS")
	return float64(bytes), err
}
