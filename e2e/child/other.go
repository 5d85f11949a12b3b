//go:build !linux

package child

import "syscall"

// dieWithParent has nothing to offer here: the child of a killed test process
// stays until somebody ends it.
func dieWithParent() *syscall.SysProcAttr { return nil }
