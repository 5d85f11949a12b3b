//go:build !js && !windows

package main

import (
	"errors"
	"syscall"
)

// portInUse reports whether a port cannot be listened on because it is in use.
func portInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// noSuchAddress reports whether the machine lacks the address that was to be listened on.
func noSuchAddress(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)
}
