package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
)

// overviewCommand makes this program measure only the overview, beside the list of pods.
const overviewCommand = "overview"

// The budgets of the overview. Those that are ratios are relative to the list of pods alone.
const (
	overviewFirst  = 1200 // milliseconds
	overviewAll    = 1.2
	overviewHeap   = 1.25
	findWithin     = 50 // milliseconds
	findText       = "checkout-web"
	overviewRounds = 3
)

// overviewCosts is what was measured of the overview and of the pods alone, in turn.
type overviewCosts struct {
	pods, overview []visit
	find           sample // a name typed → the first object on screen
	rows           int
}

// measureOverview runs the command.
func measureOverview(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{log: stderr, begin: time.Now()}
	flags := flag.NewFlagSet("bench "+overviewCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&b.pods, "pods", demoPods, "pods in the demo cluster")
	flags.IntVar(&b.rounds, "rounds", overviewRounds, "number of rounds")
	readme := flags.String("readme", "", "file to write the table to, such as bench/README.md")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	p, err := proxy.Start(ctx, proxy.Options{Args: []string{"--demo", "--demo-objects", strconv.Itoa(b.pods)}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	busy, err := load()
	if err != nil {
		return err
	}
	var c overviewCosts
	for round := range b.rounds {
		if err := b.overviewRound(ctx, p, &c, round); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
	}
	var ran report
	ran.Versions.add("machine", fmt.Sprintf("%d cores, load %s at the start", runtime.NumCPU(), busy))
	fmt.Fprintf(stdout, "\nWatchglass bench overview: the demo with %d pods, %d problems, %d rounds, %s\n", b.pods, c.rows, b.rounds, b.begin.UTC().Format("2006-01-02 15:04 MST"))
	table := columns{fmt.Sprintf("demo cluster, %s pods, %s problems", grouped(b.pods), grouped(c.rows)), []string{"pods alone", "overview"}, c.sections()}
	if err := printReport(stdout, ran.Versions, table.sections, ""); err != nil {
		return err
	}
	return keep(stdout, kept(flags, *readme, stderr), overviewCommand, table.markdown()+ranOn(overviewCommand, fmt.Sprintf("%d rounds", b.rounds)), table.sections)
}

// overviewRound opens the pods and the overview, each in a browser of its own. They take turns in
// going first.
func (b *bench) overviewRound(ctx context.Context, p *proxy.Proxy, c *overviewCosts, round int) error {
	visits := []func(tab *browser.Tab) error{
		func(tab *browser.Tab) error { return b.visitPods(p, c, tab) },
		func(tab *browser.Tab) error { return b.visitOverview(ctx, p, c, tab) },
	}
	for i := range visits {
		if err := inTab(ctx, visits[(i+round)%len(visits)]); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) visitPods(p *proxy.Proxy, c *overviewCosts, tab *browser.Tab) error {
	v, err := b.open(tab, p.At("/pods"), "pods")
	if err != nil {
		return err
	}
	b.logf("pods: first row %.0f ms, all %.0f ms", v.firstRow, v.synced)
	c.pods = append(c.pods, v)
	return c.pods[len(c.pods)-1].inspect(tab, "pods")
}

// visitOverview also finds an object by its name.
func (b *bench) visitOverview(ctx context.Context, p *proxy.Proxy, c *overviewCosts, tab *browser.Tab) error {
	v, err := b.open(tab, p.At("/"), "problems")
	if err != nil {
		return err
	}
	b.logf("overview: first row %.0f ms, all %.0f ms", v.firstRow, v.synced)
	if err := v.inspect(tab, "problems"); err != nil {
		return err
	}
	c.overview, c.rows = append(c.overview, v), v.objects
	if err := prepare(ctx, tab); err != nil {
		return err
	}
	took, err := browser.Eval[float64](tab, fmt.Sprintf("benchFind(%q)", findText))
	c.find = append(c.find, took)
	return err
}

// sections returns the sections of the report.
func (c *overviewCosts) sections() []section {
	firstRow, synced := func(v visit) float64 { return v.firstRow }, func(v visit) float64 { return v.synced }
	heap := func(v visit) float64 { return v.worker / 1e6 }
	return []section{{Name: "pods alone", Rows: []row{
		{Name: "navigation → first rows", Unit: millis, Values: of(c.pods, firstRow)},
		{Name: "navigation → all lists", Unit: millis, Values: of(c.pods, synced)},
		{Name: "worker heap", Unit: megabytes, Values: of(c.pods, heap)},
	}}, {Name: "overview", Rows: []row{
		{Name: "navigation → first rows", Unit: millis, Values: of(c.overview, firstRow), Budget: &budget{Most: overviewFirst}},
		{Name: "navigation → all lists", Unit: millis, Values: of(c.overview, synced)},
		{Name: "  against the pods alone", Unit: times, Values: ratio(of(c.overview, synced), of(c.pods, synced)), Budget: &budget{Most: overviewAll}},
		{Name: "worker heap", Unit: megabytes, Values: of(c.overview, heap)},
		{Name: "  against the pods alone", Unit: times, Values: ratio(of(c.overview, heap), of(c.pods, heap)), Budget: &budget{Most: overviewHeap}},
		{Name: "name typed → objects on screen", Unit: millis, Values: c.find, Budget: &budget{Most: findWithin}},
	}}}
}
