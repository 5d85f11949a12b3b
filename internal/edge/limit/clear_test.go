//go:build !js

package limit

import (
	"io"
	"net"
	"strings"
	"testing"
)

// TestClearBuffers checks that the buffer is cleared before the next read.
func TestClearBuffers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	near, err := ClearBuffers(l).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	buffer := make([]byte, 20)
	if _, err := io.WriteString(far, "Cookie: secret"); err != nil {
		t.Fatal(err)
	}
	if n, err := near.Read(buffer); err != nil || string(buffer[:n]) != "Cookie: secret" {
		t.Fatalf("%q %v", buffer[:n], err)
	}
	far.Close()
	if _, err := near.Read(buffer); err != io.EOF || strings.Trim(string(buffer), "\x00") != "" {
		t.Errorf("%q %v", buffer, err)
	}
	l.Close()
	if _, err := ClearBuffers(l).Accept(); err == nil {
		t.Error("a listener that is closed accepts")
	}
}
