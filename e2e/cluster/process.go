package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"watchglass/e2e/child"
)

// tailLines is how much of a log an error carries.
const tailLines = 40

// process is one running program whose output goes to a log file. It ends with
// the test process, however that one ends.
type process struct {
	name    string
	logPath string
	cmd     *exec.Cmd
	logFrom int64 // where this run begins in the log, which earlier runs share
	*child.Child
}

func startProcess(name, path, logPath string, args []string, env ...string) (*process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer func() { _ = log.Close() }() // the child has its own descriptor
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(append(os.Environ(), "GOGC=400"), env...) // there is memory, and processor time is what tests wait for
	p := &process{name: name, logPath: logPath, cmd: cmd, logFrom: from}
	if p.Child, err = child.Start(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

func (p *process) pid() int { return p.PID() }

func (p *process) exited() bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// signal is a no-op for a program that is gone already.
func (p *process) signal(s syscall.Signal) error {
	if p.exited() {
		return nil
	}
	if err := p.cmd.Process.Signal(s); err != nil && !p.exited() {
		return fmt.Errorf("send %s to %s: %w", s, p.name, err)
	}
	return nil
}

// stopWithin is how long the threads of a program may take to stop.
const stopWithin = 10 * time.Second

// pause stops the program, and waits until all of its threads have: one that still runs may answer after the signal was
// sent.
func (p *process) pause() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	return waitFor(ctx, p.name+" to stop", func(context.Context) error {
		if p.exited() || p.stopped() {
			return nil
		}
		return errors.New("a thread still runs")
	})
}

// stopped reports whether no thread of the program runs.
func (p *process) stopped() bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.pid())) // the pattern is well-formed
	return !slices.ContainsFunc(files, func(file string) bool {
		stat, err := os.ReadFile(file)
		return err == nil && !bytes.Contains(stat, []byte(") T ")) // one that cannot be read has ended
	})
}

// kill ends the program without a last word and waits until it is gone.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.Done()
	return nil
}

// stop asks the program to end and kills it when it has not after the grace.
func (p *process) stop(grace time.Duration) error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	// A paused program sees the request only once it runs again.
	if err := p.signal(syscall.SIGCONT); err != nil {
		return err
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.Done():
		return nil
	case <-timer.C:
		return p.kill()
	}
}

// failure adds to err what helps to understand it: the end of the log, and where
// the rest is.
func (p *process) failure(err error) error {
	return fmt.Errorf("%s: %w\nlast lines of %s:\n%s", p.name, err, p.logPath, tail(p.output(), tailLines))
}

// output is what this run of the program has written so far.
func (p *process) output() []byte {
	f, err := os.Open(p.logPath)
	if err != nil {
		return []byte(err.Error())
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.NewSectionReader(f, p.logFrom, 1<<30))
	if err != nil {
		return []byte(err.Error())
	}
	return data
}

// tail is the last n lines of text.
func tail(text []byte, n int) string {
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
