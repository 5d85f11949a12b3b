// Package child starts programs that end with the test process, however that one
// ends.
package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Child is a running program.
type Child struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts a program, and waits for its end in the background.
func Start(cmd *exec.Cmd) (*Child, error) {
	cmd.SysProcAttr = dieWithParent()
	c := &Child{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go c.run(started)
	return c, <-started
}

// run starts the program and waits for its end. It keeps its thread for as long:
// the kernel sends the parent-death signal when the thread that forked is gone,
// and the Go runtime may end any thread that is not held.
func (c *Child) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	c.err = c.cmd.Wait()
	close(c.done)
}

// PID is the process's.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Done is closed once the program is gone.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err is why it is gone. Read it after Done.
func (c *Child) Err() error { return c.err }

// Interrupt asks the program to end, as Ctrl-C does.
func (c *Child) Interrupt() error { return c.cmd.Process.Signal(os.Interrupt) }

// Terminate asks the program to end, as kill and a kubelet do.
func (c *Child) Terminate() error { return c.cmd.Process.Signal(syscall.SIGTERM) }

// Kill ends the program without a last word, and waits until it is gone.
func (c *Child) Kill() error {
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", c.cmd.Path, err)
	}
	<-c.done
	return nil
}
