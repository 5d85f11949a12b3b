package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"watchglass/e2e/browser"
)

//go:embed ask.js
var askScript string

// filterTexts are asked for one after the other, each of a list without a filter.
var filterTexts = []string{
	"p", "pa", "pay", "payments", "crash", "running", "node-1", "web", "search api", "checkout -7",
	"e", "ex", "exporter", "pending", "x2", "storage", "1/1", "completed", "ledger worker", "no such pod",
}

// sortColumns are sorted by one after the other: most of them one way and then the
// other.
var sortColumns = []string{"Restarts", "Restarts", "Age", "Age", "Status", "Status", "Ready", "Name", "Name", "Namespace"}

// quickly is how many of them are enough to see that it works.
const quickly = 3

// filters measures from a text typed to its rows painted.
func (b *bench) filters(ctx context.Context, r *report) error {
	return inTab(ctx, func(tab *browser.Tab) error {
		if _, err := b.open(tab, b.proxy.At("/pods"), "pods"); err != nil {
			return err
		}
		if err := prepare(ctx, tab); err != nil {
			return err
		}
		var err error
		r.filter, err = b.filtered(tab)
		return err
	})
}

// prepare makes a tab ready for questions.
func prepare(ctx context.Context, tab *browser.Tab) error {
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	_, err := browser.Eval[bool](tab, askScript)
	return err
}

// filtered is how long each text took.
func (b *bench) filtered(tab *browser.Tab) (took sample, err error) {
	for i, text := range filterTexts {
		if b.quick && i == quickly {
			break
		}
		a, err := asked(tab, "benchFilter(%q)", text)
		if err != nil {
			return nil, err
		}
		b.logf("filter %q: %d rows, %.0f ms", text, a.Rows, a.Took)
		took = append(took, a.Took)
		if _, err := asked(tab, "benchFilter(%q)", ""); err != nil {
			return nil, err
		}
	}
	return took, nil
}

// countsWithin is how long counts may take to come.
const countsWithin = 10 * time.Second

// facetValues is how many values of each facet are clicked.
const facetValues = 3

// clicked is how long each click on a facet took: three turn a value round, in, out
// and neither; two a namespace.
func (b *bench) clicked(tab *browser.Tab) (took sample, err error) {
	ask := fmt.Sprintf("benchValues(%d)", facetValues)
	if err := tab.Await(ask+".length > 0", countsWithin); err != nil {
		return nil, err
	}
	values, err := browser.Eval[[]string](tab, ask)
	if err != nil {
		return nil, err
	}
	for i, value := range values {
		if b.quick && i == quickly {
			break
		}
		clicks := 2
		if strings.Contains(value, ":") {
			clicks = 3
		}
		for range clicks {
			a, err := asked(tab, "benchFacet(%q)", value)
			if err != nil {
				return nil, err
			}
			b.logf("facet %s: %d rows, %.0f ms", value, a.Rows, a.Took)
			took = append(took, a.Took)
		}
	}
	return took, nil
}

// sorted is how long each column took.
func (b *bench) sorted(tab *browser.Tab) (took sample, err error) {
	for i, column := range sortColumns {
		if b.quick && i == quickly {
			break
		}
		a, err := asked(tab, "benchSort(%q)", column)
		if err != nil {
			return nil, err
		}
		b.logf("sort by %s: %.0f ms", column, a.Took)
		took = append(took, a.Took)
	}
	return took, nil
}

// groupFacets are grouped by one after the other, each of a list without groups.
var groupFacets = []string{"Node", "Namespace", "Status", "Owner", "Image", "Node", "Namespace", "Ready"}

// groupedBy is how long each facet took.
func (b *bench) groupedBy(tab *browser.Tab) (took sample, err error) {
	for i, facet := range groupFacets {
		if b.quick && i == quickly {
			break
		}
		a, err := asked(tab, "benchGroup(%q)", facet)
		if err != nil {
			return nil, err
		}
		b.logf("group by %s: %d rows, %.0f ms", facet, a.Rows, a.Took)
		took = append(took, a.Took)
		if _, err := asked(tab, "benchGroup(%q)", facet); err != nil { // no groups
			return nil, err
		}
	}
	return took, nil
}

// answer is what a question came to.
type answer struct {
	Took float64 // ms
	Rows int
}

func asked(tab *browser.Tab, question, argument string) (answer, error) {
	return browser.Eval[answer](tab, fmt.Sprintf(question, argument))
}
