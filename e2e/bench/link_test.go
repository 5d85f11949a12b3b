package main

import (
	"io"
	"net"
	"testing"
	"time"
)

// TestLink shows that a line takes its round trip and its rate, and loses nothing.
func TestLink(t *testing.T) {
	const sent = 400_000
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		conn, err := server.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if _, err := io.ReadFull(conn, make([]byte, 1)); err == nil {
			_, _ = conn.Write(make([]byte, sent))
		}
	}()
	l, err := newLink(t.Context(), server.Addr().String(), 16, 60*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if took, least := time.Since(begin), 260*time.Millisecond; err != nil || len(got) != sent || took < least {
		t.Errorf("%d bytes in %s, %v; want %d, in no less than %s", len(got), took, err, sent, least)
	}
}
