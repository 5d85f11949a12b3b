// Command bench measures Watchglass against native client-go and against its own
// budgets, interleaved in one run on a real apiserver, with the real proxy and a
// real Chromium:
//
//	make bench ARGS="-pods 50000 -rounds 3"
//
// As "bench parts" it measures the parts of the informer, each alone, natively
// beside client-go's and as WebAssembly. As "bench connections" it measures what many
// tabs cost the proxy, beside kubectl proxy. As "bench crowd" it measures many users who open their lists at
// once, beside a client that asks the apiserver itself. As "bench tabs" it measures what further tabs of
// one browser cost, and the first tab beside that of another watchglass. As "bench overview" it
// measures the overview of the demo beside its list of pods. As "bench logs" it measures
// structured logs: one that grows fast, and how long a filter takes. As "bench past" it
// measures going back, in recordings of a busy cluster. As "bench large" it measures only syncs, of 50,000 and
// 100,000 pods. As "bench again" it measures second visits of the page. As "bench plots bench/README.md" it measures
// nothing: it adds what the README has to the history beside it, and draws the plots.
//
// Everything it prints was measured in that run; where something cannot be
// measured, it fails. Machines differ and have other things to do, so the figures
// to keep are the ratios, and beside each median stands what it spreads over.
//
// It needs Linux, whose /proc tells of processor time, memory and bytes without
// anybody having to ask the processes themselves.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// options are the flags.
type options struct {
	pods    int
	rounds  int
	churn   float64
	json    string
	figures string
	summary string
	quick   bool
	native  []nativeKind
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// commands are what this program does besides measuring everything, by their names.
var commands = map[string]func(ctx context.Context, args []string, stdout, stderr io.Writer) error{
	nativeCommand:      func(ctx context.Context, args []string, stdout, _ io.Writer) error { return native(ctx, args, stdout) },
	partsCommand:       measureParts,
	connectionsCommand: measureConnections,
	crowdCommand:       measureCrowd,
	tabsCommand:        measureTabs,
	overviewCommand:    measureOverview,
	pastCommand:        measurePast,
	logsCommand:        measureLogs,
	largeCommand:       measureLarge,
	againCommand:       measureAgain,
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		if command := commands[args[0]]; command != nil {
			return command(ctx, args[1:], stdout, stderr)
		}
	}
	if len(args) == 2 && args[0] == plotsCommand {
		return plots(args[1])
	}
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	b := newBench(o, stderr)
	r, err := b.measure(ctx)
	if err = errors.Join(err, b.close()); err != nil {
		return err
	}
	if err := r.print(stdout); err != nil {
		return err
	}
	if !o.quick {
		if err := r.publish(o.figures, o.summary); err != nil {
			return err
		}
		if o.figures != "" {
			if err := remember(stdout, o.figures, "bench", r.markdown(), r.Sections); err != nil {
				return err
			}
		}
	}
	return r.write(o.json)
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var kinds string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.pods, "pods", 10_000, "pods in the cluster")
	flags.IntVar(&o.rounds, "rounds", 5, "how often each contender syncs")
	flags.Float64Var(&o.churn, "churn", 1000, "events a second while it is busy")
	flags.StringVar(&o.json, "json", "out/bench.json", "where the figures are written to")
	flags.StringVar(&o.figures, "readme", "", "file to write the tables to, such as bench/README.md")
	flags.StringVar(&o.summary, "summary", "", "file to write the summary to, such as ../README.md")
	flags.BoolVar(&o.quick, "quick", false, "one round of everything: to see that it runs")
	flags.StringVar(&kinds, "native", "protobuf,json,dynamic,client-node,kubectl,watch-list,list", "what to compare with")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.quick {
		o.rounds = 1
	}
	for kind := range strings.SplitSeq(kinds, ",") {
		if _, ok := nativeNames[nativeKind(kind)]; !ok {
			return o, fmt.Errorf("-native: there is no %q", kind)
		}
		o.native = append(o.native, nativeKind(kind))
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
	case o.pods < 1 || o.rounds < 1 || o.churn <= 0:
		return o, errors.New("-pods, -rounds and -churn are at least 1")
	case o.native[0] != protobuf:
		return o, errors.New("-native begins with protobuf: it is what the budgets are told in")
	}
	return o, nil
}
