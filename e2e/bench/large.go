package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// largeCommand makes this program measure only syncs, in larger clusters.
const largeCommand = "large"

// largeNative is what the tab is compared with there: not with JSON, for which client-go takes six times as long as
// for protobuf.
const largeNative = "protobuf,client-node,kubectl,watch-list,list"

// measureLarge runs the command: in each cluster, the contenders take turns.
func measureLarge(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench "+largeCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	sizes := flags.String("pods", "50000,100000", "pods in the clusters")
	rounds := flags.Int("rounds", 3, "how often each contender syncs")
	kinds := flags.String("native", largeNative, "what to compare with")
	figures := flags.String("readme", "", "file to write the table to, such as bench/README.md")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	var all []*report
	var sections []section
	for size := range strings.SplitSeq(*sizes, ",") {
		o, err := parse([]string{"-pods", size, "-rounds", strconv.Itoa(*rounds), "-native", *kinds}, stderr)
		if err != nil {
			return err
		}
		r, err := measureSyncs(ctx, o, stderr)
		if err != nil {
			return fmt.Errorf("%s pods: %w", size, err)
		}
		all = append(all, r)
		fmt.Fprintf(stdout, "\nWatchglass bench large: %d pods, %d rounds, %s\n", r.Pods, r.Rounds, r.Begin.Format("2006-01-02 15:04 MST"))
		synced := section{grouped(r.Pods) + " pods: sync, cold, in turns", r.syncLines()}
		if err := printReport(stdout, r.Versions, []section{synced}, ""); err != nil {
			return err
		}
		sections = append(sections, synced)
	}
	return keep(stdout, kept(flags, *figures, stderr), largeCommand, largeTable(all), sections)
}

// measureSyncs measures the syncs in a cluster of its own.
func measureSyncs(ctx context.Context, o options, log io.Writer) (r *report, err error) {
	b := newBench(o, log)
	defer func() { err = errors.Join(err, b.close()) }()
	r = &report{Begin: b.begin.UTC(), Pods: b.pods, Rounds: b.rounds}
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context, *report) error{b.versions, b.warm, b.contest} {
		if err := part(ctx, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// largeTable has a column for each cluster, and what Watchglass takes relative to each contender.
func largeTable(all []*report) string {
	var out strings.Builder
	out.WriteString("| all pods in the store |")
	rule := "| --- |"
	for _, r := range all {
		fmt.Fprintf(&out, " %s pods | Watchglass takes |", grouped(r.Pods))
		rule += " ---: | ---: |"
	}
	out.WriteString("\n" + rule + "\n| **Watchglass**, cold page load |")
	for _, r := range all {
		fmt.Fprintf(&out, " %.1f s | |", r.tabSynced().median()/1e3)
	}
	out.WriteByte('\n')
	for _, kind := range nativeKinds {
		if all[0].natives[kind] == nil {
			continue
		}
		fmt.Fprintf(&out, "| %s |", nativeNames[kind]+kind.started())
		for _, r := range all {
			took := r.natives[kind].took
			fmt.Fprintf(&out, " %.1f s | %.2f × |", took.median()/1e3, ratio(r.tabSynced(), took).median())
		}
		out.WriteByte('\n')
	}
	fmt.Fprintf(&out, "\nMedians of %d rounds of `make large` on %s, real apiserver; machine %s. First rows are painted after", all[0].Rounds, all[0].Begin.Format("2006-01-02"), thisMachine())
	var first, heap []string
	for _, r := range all {
		first = append(first, fmt.Sprintf("%.2f s", of(r.visits, firstSeconds).median()))
		heap = append(heap, fmt.Sprintf("%.2f KB", of(r.visits, heapPerPod).median()))
	}
	fmt.Fprintf(&out, " %s, and the worker's heap is %s a pod.\n", strings.Join(first, " and "), strings.Join(heap, " and "))
	return out.String()
}
