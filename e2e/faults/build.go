package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// overlay writes the mutated file, and returns the variable that makes the go command use it. Unlike a flag of go test,
// it also reaches the builds that a test runs, except those with -cover, which ignore overlays.
func overlay(_ context.Context, root, dir, file string, text []byte) (env string, err error) {
	mutated, list := filepath.Join(dir, filepath.Base(file)), filepath.Join(dir, "overlay.json")
	content, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, file): mutated}})
	if err != nil {
		return "", err
	}
	err = errors.Join(os.WriteFile(mutated, text, 0o644), os.WriteFile(list, content, 0o644))
	return strings.TrimSpace("GOFLAGS=" + os.Getenv("GOFLAGS") + " -overlay=" + list), err
}

// build builds watchglass with the mutated file, and returns the variable that makes tests run it. The build of the
// page writes into the tree that it reads, so it happens in a worktree of the last commit.
func build(ctx context.Context, root, dir, file string, text []byte) (env string, err error) {
	tree, binary := filepath.Join(dir, "tree"), filepath.Join(dir, "watchglass")
	if out, err := output(ctx, root, "git", "worktree", "add", "--detach", tree, "HEAD"); err != nil {
		return "", errors.New(out)
	}
	defer func() {
		_, _ = output(context.WithoutCancel(ctx), root, "git", "worktree", "remove", "--force", tree) // else it is pruned later
	}()
	if err := os.WriteFile(filepath.Join(tree, file), text, 0o644); err != nil {
		return "", err
	}
	if out, err := output(ctx, tree, "go", "run", "./web/static/build", "-fast"); err != nil {
		return "", errors.New(out)
	}
	if out, err := output(ctx, tree, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./proxy"); err != nil {
		return "", errors.New(out)
	}
	return "WATCHGLASS_BIN=" + binary, nil
}

// output runs a program in a folder, and returns what it writes.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
