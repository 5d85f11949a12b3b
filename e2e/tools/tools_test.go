package tools

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// write makes a folder with these files and returns its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBuild(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("WATCHGLASS_CACHE", cache)
	module := write(t, map[string]string{"go.mod": "module hello\n\ngo 1.26\n\ntool hello\n", "go.sum": "", "main.go": "package main\n\nfunc main() { print(1) }\n"})
	first, err := build(t.Context(), module, "hello")
	if err != nil {
		t.Fatal(err)
	}
	if rest, inCache := strings.CutPrefix(first, filepath.Join(cache, "tools", "hello")); !inCache || !strings.HasSuffix(rest, "/hello") {
		t.Errorf("built %s", first)
	}
	if out, err := exec.Command(first).CombinedOutput(); err != nil || string(out) != "1" {
		t.Errorf("the tool printed %q: %v", out, err)
	}
	if err := os.Remove(filepath.Join(module, "main.go")); err != nil {
		t.Fatal(err)
	}
	if again, err := build(t.Context(), module, "hello"); err != nil || again != first {
		t.Errorf("the second build is %s, %v: the cache was not used", again, err)
	}
	if err := os.WriteFile(filepath.Join(module, "go.sum"), []byte("\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.Context(), module, "hello"); err == nil || !strings.Contains(err.Error(), "hello") {
		t.Errorf("with another go.sum the cache was used: %v", err)
	}
}

func TestModules(t *testing.T) {
	modules, err := filepath.Glob(filepath.Join(Dir(), "*", "go.mod"))
	if err != nil || len(modules) == 0 {
		t.Fatal(modules, err)
	}
	for _, m := range modules {
		dir := filepath.Dir(m)
		if p, _, err := readModule(dir); err != nil || p.Cgo != (filepath.Base(dir) == "dex") {
			t.Errorf("%s: %+v, %v", dir, p, err)
		}
	}
	if _, err := build(t.Context(), write(t, map[string]string{"go.mod": "module none\n", "go.sum": ""}), "none"); err == nil || !strings.Contains(err.Error(), "0 tool lines") {
		t.Errorf("a module without a tool: %v", err)
	}
}

func TestBuildSeveral(t *testing.T) {
	module := write(t, map[string]string{"go.mod": "module several\n\ngo 1.26\n"})
	list := []Program{{Name: "one", Package: "several/one"}, {Name: "two", Package: "several/server/v3"}}
	for i, folder := range []string{"one", "server/v3"} {
		dir := filepath.Join(module, folder)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		source := "package main\n\nvar version = \"none\"\n\nfunc main() { print(version, " + strconv.Itoa(i+1) + ") }\n"
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := Programs{Title: "a set", Dir: t.TempDir(), Module: module, LDFlags: "-X main.version=v", List: list}
	for range 2 { // the second build has only one of them to build
		if err := p.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for i, program := range list {
			if out, err := exec.Command(filepath.Join(p.Dir, program.Name)).CombinedOutput(); err != nil || string(out) != "v"+strconv.Itoa(i+1) {
				t.Errorf("%s printed %q: %v", program.Name, out, err)
			}
		}
		if err := os.Remove(filepath.Join(p.Dir, "two")); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(p.Dir, ".partial*")); err != nil || len(left) != 0 {
		t.Error("left behind:", left, err)
	}
}

func TestBuildWaitsForAnother(t *testing.T) {
	p := Programs{Title: "a set", Dir: t.TempDir(), List: []Program{{Name: "one"}}}
	unlock, err := Lock(t.Context(), filepath.Join(p.Dir, ".lock"), func() { t.Error("waited") })
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan struct{})
	built := make(chan error)
	go func() { built <- p.Build(t.Context(), func(string, ...any) { close(waiting) }) }()
	<-waiting
	if err := os.WriteFile(filepath.Join(p.Dir, "one"), nil, 0o755); err != nil { // by the other process
		t.Fatal(err)
	}
	unlock()
	if err := <-built; err != nil {
		t.Error(err)
	}
}

func TestBuildGivesUpWithItsContext(t *testing.T) {
	p := Programs{Title: "a set", Dir: t.TempDir(), List: []Program{{Name: "one"}}}
	unlock, err := Lock(t.Context(), filepath.Join(p.Dir, ".lock"), func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.Build(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
