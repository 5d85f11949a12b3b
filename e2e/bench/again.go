package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"watchglass/e2e/browser"
)

// againCommand makes this program measure only second visits.
const againCommand = "again"

// The budgets of a second visit, in milliseconds.
const (
	againRows = 500
	againLive = 1500
)

// returnVisits are repeat visits, with saved rows and without.
type returnVisits struct {
	kept, lists []visit
	saved       sample // megabytes on disk
}

// awaitLive waits in the page until it is live, and answers with the time since the navigation.
const awaitLive = `new Promise((done) => {
	const look = () => document.documentElement.dataset.state === "live" && done(performance.now());
	new MutationObserver(look).observe(document.documentElement, { attributes: true });
	look();
	setTimeout(done, 30_000, 0);
})`

// glimpseAt is when the last known rows were shown, if they were before the program's own; else when those were.
const glimpseAt = `(performance.getEntriesByName("watchglass:glimpse")[0] ?? performance.getEntriesByName("watchglass:first-row")[0]).startTime`

// savedBytes is how many bytes the browser has of the last visit, once all are written, the glimpse last; else 0.
const savedBytes = `(async () => {
	let bytes = 0, glimpse = false;
	for await (const [folder, all] of (await navigator.storage.getDirectory()).entries()) {
		if (!folder.startsWith("watchglass-visit-")) continue;
		for await (const [name, file] of all.entries()) {
			if (name.endsWith(".crswap")) return 0;
			bytes += (await file.getFile()).size;
			glimpse ||= name.includes(",glimpse,");
		}
	}
	return glimpse ? bytes : 0;
})()`

const forgetVisit = `(async () => {
	const all = await navigator.storage.getDirectory();
	for await (const folder of all.keys()) if (folder.startsWith("watchglass-visit-")) await all.removeEntry(folder, { recursive: true });
	return true;
})()`

// measureAgain runs the command: in one browser and by turns, with what it kept and without.
func measureAgain(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench "+againCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	sizes := flags.String("pods", "10000,100000", "pods in the clusters")
	rounds := flags.Int("rounds", 5, "how often each visit is made")
	readme := flags.String("readme", "", "file to write the table to, such as bench/README.md")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	table := columns{title: "real apiserver"}
	for size := range strings.SplitSeq(*sizes, ",") {
		o, err := parse([]string{"-pods", size, "-rounds", strconv.Itoa(*rounds)}, stderr)
		if err != nil {
			return err
		}
		sections, err := measureReturns(ctx, o, stdout, stderr)
		if err != nil {
			return fmt.Errorf("%s pods: %w", size, err)
		}
		table.heads = append(table.heads, grouped(o.pods)+" pods", "without")
		table.sections = append(table.sections, sections...)
	}
	return keep(stdout, kept(flags, *readme, stderr), againCommand, table.markdown()+ranOn(againCommand, fmt.Sprintf("%d rounds", *rounds)), table.sections)
}

// measureReturns measures in a cluster of its own.
func measureReturns(ctx context.Context, o options, stdout, log io.Writer) (sections []section, err error) {
	b := newBench(o, log)
	defer func() { err = errors.Join(err, b.close()) }()
	r := &report{Begin: b.begin.UTC(), Pods: b.pods, Rounds: b.rounds}
	for _, part := range []func(context.Context) error{b.start, func(ctx context.Context) error { return b.versions(ctx, r) }} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	var c returnVisits
	if err := inTab(ctx, func(tab *browser.Tab) error { return b.comesBack(ctx, &c, tab) }); err != nil {
		return nil, err
	}
	sections = c.sections(grouped(b.pods) + " pods: ")
	fmt.Fprintf(stdout, "\nWatchglass bench again: %d pods, %d rounds, %s\n", r.Pods, r.Rounds, r.Begin.Format("2006-01-02 15:04 MST"))
	return sections, printReport(stdout, r.Versions, sections, "")
}

// comesBack visits the page again and again.
func (b *bench) comesBack(ctx context.Context, c *returnVisits, tab *browser.Tab) error {
	address := b.proxy.At("/pods")
	if _, err := b.returns(ctx, tab, address); err != nil {
		return err
	}
	address, _, _ = strings.Cut(address, "#") // the session goes on
	for range b.rounds {
		bytes, err := b.awaitKept(ctx, tab)
		if err != nil {
			return err
		}
		kept, err := b.returns(ctx, tab, address)
		if err != nil {
			return err
		}
		if _, err := browser.Eval[bool](tab, forgetVisit); err != nil {
			return err
		}
		lists, err := b.returns(ctx, tab, address)
		if err != nil {
			return err
		}
		b.logf("kept %.1f MB: glimpse %.0f ms, first row %.0f ms, all %.0f ms, live %.0f ms; without: %.0f, %.0f, %.0f ms", bytes/1e6, kept.glimpse, kept.firstRow, kept.synced, kept.live, lists.firstRow, lists.synced, lists.live)
		c.kept, c.lists, c.saved = append(c.kept, kept), append(c.lists, lists), append(c.saved, bytes/1e6)
	}
	return nil
}

// awaitKept waits until the visit is kept, and returns its size.
func (b *bench) awaitKept(ctx context.Context, tab *browser.Tab) (bytes float64, err error) {
	for begin := time.Now(); bytes == 0; {
		if time.Since(begin) > syncWithin {
			return 0, errors.New("the visit was not kept")
		}
		if err := sleep(ctx, settle); err != nil {
			return 0, err
		}
		if bytes, err = browser.Eval[float64](tab, savedBytes); err != nil {
			return 0, err
		}
	}
	return bytes, nil
}

// returns leaves the page, so that its worker ends, and comes back.
func (b *bench) returns(ctx context.Context, tab *browser.Tab, address string) (v visit, err error) {
	if err := tab.Open("about:blank"); err != nil {
		return v, err
	}
	if err := sleep(ctx, 2*settle); err != nil {
		return v, err
	}
	if v, err = b.open(tab, address, "pods"); err != nil {
		return v, err
	}
	for begin := time.Now(); v.live == 0; {
		if time.Since(begin) > syncWithin {
			return v, errors.New("it did not become live")
		}
		if v.live, err = browser.Eval[float64](tab, awaitLive); err != nil {
			return v, err
		}
	}
	v.glimpse, err = browser.Eval[float64](tab, glimpseAt)
	return v, err
}

// sections returns the sections of the report: of visits with saved rows, and without.
func (c *returnVisits) sections(which string) []section {
	last := func(v visit) float64 { return v.glimpse }
	first, all, live := func(v visit) float64 { return v.firstRow }, func(v visit) float64 { return v.synced }, func(v visit) float64 { return v.live }
	return []section{{Name: which + "second visit", Rows: []row{
		{Name: "navigation → last known rows", Unit: millis, Values: of(c.kept, last), Budget: &budget{Most: againRows}},
		{Name: "navigation → rows that can be used", Unit: millis, Values: of(c.kept, first)},
		{Name: "navigation → all rows", Unit: millis, Values: of(c.kept, all)},
		{Name: "navigation → live", Unit: millis, Values: of(c.kept, live), Budget: &budget{Most: againLive}},
		{Name: "  against without", Unit: times, Values: ratio(of(c.kept, live), of(c.lists, live))},
		{Name: "saved on disk", Unit: megabytes, Values: c.saved},
	}}, {Name: which + "without what was saved", Rows: []row{
		{Name: "navigation → rows that can be used", Unit: millis, Values: of(c.lists, first)},
		{Name: "navigation → live", Unit: millis, Values: of(c.lists, live)},
	}}}
}
