package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"watchglass/e2e/browser"
)

//go:embed filter.js
var filterScript string

// filterTexts are asked for one after the other, each of a list without a filter.
// Each leaves fewer rows than there are: by that the page knows it was answered.
var filterTexts = []string{
	"p", "pa", "pay", "payments", "crash", "running", "node-1", "web", "search api", "checkout -7",
	"e", "ex", "exporter", "pending", "x2", "storage", "1/1", "completed", "ledger worker", "no such pod",
}

// quickTexts are enough to see that it works.
const quickTexts = 3

// filters measures from a text typed to its rows painted.
func (b *bench) filters(ctx context.Context, r *report) error {
	texts := filterTexts
	if b.quick {
		texts = texts[:quickTexts]
	}
	return inTab(ctx, func(tab *browser.Tab) error {
		if _, err := b.open(tab, b.proxy.At("/pods"), "pods"); err != nil {
			return err
		}
		if err := sleep(ctx, settle); err != nil {
			return err
		}
		if _, err := browser.Eval[bool](tab, filterScript); err != nil {
			return err
		}
		for _, text := range texts {
			painted, err := typed(tab, text)
			if err != nil {
				return err
			}
			b.logf("filter %q: %d rows, %.0f ms", text, painted.Rows, painted.Took)
			r.filter = append(r.filter, painted.Took)
			if _, err := typed(tab, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// filtered is what a text came to.
type filtered struct {
	Took float64 // ms
	Rows int
}

func typed(tab *browser.Tab, text string) (filtered, error) {
	argument, err := json.Marshal(text)
	if err != nil {
		return filtered{}, err
	}
	return browser.Eval[filtered](tab, fmt.Sprintf("benchFilter(%s)", argument))
}
