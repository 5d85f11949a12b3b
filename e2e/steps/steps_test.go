package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSteps checks that no text takes a parser more than so many steps for each byte, nor more for each byte of a
// longer text.
func TestSteps(t *testing.T) {
	program := filepath.Join(t.TempDir(), "steps")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=watchglass/e2e/steps,watchglass/internal/detail/...,watchglass/internal/object,watchglass/internal/query", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(program)
	run.Env = append(run.Environ(), "GOCOVERDIR="+t.TempDir())
	out, err := run.CombinedOutput()
	if err != nil || strings.Count(string(out), " steps per byte") < len(targets) {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.Contains(string(out), "TOO MANY") {
		t.Error(string(out))
	}
	t.Log(string(out))
}
