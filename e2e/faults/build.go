package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build builds watchglass with a mutated file, and returns the variable that makes tests run it. The build of the page
// writes into the tree that it reads, so it happens in a worktree of the last commit.
func build(ctx context.Context, root, dir, file string, text []byte) (env string, err error) {
	tree, binary := filepath.Join(dir, "tree"), filepath.Join(dir, "watchglass")
	if _, err := output(ctx, root, "git", "worktree", "add", "--detach", tree, "HEAD"); err != nil {
		return "", err
	}
	defer func() {
		_, _ = output(context.WithoutCancel(ctx), root, "git", "worktree", "remove", "--force", tree) // it is in a temporary folder
	}()
	if err := os.WriteFile(filepath.Join(tree, file), text, 0o644); err != nil {
		return "", err
	}
	if _, err := output(ctx, tree, "go", "run", "./web/static/build", "-fast"); err != nil {
		return "", err
	}
	_, err = output(ctx, tree, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./proxy")
	return "WATCHGLASS_BIN=" + binary, err
}

// output runs a program in a folder, and returns what it writes.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
