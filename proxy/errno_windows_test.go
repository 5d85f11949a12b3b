//go:build !js

package main

import (
	"net"
	"os"
	"syscall"
	"testing"
)

// TestErrnoWindows checks the errors that Winsock returns, as the net package wraps them.
func TestErrnoWindows(t *testing.T) {
	for errno, want := range map[syscall.Errno]struct{ used, missing bool }{
		10013: {used: true},    // WSAEACCES
		10047: {missing: true}, // WSAEAFNOSUPPORT
		10048: {used: true},    // WSAEADDRINUSE
		10049: {missing: true}, // WSAEADDRNOTAVAIL
		10061: {},              // WSAECONNREFUSED
	} {
		err := &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", errno)}
		if portInUse(err) != want.used || noSuchAddress(err) != want.missing {
			t.Errorf("%d: in use %t, no such address %t", errno, portInUse(err), noSuchAddress(err))
		}
	}
}
