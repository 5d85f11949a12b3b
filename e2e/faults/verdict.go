package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// verdict is what a test said about a mutation.
type verdict int

const (
	found    verdict = iota // the test failed
	survived                // the test passed
	broken                  // the test did not run to its end, or the mutation does not compile
)

func (v verdict) String() string { return [...]string{"found", "SURVIVED", "ERROR"}[v] }

// check runs the row's test with the mutation.
func (r row) check(ctx context.Context, root string) (verdict, error) {
	text, err := r.mutated(root)
	if err != nil {
		return broken, err
	}
	dir, err := os.MkdirTemp("", "faults-")
	if err != nil {
		return broken, err
	}
	defer os.RemoveAll(dir)
	bring := overlay
	if r.Binary {
		bring = build
	}
	env, err := bring(ctx, root, dir, r.File, text)
	if err != nil {
		return broken, err
	}
	module, pkg, err := moduleOf(root, r.Package)
	if err != nil {
		return broken, err
	}
	pattern := "^" + strings.ReplaceAll(r.Test, "/", "$/^") + "$"
	out, err := output(ctx, module, "env", env, "go", "test", "-vet=off", "-count=1", "-v", "-timeout", cmp.Or(r.Timeout, "2m"), "-run", pattern, pkg)
	return r.judge(out, err)
}

// moduleOf returns the folder of a package's module, and the package's path in it.
func moduleOf(root, pkg string) (module, path string, err error) {
	for dir := filepath.Join(root, pkg); len(dir) >= len(root); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path, err := filepath.Rel(dir, filepath.Join(root, pkg))
			return dir, "./" + filepath.ToSlash(path), err
		}
	}
	return "", "", fmt.Errorf("%s is in no module", pkg)
}

// judge reads the output of a test. A test that hangs has failed; one that panics says nothing about the fault.
func (r row) judge(out string, err error) (verdict, error) {
	name, _, _ := strings.Cut(r.Test, "/")
	has := func(pattern string) bool { return regexp.MustCompile(`(?m)^` + pattern).MatchString(out) }
	switch failed := has(`--- FAIL: ` + name + ` `); {
	case has(`panic: test timed out`), failed && (has(`panic: deadlock: `) || !has(`panic: `)):
		return found, nil
	case err == nil && has(`--- PASS: `+name+` `):
		return survived, nil
	}
	return broken, fmt.Errorf("the test did not run to its end: %w\n%s", err, out[max(0, len(out)-2000):])
}
