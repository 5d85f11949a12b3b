//go:build !js

package main

import (
	"errors"
	"syscall"
)

// The numbers that Winsock returns. The syscall package's EADDRINUSE and the like are invented on
// Windows: no system call returns one.
const (
	wsaAddressFamilyNotSupported = syscall.Errno(10047) // WSAEAFNOSUPPORT
	wsaAddressInUse              = syscall.Errno(10048) // WSAEADDRINUSE
	wsaAddressNotAvailable       = syscall.Errno(10049) // WSAEADDRNOTAVAIL
)

// portInUse reports whether a port cannot be listened on because it is in use. A port that Windows
// reserves, for Hyper-V for example, or that another program holds alone, is called forbidden.
func portInUse(err error) bool {
	return errors.Is(err, wsaAddressInUse) || errors.Is(err, syscall.WSAEACCES)
}

// noSuchAddress reports whether the machine lacks the address that was to be listened on.
func noSuchAddress(err error) bool {
	return errors.Is(err, wsaAddressNotAvailable) || errors.Is(err, wsaAddressFamilyNotSupported)
}
