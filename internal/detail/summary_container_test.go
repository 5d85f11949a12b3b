package detail

import (
	"net"
	"testing"
)

// TestHostPort compares with package net.
func TestHostPort(t *testing.T) {
	for _, host := range []string{"", "10.0.0.1", "a.example", "fd00::1", "::ffff:10.0.0.1", "[fd00::1]", "fe80::1%eth0"} {
		if got, want := hostPort(host, "8080"), net.JoinHostPort(host, "8080"); got != want {
			t.Errorf("%s is written as %s, not %s", host, got, want)
		}
	}
}
