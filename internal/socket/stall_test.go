package socket

import (
	"io"
	"testing"
	"time"

	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// TestStalls shows that a stream counts each time that what it had received and not credited left no
// room for another full frame.
func TestStalls(t *testing.T) {
	near, far := wiretest.Pipe(64)
	defer far.Close()
	c := New(Options{})
	s := &Stream{client: c, conn: near, id: 2, mu: &c.mu}
	receive := func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.received(n)
	}
	want := func(stalls int) {
		t.Helper()
		if got := s.Stalls(); got != stalls {
			t.Errorf("%d stalls, want %d", got, stalls)
		}
	}
	full := func(want bool) {
		t.Helper()
		if got := s.Full(time.Now().Add(time.Hour)) >= time.Hour; got != want {
			t.Errorf("full: %v", got)
		}
	}
	receive(stallAt - 1)
	want(0)
	full(false)
	receive(1)
	want(1)
	full(true)
	since := s.full
	receive(wire.BatchBytes)
	want(1) // the same one
	s.Credit(wire.CreditStep - 1)
	want(1)
	s.Credit(wire.BatchBytes + 1)
	receive(1)
	want(1)
	receive(wire.CreditStep)
	want(2)
	if full(true); !s.full.Equal(since) {
		t.Error("full since the second stall, though there was never much room")
	}
	s.Credit(wire.StreamWindow / 2)
	full(false)
	if _, err := far.Read(t.Context()); err != nil && err != io.EOF {
		t.Error(err)
	}
}
