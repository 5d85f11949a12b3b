//go:build unix

// Package cputest is a seam for tests that compare what work costs as it grows.
//
// In: work. Out: the processor time of the process for it, which other programs on the machine do not lengthen.
package cputest

import (
	"syscall"
	"testing"
	"time"
)

// Least returns the least processor time that f takes in three tries.
func Least(t testing.TB, f func()) (least time.Duration) {
	t.Helper()
	for i := range 3 {
		begin := used(t)
		f()
		if took := used(t) - begin; i == 0 || took < least {
			least = took
		}
	}
	return least
}

// used returns the processor time that this process has used.
func used(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
