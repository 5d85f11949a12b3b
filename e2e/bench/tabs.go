package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// tabsCommand makes this program measure only what further tabs of one browser cost.
const tabsCommand = "tabs"

const (
	// tabsOpen is how many tabs look at the same pods.
	tabsOpen = 10

	// tabsChurn is how many events a second flow while processor time is measured, and
	// tabsFor how long.
	tabsChurn = 100
	tabsFor   = 10 * time.Second
)

// tabCosts is what was measured of many tabs.
type tabCosts struct {
	quick bool     // the first tab only
	flags []string // of the browser

	before, first, second []visit // first tab of the other watchglass; first and second tab of this one
	watches               sample  // at the apiserver, of ten tabs
	heapOne, heapAll      sample  // of the worker
	page                  sample  // of a further tab
	cpuOne, cpuAll        sample  // of the browser, as a share of one processor
	cpuHidden             sample  // the same with all but one hidden
}

// tabsOptions says what is measured.
type tabsOptions struct {
	against   string  // another watchglass
	first     bool    // the first tab only
	megabits  float64 // rate of the line to the proxy; 0: not limited
	roundTrip time.Duration
}

// parseTabs reads the arguments.
func (b *bench) parseTabs(args []string) (o tabsOptions, err error) {
	flags := flag.NewFlagSet("bench "+tabsCommand, flag.ContinueOnError)
	flags.SetOutput(b.log)
	flags.IntVar(&b.pods, "pods", 10_000, "pods in the cluster")
	flags.IntVar(&b.rounds, "rounds", 5, "number of rounds")
	flags.StringVar(&o.against, "against", "", "path of another watchglass binary, to compare its first tab")
	flags.BoolVar(&o.first, "first", false, "measure the first tab only, with its heap and how long changes take")
	flags.Float64Var(&o.megabits, "mbit", 0, "limit the line to the proxy to so many megabits per second (default: no limit)")
	flags.DurationVar(&o.roundTrip, "rtt", 40*time.Millisecond, "round-trip time of the line, with -mbit")
	return o, flags.Parse(args)
}

// lines starts a line to each proxy, and returns the browser's flags for them.
func (o tabsOptions) lines(ctx context.Context, proxies ...*proxy.Proxy) (flags []string, err error) {
	if o.megabits == 0 {
		return nil, nil
	}
	var rules []string
	for _, p := range proxies {
		l, err := newLink(ctx, "127.0.0.1:"+p.Port(), o.megabits, o.roundTrip)
		if err != nil {
			return nil, err
		}
		rules = append(rules, l.rule())
	}
	return []string{"host-resolver-rules=" + strings.Join(rules, ", ")}, nil
}

// measureTabs runs the command.
func measureTabs(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{log: stderr, begin: time.Now()}
	o, err := b.parseTabs(args)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if err := b.start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	c := tabCosts{quick: o.first}
	proxies := []*proxy.Proxy{b.proxy}
	var other *proxy.Proxy
	if o.against != "" {
		if other, err = proxy.Start(ctx, proxy.Options{Kubeconfig: b.kubeconfig, Binary: o.against}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, other.Close()) }()
		proxies = append(proxies, other)
	}
	if c.flags, err = o.lines(ctx, proxies...); err != nil {
		return err
	}
	var ran report
	if err := b.versions(ctx, &ran); err != nil {
		return err
	}
	if b.ownWatches, err = b.podWatches(ctx); err != nil {
		return err
	}
	for round := range b.rounds {
		if err := b.tabsRound(ctx, &c, other, round); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
	}
	fmt.Fprintf(stdout, "\nWatchglass bench tabs: %d pods, %d rounds, %s\n", b.pods, b.rounds, b.begin.UTC().Format("2006-01-02 15:04 MST"))
	return printReport(stdout, ran.Versions, c.sections(), tabsNotes)
}

// tabsRound measures everything once. The two programs take turns in going first.
func (b *bench) tabsRound(ctx context.Context, c *tabCosts, other *proxy.Proxy, round int) error {
	before := func() error {
		if other == nil {
			return nil
		}
		v, err := b.firstTab(ctx, c, other)
		c.before = append(c.before, v)
		b.logf("the other: %s", v)
		return err
	}
	now := func() error { return b.manyTabs(ctx, c) }
	if c.quick {
		now = func() error {
			v, err := b.firstTab(ctx, c, b.proxy)
			c.first = append(c.first, v)
			b.logf("this one: %s", v)
			return err
		}
	}
	turns := []func() error{before, now}
	if round%2 == 1 {
		slices.Reverse(turns)
	}
	for _, turn := range turns {
		if err := turn(); err != nil {
			return err
		}
	}
	return nil
}

// firstTab opens the pods at a proxy, in a browser of its own. If only first tabs are measured, it also
// measures the worker's heap and how long changes take.
func (b *bench) firstTab(ctx context.Context, c *tabCosts, p *proxy.Proxy) (v visit, err error) {
	err = inTab(ctx, func(tab *browser.Tab) error {
		if v, err = b.open(tab, p.At("/pods"), "pods"); err != nil || !c.quick {
			return err
		}
		if err := v.inspect(tab, "pods"); err != nil {
			return err
		}
		var r report
		err := b.changesIn(ctx, tab, p, &r)
		v.painted = r.painted.median()
		return err
	}, c.flags...)
	return v, err
}

func (v visit) String() string {
	return fmt.Sprintf("first row %.0f ms, synced %.0f ms, worker %.1f MB, change → painted %.1f ms", v.firstRow, v.synced, v.worker/1e6, v.painted)
}

// manyTabs opens one tab after the other in a browser, and measures what each adds.
func (b *bench) manyTabs(ctx context.Context, c *tabCosts) error {
	return inTab(ctx, func(tab *browser.Tab) error {
		all := []*browser.Tab{tab}
		first, err := b.open(tab, b.proxy.At("/pods"), "pods")
		if err != nil {
			return err
		}
		if err := first.inspect(tab, "pods"); err != nil {
			return err
		}
		one, err := b.flowing(ctx)
		if err != nil {
			return err
		}
		alone := visit{} // after these events, since the hub remembers changes even if nobody looks
		if err := alone.inspect(tab, "pods"); err != nil {
			return err
		}
		var pages sample
		for len(all) < tabsOpen {
			more, err := tab.Beside()
			if err != nil {
				return err
			}
			defer more.Close()
			if err := errors.Join(more.Quiet(), sleep(ctx, settle)); err != nil {
				return err
			}
			v, err := b.open(more, b.proxy.Origin()+"/pods", "pods")
			if err != nil {
				return err
			}
			if len(all) == 1 {
				c.second = append(c.second, v)
			}
			if err := v.inspect(more, "pods"); err != nil {
				return err
			}
			all, pages = append(all, more), append(pages, v.page)
			b.logf("tab %d: first row %.0f ms, synced %.0f ms", len(all), v.firstRow, v.synced)
		}
		c.first, c.heapOne = append(c.first, first), append(c.heapOne, alone.worker)
		return b.together(ctx, c, all, one, pages)
	}, c.flags...)
}

// together measures what all tabs cost together.
func (b *bench) together(ctx context.Context, c *tabCosts, all []*browser.Tab, one float64, pages sample) error {
	crowded := visit{}
	if err := crowded.inspect(all[0], "pods"); err != nil {
		return err
	}
	watches, err := b.podWatches(ctx)
	if err != nil {
		return err
	}
	many, err := b.flowing(ctx)
	if err != nil {
		return err
	}
	const hide = `Object.defineProperty(document, "visibilityState", {value: "hidden", configurable: true}), document.dispatchEvent(new Event("visibilitychange"))`
	for _, tab := range all[1:] {
		if _, err := browser.Eval[bool](tab, hide); err != nil {
			return err
		}
	}
	hidden, err := b.flowing(ctx)
	if err != nil {
		return err
	}
	c.watches = append(c.watches, watches)
	c.heapAll = append(c.heapAll, crowded.worker)
	c.page = append(c.page, pages.median())
	c.cpuOne, c.cpuAll, c.cpuHidden = append(c.cpuOne, one), append(c.cpuAll, many), append(c.cpuHidden, hidden)
	b.logf("%d tabs: %.0f watches, worker %.1f MB after %.1f, processor %.2f after %.2f, %.2f with all but one hidden", len(all), watches, crowded.worker/1e6, c.heapOne[len(c.heapOne)-1]/1e6, many, one, hidden)
	return nil
}

// podWatches returns how many watches of pods the apiserver serves, except its own.
func (b *bench) podWatches(ctx context.Context) (float64, error) {
	doc, err := b.client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("the apiserver's metrics: %w", err)
	}
	sum, _, err := sumOf(string(doc), "apiserver_longrunning_requests", `resource="pods"`)
	return sum - b.ownWatches, err
}

// flowing returns the browser's processor time, as a share of one processor, while events
// flow to its tabs.
func (b *bench) flowing(ctx context.Context) (float64, error) {
	during, stop := context.WithTimeout(ctx, tabsFor+2*settle)
	defer stop()
	churn, err := b.cluster.Churn(during, cluster.ChurnOptions{PerSecond: tabsChurn, Mix: cluster.Mix{Status: 80, Label: 20}})
	if err != nil {
		return 0, err
	}
	if err := sleep(ctx, settle); err != nil {
		return 0, err
	}
	before, err := browsersCPU()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := sleep(ctx, tabsFor); err != nil {
		return 0, err
	}
	after, err := browsersCPU()
	share := float64(after-before) / float64(time.Since(begin))
	stop()
	if err := errors.Join(err, ignoreEnd(churn.Wait())); err != nil {
		return 0, err
	}
	return share, nil
}

// ignoreEnd returns the error, or nil if a context ended.
func ignoreEnd(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// browsersCPU returns the processor time of all processes of our browsers.
func browsersCPU() (total time.Duration, err error) {
	pids, err := browserPIDs(os.Getpid())
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		if d, err := cpu(pid); err == nil { // else it has ended
			total += d
		}
	}
	return total, nil
}

// sections returns the sections of the report.
func (c *tabCosts) sections() []section {
	firstRow, synced := func(v visit) float64 { return v.firstRow }, func(v visit) float64 { return v.synced }
	out := []section{{Name: "first tab, cold", Rows: []row{
		{Name: "navigation → first rows", Unit: millis, Values: of(c.first, firstRow)},
		{Name: "navigation → all rows", Unit: millis, Values: of(c.first, synced)},
	}}}
	if !c.quick {
		out = append(out, c.further()...)
	}
	if len(c.before) > 0 {
		out = append(out, section{Name: "first tab, against the other watchglass", Rows: []row{
			{Name: "the other: navigation → first rows", Unit: millis, Values: of(c.before, firstRow)},
			{Name: "the other: navigation → all rows", Unit: millis, Values: of(c.before, synced)},
			{Name: "first rows", Unit: times, Values: ratio(of(c.first, firstRow), of(c.before, firstRow)), Budget: &budget{Most: 1.05}},
			{Name: "all rows", Unit: times, Values: ratio(of(c.first, synced), of(c.before, synced)), Budget: &budget{Most: 1.05}},
		}})
		if c.quick {
			out = append(out, c.costs())
		}
	}
	return out
}

// costs compares what a first tab costs with the other watchglass.
func (c *tabCosts) costs() section {
	worker, painted := func(v visit) float64 { return v.worker }, func(v visit) float64 { return v.painted }
	return section{Name: "costs, against the other watchglass", Rows: []row{
		{Name: "the other: heap of the worker", Unit: megabytes, Values: of(c.before, worker).scaled(1e-6)},
		{Name: "the other: change → painted, p50", Unit: millis, Values: of(c.before, painted)},
		{Name: "heap of the worker", Unit: times, Values: ratio(of(c.first, worker), of(c.before, worker)), Budget: &budget{Most: 1.03}},
		{Name: "change → painted, p50", Unit: times, Values: ratio(of(c.first, painted), of(c.before, painted)), Budget: &budget{Most: 1.03}},
	}}
}

// further returns the sections about the tabs after the first.
func (c *tabCosts) further() []section {
	firstRow, synced := func(v visit) float64 { return v.firstRow }, func(v visit) float64 { return v.synced }
	return []section{
		{Name: "second tab of the same browser", Rows: []row{
			{Name: "navigation → first rows", Unit: millis, Values: of(c.second, firstRow)},
			{Name: "navigation → all rows", Unit: millis, Values: of(c.second, synced)},
			{Name: "first rows, against the first tab", Unit: times, Values: ratio(of(c.second, firstRow), of(c.first, firstRow)), Budget: &budget{Most: 0.5}},
			{Name: "all rows, against the first tab", Unit: times, Values: ratio(of(c.second, synced), of(c.first, synced)), Budget: &budget{Most: 0.4}},
		}},
		{Name: fmt.Sprintf("%d tabs on the same pods", tabsOpen), Rows: []row{
			{Name: "watches of pods at the apiserver", Unit: count, Values: c.watches, Budget: &budget{Most: 1, Of: 1}},
			{Name: "heap of the worker, one tab", Unit: megabytes, Values: c.heapOne.scaled(1e-6)},
			{Name: "heap of the worker, all", Unit: megabytes, Values: c.heapAll.scaled(1e-6)},
			{Name: "heap of the worker, all against one", Unit: times, Values: ratio(c.heapAll, c.heapOne), Budget: &budget{Most: 1.15}},
			{Name: "heap of the page of a further tab", Unit: megabytes, Values: c.page.scaled(1e-6)},
			{Name: fmt.Sprintf("processor of the browser under %d events/s, one tab", tabsChurn), Unit: percent, Values: c.cpuOne.scaled(100)},
			{Name: "the same, all on screen", Unit: percent, Values: c.cpuAll.scaled(100)},
			{Name: "the same, one on screen and the others hidden", Unit: percent, Values: c.cpuHidden.scaled(100)},
		}},
	}
}

const tabsNotes = `Each round begins with a Chromium of its own; the tabs of a round share its profile. Ratios are worked out round by round.
`
