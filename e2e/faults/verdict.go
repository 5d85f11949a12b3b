package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	env, err := r.overlay(root, dir, text)
	if r.Binary && err == nil {
		env, err = build(ctx, root, dir, r.File, text)
	}
	if err != nil {
		return broken, err
	}
	module, pkg, err := moduleOf(root, r.Package)
	if err != nil {
		return broken, err
	}
	out, err := output(ctx, module, "env", env, "go", "test", "-vet=off", "-count=1", "-v", "-timeout", cmp.Or(r.Timeout, "2m"), "-run", r.pattern(), pkg)
	return r.judge(out, err)
}

// overlay writes the mutated file, and returns the variable that makes the go command use it. It is no argument of
// go test, so that it holds for what a test builds, too.
func (r row) overlay(root, dir string, text []byte) (env string, err error) {
	file, list := filepath.Join(dir, filepath.Base(r.File)), filepath.Join(dir, "overlay.json")
	replace := map[string]map[string]string{"Replace": {filepath.Join(root, r.File): file}}
	content, err := json.Marshal(replace)
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(file, text, 0o644), os.WriteFile(list, content, 0o644)); err != nil {
		return "", err
	}
	return strings.TrimSpace("GOFLAGS=" + os.Getenv("GOFLAGS") + " -overlay=" + list), nil
}

// moduleOf returns the folder of a package's module, and the package's path in it.
func moduleOf(root, pkg string) (module, path string, err error) {
	for dir := filepath.Join(root, pkg); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path, err := filepath.Rel(dir, filepath.Join(root, pkg))
			return dir, "./" + filepath.ToSlash(path), err
		}
		if dir == root {
			return "", "", fmt.Errorf("%s is in no module", pkg)
		}
	}
}

// pattern matches the row's test alone.
func (r row) pattern() string { return "^" + strings.ReplaceAll(r.Test, "/", "$/^") + "$" }

// judge reads the output of a test.
func (r row) judge(out string, err error) (verdict, error) {
	name, _, _ := strings.Cut(r.Test, "/")
	has := func(pattern string) bool { return regexp.MustCompile(`(?m)^` + pattern).MatchString(out) }
	switch {
	case has(`panic: test timed out`), has(`--- FAIL: `+name+` `) && (has(`panic: deadlock: `) || !has(`panic: `)): // it hangs, or fails
		return found, nil
	case err == nil && has(`--- PASS: `+name+` `):
		return survived, nil
	}
	return broken, fmt.Errorf("the test did not run to its end: %w\n%s", err, out[max(0, len(out)-2000):])
}
