package socket

import (
	"io"
	"testing"

	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// TestStalls shows that a stream counts each time that what it had received and not credited left no
// room for another full frame.
func TestStalls(t *testing.T) {
	near, far := wiretest.Pipe(64)
	defer far.Close()
	s := &Stream{client: New(Options{}), conn: near, id: 2}
	receive := func(n int) {
		s.client.mu.Lock()
		defer s.client.mu.Unlock()
		s.received(n)
	}
	want := func(stalls int) {
		t.Helper()
		if got := s.Stalls(); got != stalls {
			t.Errorf("%d stalls, want %d", got, stalls)
		}
	}
	receive(stallAt - 1)
	want(0)
	receive(1)
	want(1)
	receive(wire.BatchBytes)
	want(1) // the same one
	s.Credit(wire.CreditStep - 1)
	want(1)
	s.Credit(wire.BatchBytes + 1)
	receive(1)
	want(1)
	receive(wire.CreditStep)
	want(2)
	if _, err := far.Read(t.Context()); err != nil && err != io.EOF {
		t.Error(err)
	}
}
