package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fill makes dir hold every program but those in except.
func fill(t *testing.T, dir string, except ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	skip := strings.Join(except, " ")
	for _, p := range programs {
		if strings.Contains(skip, p.name) {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, p.name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBuildUsesTheCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("WATCHGLASS_CACHE", cache)
	dir := filepath.Join(cache, "controlplane", Version)
	fill(t, dir)
	b, err := Build(t.Context(), func(format string, args ...any) { t.Errorf("said "+format, args...) })
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "kube-apiserver"); b.APIServer != want {
		t.Errorf("got %s, want %s", b.APIServer, want)
	}
}

func TestBuildWaitsForAnother(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("WATCHGLASS_CACHE", cache)
	dir := filepath.Join(cache, "controlplane", Version)
	fill(t, dir, "kubectl")
	unlock, err := lock(t.Context(), filepath.Join(dir, ".lock"), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan struct{})
	built := make(chan error)
	go func() {
		_, err := Build(t.Context(), func(string, ...any) { close(told) })
		built <- err
	}()
	<-told
	fill(t, dir) // what the other process was busy with
	unlock()
	if err := <-built; err != nil {
		t.Error(err)
	}
}

func TestBuildGivesUpWithItsContext(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("WATCHGLASS_CACHE", cache)
	dir := filepath.Join(cache, "controlplane", Version)
	fill(t, dir, "kubectl")
	unlock, err := lock(t.Context(), filepath.Join(dir, ".lock"), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Build(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
