package child

import "syscall"

// dieWithParent makes the kernel kill the child when the test process is gone,
// also when that one was killed and could not call Stop.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
