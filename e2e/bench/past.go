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
	pastSaved    = 3000 // milliseconds, from the click to the file, for ten minutes
	pastTask     = 50   // milliseconds of processor time, meanwhile
	pastShort    = 10 * time.Minute
	pastMoments  = 50
	pastOpenings = 5 // in a new browser each
	pastPatience = 5 * time.Minute
)

//go:embed past.js
var pastScript string

// pastCosts is what was measured of one recording.
type pastCosts struct {
	lasted                time.Duration
	size, written, opened sample // megabytes, milliseconds
	saved, tasks          sample // milliseconds, the second of processor time
	far, near             jumps  // near: by at most a minute
}

// jumps are times from moving the slider, in milliseconds.
type jumps struct {
	rows   sample // until the rows on screen are right
	all    sample // until the whole list is
	worker sample // its processor time
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
	readme := flags.String("readme", "", "file to write the table to, such as bench/README.md")
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
	table := columns{title: "demo cluster"}
	for _, lasts := range slices.Compact([]time.Duration{min(pastShort, *long), *long}) {
		c := pastCosts{lasted: lasts}
		if err := b.past(ctx, &c, filepath.Join(dir, lasts.String()+".watchglass"), *moments); err != nil {
			return fmt.Errorf("%s: %w", lasts, err)
		}
		table.heads, table.sections = append(table.heads, c.length()), append(table.sections, c.section())
	}
	var ran report
	ran.Versions.add("machine", fmt.Sprintf("%d cores, load %s at the start", runtime.NumCPU(), busy))
	fmt.Fprintf(stdout, "\nWatchglass bench past: recordings of %d pods with %.0f changes a second, %d moments, %s\n", b.pods, b.churn, *moments, b.begin.UTC().Format("2006-01-02 15:04 MST"))
	if err := printReport(stdout, ran.Versions, table.sections, ""); err != nil {
		return err
	}
	what := fmt.Sprintf("%d openings and %d moments each", pastOpenings, *moments)
	return keep(stdout, kept(flags, *readme, stderr), pastCommand, table.markdown()+ranOn(pastCommand, what), table.sections)
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
	for range pastOpenings - 1 {
		if err := inTab(ctx, func(tab *browser.Tab) error { return b.openPast(c, tab, p) }); err != nil {
			return err
		}
	}
	return inTab(ctx, func(tab *browser.Tab) error {
		if err := b.openPast(c, tab, p); err != nil {
			return err
		}
		if err := sleep(ctx, settle); err != nil {
			return err
		}
		if _, err := browser.Eval[bool](tab, pastScript); err != nil {
			return err
		}
		if err := b.scrub(ctx, c, tab, moments); err != nil {
			return err
		}
		return b.resave(c, tab, filepath.Dir(file))
	})
}

// openPast opens the recording in a tab.
func (b *bench) openPast(c *pastCosts, tab *browser.Tab, p *proxy.Proxy) error {
	if err := tab.Resize(1400, 900); err != nil {
		return err
	}
	v, err := b.open(tab, p.At("/pods"), "pods")
	if err != nil {
		return err
	}
	b.logf("first row %.0f ms, all %.0f ms", v.firstRow, v.synced)
	c.opened = append(c.opened, v.firstRow)
	return tab.AwaitState("past", pastPatience)
}

// resave saves the recording that is on screen, with nothing left out.
func (b *bench) resave(c *pastCosts, tab *browser.Tab, dir string) error {
	err := errors.Join(tab.Downloads(dir), tab.Press("r"))
	if err == nil {
		err = tab.Await(`document.querySelector("#recording .said")?.textContent.includes("about")`, pastPatience)
	}
	if err != nil {
		return err
	}
	tasks, err := tab.Tasks(func() error {
		took, err := browser.Eval[float64](tab, `benchSave()`)
		c.saved = append(c.saved, took)
		return err
	})
	if err == nil {
		c.tasks = append(c.tasks, slices.Max(tasks))
		b.logf("saved in %.0f ms, longest task of the page %.0f ms", c.saved.median(), c.tasks.median())
	}
	return err
}

// scrub goes to random moments, and from each a little further.
func (b *bench) scrub(ctx context.Context, c *pastCosts, tab *browser.Tab, moments int) error {
	r := rand.New(rand.NewPCG(1, 2))
	near := min(time.Minute.Seconds()/c.lasted.Seconds(), 1)
	for range moments {
		at := r.Float64()
		if err := c.far.measure(ctx, tab, at); err != nil {
			return err
		}
		if err := c.near.measure(ctx, tab, min(at+near*r.Float64(), 1)); err != nil {
			return err
		}
	}
	b.logf("to rows: %.0f ms, at most %.0f; all %.0f ms; within a minute %.0f and %.0f ms", c.far.rows.median(), c.far.rows.quantile(1), c.far.all.median(), c.near.rows.median(), c.near.all.median())
	return nil
}

// measure goes to a moment, as a share of the slider.
func (j *jumps) measure(ctx context.Context, tab *browser.Tab, to float64) error {
	before, err := workerCPU()
	if err != nil {
		return err
	}
	took, err := browser.Eval[struct{ Rows, All float64 }](tab, fmt.Sprintf("benchPast(%f)", to))
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
	j.rows, j.all = append(j.rows, took.Rows), append(j.all, took.All)
	j.worker = append(j.worker, float64((after-before).Microseconds())/1000)
	return nil
}

func (j *jumps) rowsOf(name string) []row {
	return []row{
		{Name: name + " → rows painted", Unit: millis, Values: j.rows, Budget: &budget{Most: pastWithin}},
		{Name: "  all of the list", Unit: millis, Values: j.all},
		{Name: "  processor time of the worker", Unit: millis, Values: j.worker},
	}
}

func (c *pastCosts) length() string { return fmt.Sprintf("%g minutes", c.lasted.Minutes()) }

func (c *pastCosts) section() section {
	size := row{Name: "file", Unit: megabytes, Values: c.size}
	opened := row{Name: "navigation → first rows", Unit: millis, Values: c.opened}
	if c.lasted <= pastShort {
		size.Budget, opened.Budget = &budget{Most: pastFile}, &budget{Most: pastOpened}
	}
	saved := row{Name: "saved in the page", Unit: millis, Values: c.saved}
	tasks := row{Name: "  longest task of the page, processor time", Unit: millis, Values: c.tasks, Budget: &budget{Most: pastTask}}
	if c.lasted <= pastShort {
		saved.Budget = &budget{Most: pastSaved}
	}
	rows := []row{size, {Name: "written natively", Unit: millis, Values: c.written}, opened, saved, tasks}
	return section{Name: c.length(), Rows: slices.Concat(rows, c.far.rowsOf("slider"), c.near.rowsOf("slider by a minute"))}
}
