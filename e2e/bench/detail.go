package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"watchglass/e2e/browser"
)

// detailsOpened is how many pods are opened, each anywhere in the list.
const detailsOpened = 100

// details measures from an address that selects a pod to its summary painted. The selections are further apart than
// those of a held key, for which nothing is opened.
func (b *bench) details(ctx context.Context, r *report) error {
	return inTab(ctx, func(tab *browser.Tab) error {
		if _, err := b.open(tab, b.proxy.At("/pods"), "pods"); err != nil {
			return err
		}
		if err := prepare(ctx, tab); err != nil {
			return err
		}
		pods, err := tab.Snapshot("pods")
		if err != nil {
			return err
		}
		n := detailsOpened
		if b.quick {
			n = quickly
		}
		for range n {
			pod := pods.Items[rand.IntN(len(pods.Items))]
			took, err := browser.Eval[float64](tab, fmt.Sprintf("benchDetail(%q, %q)", pod.Namespace+"/"+pod.Name, pod.UID))
			if err != nil {
				return err
			}
			r.details = append(r.details, took)
			if err := sleep(ctx, settle/4); err != nil {
				return err
			}
		}
		b.logf("details: %.0f ms median, %.0f at most", r.details.median(), r.details.quantile(1))
		return nil
	})
}
