package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// nodeTakes is how many times as long a measurement in Node takes: it optimises what
// has run for a while, as a browser does, and before that it is several times slower.
const nodeTakes = 5

// partsCommand has this program measure the informer's parts, each alone, in the
// place of the whole.
const partsCommand = "parts"

// part is a part of the informer, and the benchmark that has it do what client-go's
// part does as well. Where there are several, it is the one in which client-go looks
// best.
type part struct {
	name  string
	dir   string
	bench string // its runs are named "ours" and as the rival is
	rival string
}

var parts = []part{
	{"store, five indexes: Replace an empty one by 100,000 objects", "internal/indexer", "BenchmarkReplace/empty", "client-go"},
	{"store, five indexes: Update one of 100,000 objects", "internal/indexer", "BenchmarkUpdate", "client-go"},
	{"store: ByIndex, the 50 objects of a node", "internal/indexer", "BenchmarkByIndex/node", "client-go"},
	{"FIFO: Add and Pop an object", "internal/deltafifo", "BenchmarkAddPop", "client-go-realfifo"},
	{"protobuf of a realistic pod → its row (client-go: → its struct)", "internal/object", "BenchmarkDecodePod", "client-go"},
}

// measured is what came of a part, round by round.
type measured struct {
	part
	ours, theirs, wasm     sample // ns
	ourAllocs, theirAllocs sample
}

// partsRun is a run of all parts, built once for each machine.
type partsRun struct {
	rounds    int
	benchtime time.Duration
	root      string // of the project
	built     string // where the tests are
	node      string // what runs a test in Node, as the page runs it
	log       io.Writer
}

// measureParts is the whole command.
func measureParts(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	r := &partsRun{root: "..", log: stderr}
	flags := flag.NewFlagSet("bench "+partsCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&r.rounds, "rounds", 5, "how often each part is measured")
	flags.DurationVar(&r.benchtime, "benchtime", 400*time.Millisecond, "how long one native measurement takes")
	readme := flags.String("readme", "", "file to write the tables to, such as bench/README.md")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if r.rounds < 1 || r.benchtime <= 0 || flags.NArg() > 0 {
		return errors.New("-rounds is at least 1, -benchtime more than 0, and there are no arguments")
	}
	if r.built, err = os.MkdirTemp("", "watchglass-parts-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.built)) }()
	all, err := r.measure(ctx)
	if err != nil {
		return err
	}
	runs, err := r.versions(ctx)
	if err != nil {
		return err
	}
	table := partsTable(all) + "\n" + runs
	fmt.Fprint(stdout, table)
	if err := slower(all); err != nil {
		return err
	}
	return keep(stdout, *readme, partsCommand, table, nil)
}

// measure builds all parts, and measures each in turns with client-go's.
func (r *partsRun) measure(ctx context.Context) ([]measured, error) {
	all := make([]measured, len(parts))
	for i, p := range parts {
		all[i].part = p
	}
	r.node = filepath.Join(r.built, "build-site")
	site := r.command(ctx, runtime.GOOS, "go", "build", "-o", r.node, "./web/static/build")
	site.Dir = r.root
	if _, err := output(site); err != nil {
		return nil, err
	}
	for _, goos := range []string{runtime.GOOS, "js"} {
		if err := r.build(ctx, goos); err != nil {
			return nil, err
		}
	}
	for round := range r.rounds {
		fmt.Fprintf(r.log, "bench: the parts, round %d of %d\n", round+1, r.rounds)
		for i := range all {
			if err := r.add(ctx, &all[i]); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// add adds one round of a part.
func (r *partsRun) add(ctx context.Context, m *measured) error {
	native, err := r.bench(ctx, m.part, runtime.GOOS)
	if err != nil {
		return err
	}
	inNode, err := r.bench(ctx, m.part, "js")
	if err != nil {
		return err
	}
	ours, is := native[m.bench+"/ours"]
	theirs, also := native[m.bench+"/"+m.rival]
	wasm, too := inNode[m.bench+"/ours"]
	if !is || !also || !too {
		return fmt.Errorf("%s has no run of ours, of client-go's, or as wasm", m.bench)
	}
	m.ours, m.theirs, m.wasm = append(m.ours, ours.took), append(m.theirs, theirs.took), append(m.wasm, wasm.took)
	m.ourAllocs, m.theirAllocs = append(m.ourAllocs, ours.allocs), append(m.theirAllocs, theirs.allocs)
	return nil
}

// build compiles the tests that hold the benchmarks.
func (r *partsRun) build(ctx context.Context, goos string) error {
	for i, p := range parts {
		if slices.ContainsFunc(parts[:i], func(before part) bool { return before.dir == p.dir }) {
			continue
		}
		c := r.command(ctx, goos, "go", "test", "-c", "-o", r.binary(p, goos), "./"+p.dir)
		c.Dir = r.root
		if _, err := output(c); err != nil {
			return err
		}
	}
	return nil
}

// binary is where the tests of a part are.
func (r *partsRun) binary(p part, goos string) string {
	return filepath.Join(r.built, path.Base(p.dir)+"."+goos)
}

// bench runs the benchmark of a part once.
func (r *partsRun) bench(ctx context.Context, p part, goos string) (map[string]figure, error) {
	pattern := "^" + strings.ReplaceAll(p.bench, "/", "$/^") + "$"
	command, within := []string{r.binary(p, goos)}, r.benchtime
	if goos == "js" {
		command, within = append([]string{r.node, "-run", "--"}, command...), nodeTakes*within
	}
	command = append(command, "-test.run=^$", "-test.bench="+pattern, "-test.benchmem", "-test.benchtime="+within.String())
	c := r.command(ctx, goos, command[0], command[1:]...)
	c.Dir = filepath.Join(r.root, p.dir)
	out, err := output(c)
	if err != nil {
		return nil, err
	}
	return parseBench(out)
}

// command is a command for a machine.
func (r *partsRun) command(ctx context.Context, goos, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	if goos == "js" {
		c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	}
	return c
}

// output is what a command prints; what it complains of is in the error.
func output(c *exec.Cmd) (string, error) {
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(c.Args, " "), err, out, &stderr)
	}
	return string(out), nil
}

// versions says what was compared, and where.
func (r *partsRun) versions(ctx context.Context) (string, error) {
	list := r.command(ctx, runtime.GOOS, "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/client-go")
	list.Dir = r.root
	clientGo, err := output(list)
	node, also := output(r.command(ctx, runtime.GOOS, "node", "--version"))
	return fmt.Sprintf("Medians of %d rounds of `make parts` on %s; client-go %s; Go %s; Node %s; %d cores, %s/%s. Watchglass and client-go took turns. The queue is the faster one of client-go's two, which its informers use.\n",
		r.rounds, time.Now().UTC().Format("2006-01-02"), strings.TrimSpace(clientGo), runtime.Version(), strings.TrimSpace(node), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH), errors.Join(err, also)
}

// slower names the parts in which ours is slower than client-go's.
func slower(all []measured) error {
	var errs []error
	for _, m := range all {
		if times := ratio(m.ours, m.theirs).median(); times > 1 {
			errs = append(errs, fmt.Errorf("%s: ours takes %.2f times what client-go's does", m.name, times))
		}
	}
	return errors.Join(errs...)
}

// partsTable is the table of the parts in the bench's README.
func partsTable(all []measured) string {
	var out strings.Builder
	out.WriteString("| part | Watchglass | client-go | Watchglass / client-go | Watchglass as WebAssembly in Node | allocations, Watchglass / client-go |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, m := range all {
		fmt.Fprintf(&out, "| %s | %s | %s | %.2f × | %s | %s / %s |\n", m.name, duration(m.ours.median()), duration(m.theirs.median()),
			ratio(m.ours, m.theirs).median(), duration(m.wasm.median()), grouped(int(m.ourAllocs.median())), grouped(int(m.theirAllocs.median())))
	}
	return out.String()
}

// duration writes nanoseconds in the unit that suits them.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	}
	return fmt.Sprintf("%.1f ms", ns/1e6)
}
