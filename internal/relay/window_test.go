//go:build !js

package relay

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"watchglass/internal/wire"
)

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const k = wire.CreditStep
		w := &window{max: 100 * k}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := w.reserve(ctx, 500*k); err != nil { // larger than the window, alone
			t.Fatal(err)
		}
		took := make(chan error, 1)
		go func() { took <- w.reserve(ctx, 60*k) }()
		synctest.Wait()
		select {
		case <-took:
			t.Fatal("a second frame passed a full window")
		default:
		}
		if w.credit(460*k) != 460*k {
			t.Fatal("credit was refused")
		}
		if err := <-took; err != nil || w.sent != 100*k {
			t.Fatal(err, w.sent)
		}
		if given := w.credit(1 << 30); given != 100*k || w.sent != 0 {
			t.Fatalf("more was given back than was taken: %d", given)
		}
		go func() { took <- w.reserve(ctx, 100*k); took <- w.reserve(ctx, 1) }()
		if err := <-took; err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-took; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}

// TestWindowRest shows that a frame larger than the window passes while less than CreditStep is
// outstanding, and only then.
func TestWindowRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := window{max: wire.StreamWindow}
		took := make(chan error, 1)
		take := func(n int) { took <- w.reserve(t.Context(), n) }
		for _, n := range []int{10 << 10, 5 << 20} {
			go take(n)
			synctest.Wait()
			select {
			case err := <-took:
				if err != nil {
					t.Fatal(err)
				}
			default:
				t.Fatalf("%d bytes wait for a credit that does not come", n)
			}
		}
		go take(1)
		synctest.Wait()
		if w.credit(10 << 10); len(took) != 0 {
			t.Fatal("a frame went over what was over already")
		}
		w.credit(5<<20 - wire.CreditStep + 1)
		if err := <-took; err != nil {
			t.Fatal(err)
		}
	})
	if wire.MaxStreams*wire.CreditStep+wire.MaxFrame > wire.ConnWindow {
		t.Error("the rests of all streams may hold up the connection")
	}
}

// TestWindowGivenBack shows that a frame that was cancelled while it waited for room on the
// connection counts in neither window.
func TestWindowGivenBack(t *testing.T) {
	sess := &session{window: window{max: wire.ConnWindow, sent: wire.ConnWindow}}
	s := &stream{session: sess, window: window{max: wire.StreamWindow}}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errClosed)
	if err := s.send(ctx, make([]byte, 1), 0); !errors.Is(err, errClosed) {
		t.Fatal(err)
	}
	if n := s.window.drain(); n != 0 {
		t.Errorf("%d bytes that were not taken would go back to the connection", n)
	}
}
