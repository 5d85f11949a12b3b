//go:build !js && !race

package internal_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// countCalls builds a program that paints with the page's own painter and sends with its own port,
// and counts what they call of JavaScript, under Node.
func countCalls(t *testing.T) (all []count) {
	program := filepath.Join(t.TempDir(), "frame.wasm")
	command(t, "go", "build", "-o", program, "./testdata/frame")
	goroot := strings.TrimSpace(command(t, "go", "env", "GOROOT"))
	out := command(t, "node", "testdata/frame/count.cjs", goroot, program)
	for line := range strings.Lines(out) {
		figure, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(figure)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		all = append(all, count{name, float64(n), "calls", 0})
	}
	if len(all) == 0 {
		t.Fatal("nothing was counted")
	}
	return all
}

// command runs a command for the tab's machine, and returns what it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}
