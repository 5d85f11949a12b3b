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

// options say which rows to check and how. The zero value checks all rows and writes nothing.
type options struct {
	Root string         // of the repository; default: the parent of the working directory
	Run  *regexp.Regexp // matches the class, the package or the commit of a row; default: all rows
	Seen bool           // write the commit into the rows whose test failed
}

func main() {
	o := options{Root: ".."}
	flag.Func("run", "check only rows whose class, package or commit matches this `regexp`; ^$ are those never seen to fail", func(s string) (err error) {
		o.Run, err = regexp.Compile(s)
		return err
	})
	flag.BoolVar(&o.Seen, "seen", false, "write the current commit into the rows whose test failed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	n, err := check(ctx, o)
	fmt.Printf("%d found, %d survived, %d errors in %s\n", n[found], n[survived], n[broken], time.Since(began).Round(time.Second))
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
	}
	if err != nil || n[survived]+n[broken] > 0 {
		os.Exit(1)
	}
}

// check checks the rows, and counts what their tests said.
func check(ctx context.Context, o options) (n [3]int, err error) {
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return n, err
	}
	t, err := readTable(root)
	if err != nil {
		return n, err
	}
	commit, err := output(ctx, root, "git", "rev-parse", "--short", "HEAD")
	if err != nil {
		return n, err
	}
	for i, r := range t.rows {
		if o.Run != nil && !o.Run.MatchString(r.Class) && !o.Run.MatchString(r.Package) && !o.Run.MatchString(r.Seen) {
			continue
		}
		began := time.Now()
		v, why := r.check(ctx, root)
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		n[v]++
		fmt.Printf("%-8s %5.1fs  %s: %s %s\n", v, time.Since(began).Seconds(), r.Class, r.Package, r.Test)
		if why != nil {
			fmt.Println("   ", why)
		}
		if o.Seen && v == found {
			err = t.see(i, commit)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
