package cluster

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestStopTakesPausedProcess(t *testing.T) {
	p, err := startProcess("sleep", "sleep", filepath.Join(t.TempDir(), "log"), []string{"600"})
	if err != nil {
		t.Fatal(err)
	}
	if p.exited() {
		t.Fatal("gone at once")
	}
	if err := p.stop(time.Minute); err != nil {
		t.Error(err)
	}
	if !p.exited() {
		t.Error("still there")
	}
	if err := p.kill(); err != nil {
		t.Errorf("kill of a gone process: %v", err)
	}
}

func TestTail(t *testing.T) {
	if got := tail([]byte("a\nb\nc\n"), 2); got != "b\nc" {
		t.Errorf("got %q", got)
	}
	if got := tail(nil, 2); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestWaitFor(t *testing.T) {
	tries := 0
	err := waitFor(t.Context(), "three", func(context.Context) error {
		if tries++; tries < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if err != nil || tries != 3 {
		t.Errorf("%d tries, %v", tries, err)
	}
	broken := errors.New("broken")
	if err := waitFor(t.Context(), "more", func(context.Context) error { return fatal(broken) }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = waitFor(ctx, "ever", func(context.Context) error { return broken })
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
