// Command faults checks that the tests find the faults they exist for. For each row of faults.yaml it puts the fault
// into the code, in an overlay and not in the tree, runs the row's test, and reports whether that fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

// table is where the rows are, from the root of the repository.
const table = "e2e/faults/faults.yaml"

// options say which rows to check and how. Useful zero values: all rows, and nothing is written.
type options struct {
	Root string         // of the repository; default: the parent of the working directory
	Run  *regexp.Regexp // matches the class, the package or the commit of a row; nil: all rows
	Seen bool           // write the commit into the rows whose test failed
}

func main() {
	var o options
	flag.StringVar(&o.Root, "root", "..", "root of the repository")
	flag.BoolVar(&o.Seen, "seen", false, "write the current commit into the rows whose test failed")
	flag.Func("run", "check only rows whose class, package or commit matches this `regexp`; ^$ are those never seen to fail", func(s string) (err error) {
		o.Run, err = regexp.Compile(s)
		return err
	})
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := check(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// check checks the rows, and reports whether any of them did not fail as it should.
func check(ctx context.Context, o options) (bad bool, err error) {
	if o.Root == "" {
		o.Root = ".."
	}
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return false, err
	}
	t, err := readTable(filepath.Join(o.Root, table))
	if err != nil {
		return false, err
	}
	commit, err := output(ctx, o.Root, "git", "rev-parse", "--short", "HEAD")
	if err != nil {
		return false, err
	}
	var counts [3]int
	began := time.Now()
	for i, r := range t.rows {
		if o.Run != nil && !o.Run.MatchString(r.Class) && !o.Run.MatchString(r.Package) && !o.Run.MatchString(r.Seen) {
			continue
		}
		start := time.Now()
		v, err := r.check(ctx, o.Root)
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		counts[v]++
		fmt.Printf("%-8s %5.1fs  %s: %s %s\n", v, time.Since(start).Seconds(), r.Class, r.Package, r.Test)
		if err != nil {
			fmt.Printf("    %v\n", err)
		}
		if o.Seen && v == found {
			if err := t.see(i, commit); err != nil {
				return true, err
			}
		}
	}
	fmt.Printf("%d found, %d survived, %d errors in %s\n", counts[found], counts[survived], counts[broken], time.Since(began).Round(time.Second))
	return counts[survived]+counts[broken] > 0, nil
}
