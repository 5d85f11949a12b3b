package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
)

// pastCommand makes this program measure only going back, in recordings.
const pastCommand = "past"

// The budgets of going back.
const (
	pastWithin   = 50   // milliseconds, from the slider to the rows
	pastOpened   = 1000 // milliseconds, from the navigation to the first rows
	pastFile     = 6    // megabytes, for ten minutes
	pastShort    = 10 * time.Minute
	pastMoments  = 50
	pastPatience = 5 * time.Minute
)

//go:embed past.js
var pastScript string

// pastCosts is what was measured of one recording.
type pastCosts struct {
	lasted                         time.Duration
	size, written, opened          sample // megabytes, milliseconds
	painted, worker, short, shortW sample // milliseconds; short: jumps of at most a minute
}

// measurePast runs the command.
func measurePast(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b := &bench{log: stderr, begin: time.Now()}
	flags := flag.NewFlagSet("bench "+pastCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&b.pods, "pods", 10_000, "pods in the recordings")
	flags.Float64Var(&b.churn, "churn", 100, "changes a second")
	long := flags.Duration("for", time.Hour, "how long the longer recording is")
	moments := flags.Int("moments", pastMoments, "how many moments to go to")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	busy, err := load()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "watchglass-past-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var sections []section
	for _, lasts := range slices.Compact([]time.Duration{min(pastShort, *long), *long}) {
		c := pastCosts{lasted: lasts}
		if err := b.past(ctx, &c, filepath.Join(dir, lasts.String()+".watchglass"), *moments); err != nil {
			return fmt.Errorf("%s: %w", lasts, err)
		}
		sections = append(sections, c.section())
	}
	var ran report
	ran.Versions.add("machine", fmt.Sprintf("%d cores, load %s at the start", runtime.NumCPU(), busy))
	fmt.Fprintf(stdout, "\nWatchglass bench past: recordings of %d pods with %.0f changes a second, %d moments, %s\n", b.pods, b.churn, *moments, b.begin.UTC().Format("2006-01-02 15:04 MST"))
	return printReport(stdout, ran.Versions, sections, "")
}

// past records a cluster, opens the file, and goes to random moments of it.
func (b *bench) past(ctx context.Context, c *pastCosts, file string, moments int) (err error) {
	size, took, err := recordBusy(file, b.pods, b.churn, c.lasted)
	if err != nil {
		return err
	}
	b.logf("%s: %.1f MB, written in %s", c.lasted, float64(size)/1e6, took)
	c.size, c.written = append(c.size, float64(size)/1e6), append(c.written, float64(took.Milliseconds()))
	p, err := proxy.Start(ctx, proxy.Options{Kubeconfig: filepath.Join(filepath.Dir(file), "none"), Args: []string{"--replay", file}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return inTab(ctx, func(tab *browser.Tab) error {
		if err := tab.Resize(1400, 900); err != nil {
			return err
		}
		v, err := b.open(tab, p.At("/pods"), "pods")
		if err != nil {
			return err
		}
		b.logf("first row %.0f ms, all %.0f ms", v.firstRow, v.synced)
		c.opened = append(c.opened, v.firstRow)
		if err := tab.AwaitState("past", pastPatience); err != nil {
			return err
		}
		if err := sleep(ctx, settle); err != nil {
			return err
		}
		if _, err := browser.Eval[bool](tab, pastScript); err != nil {
			return err
		}
		return b.scrub(ctx, c, tab, moments)
	})
}

// scrub goes to random moments, and from each a little further.
func (b *bench) scrub(ctx context.Context, c *pastCosts, tab *browser.Tab, moments int) error {
	r := rand.New(rand.NewPCG(1, 2))
	near := min(time.Minute.Seconds()/c.lasted.Seconds(), 1)
	for range moments {
		at := r.Float64()
		for _, jump := range []struct {
			to                 float64
			painted, processor *sample
		}{{at, &c.painted, &c.worker}, {min(at+near*r.Float64(), 1), &c.short, &c.shortW}} {
			before, err := workerCPU()
			if err != nil {
				return err
			}
			took, err := browser.Eval[float64](tab, fmt.Sprintf("benchPast(%f)", jump.to))
			if err != nil {
				return err
			}
			if err := sleep(ctx, settle/4); err != nil { // facets and sums of it, too
				return err
			}
			after, err := workerCPU()
			if err != nil {
				return err
			}
			*jump.painted = append(*jump.painted, took)
			*jump.processor = append(*jump.processor, float64((after-before).Microseconds())/1000)
		}
	}
	b.logf("to rows: %.0f ms, at most %.0f; worker %.0f ms; within a minute %.0f ms", c.painted.median(), c.painted.quantile(1), c.worker.median(), c.short.median())
	return nil
}

func (c *pastCosts) section() section {
	size := row{Name: "file", Unit: megabytes, Values: c.size}
	opened := row{Name: "navigation → first rows", Unit: millis, Values: c.opened}
	if c.lasted <= pastShort {
		size.Budget, opened.Budget = &budget{Most: pastFile}, &budget{Most: pastOpened}
	}
	return section{Name: c.lasted.String(), Rows: []row{
		size,
		{Name: "written natively, in", Unit: millis, Values: c.written},
		opened,
		{Name: "slider → rows painted", Unit: millis, Values: c.painted, Budget: &budget{Most: pastWithin}},
		{Name: "  processor time of the worker", Unit: millis, Values: c.worker},
		{Name: "slider → rows painted, within a minute", Unit: millis, Values: c.short, Budget: &budget{Most: pastWithin}},
		{Name: "  processor time of the worker", Unit: millis, Values: c.shortW},
	}}
}
