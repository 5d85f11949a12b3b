package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// orphanMode makes this test program a parent that is about to be killed.
const orphanMode = "WATCHGLASS_TEST_ORPHAN"

// orphanMain starts a child, says its pid and waits for the end.
func orphanMain() {
	p, err := startProcess("sleep", "sleep", os.Getenv(orphanMode), []string{"600"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.pid())
	<-p.Done()
}

func TestDiesWithParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a parent-death signal")
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), orphanMode+"="+filepath.Join(t.TempDir(), "log"))
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // says that it was killed
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err = waitFor(ctx, "the child to die", func(context.Context) error {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") { // dead, if nobody cared yet
			return nil
		}
		return errors.New("it lives")
	})
	if err != nil {
		t.Error(err)
	}
}

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
