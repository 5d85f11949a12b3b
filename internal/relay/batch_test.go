//go:build !js

package relay

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// frames records what a batch sends, and when.
type frames struct {
	start  time.Time
	at     []time.Duration
	events []int
	sizes  []int
	seqs   []uint64
	t      *testing.T
}

func (f *frames) send(frame []byte, _ int64) error {
	parsed, err := wire.ParseFrame(frame)
	if err != nil {
		f.t.Fatal(err)
	}
	seq, events, err := parsed.Data(nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.at = append(f.at, time.Since(f.start))
	f.events = append(f.events, len(events))
	f.sizes = append(f.sizes, len(frame))
	f.seqs = append(f.seqs, seq)
	return nil
}

func TestBatchAfterSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &frames{start: time.Now(), t: t}
		b := newBatch(3, new(atomic.Int64), f.send)
		defer b.close(nil)
		add := func(n int) {
			for range n {
				if err := b.add(wire.Added, []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
		}
		add(1) // after silence: at once
		add(5) // under load: two before their time, the others within 8 ms, together
		time.Sleep(3 * time.Millisecond)
		add(2)
		time.Sleep(20 * time.Millisecond)
		add(1) // after silence again
		synctest.Wait()
		wantEvents, wantAt := []int{1, 1, 1, 5, 1}, []time.Duration{0, 0, 0, 8 * time.Millisecond, 23 * time.Millisecond}
		for i := range wantEvents {
			if len(f.events) != len(wantEvents) || f.events[i] != wantEvents[i] || f.at[i] != wantAt[i] || f.seqs[i] != uint64(i+1) {
				t.Fatalf("want %v at %v, got %v at %v, numbered %v", wantEvents, wantAt, f.events, f.at, f.seqs)
			}
		}
	})
}

// TestBatchAtAPace shows that a hundred events a second leave at once, however uneven their intervals
// are, and that a thousand leave in as many frames as are due.
func TestBatchAtAPace(t *testing.T) {
	for _, c := range []struct {
		every  []time.Duration
		frames int
		waits  time.Duration // at most
	}{
		{[]time.Duration{10 * time.Millisecond}, 100, 0},
		{[]time.Duration{2 * time.Millisecond, 18 * time.Millisecond, 5 * time.Millisecond, 15 * time.Millisecond}, 100, 0},
		{[]time.Duration{0, 0, 30 * time.Millisecond}, 100, 0},
		{[]time.Duration{time.Millisecond}, 100/8 + batchAhead + 2, wire.BatchLinger},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &frames{start: time.Now(), t: t}
			b := newBatch(3, new(atomic.Int64), f.send)
			defer b.close(nil)
			var added []time.Duration
			for i := range 100 {
				added = append(added, time.Since(f.start))
				if err := b.add(wire.Added, []byte("x")); err != nil {
					t.Fatal(err)
				}
				time.Sleep(c.every[i%len(c.every)])
			}
			time.Sleep(wire.BatchLinger)
			synctest.Wait()
			if len(f.at) != c.frames {
				t.Errorf("%v: %d frames, want %d", c.every, len(f.at), c.frames)
			}
			for i, event := 0, 0; i < len(f.at); i++ {
				if waited := f.at[i] - added[event]; waited > c.waits {
					t.Errorf("%v: an event waited %v", c.every, waited)
				}
				event += f.events[i]
			}
		})
	}
}

func TestBatchBySize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &frames{start: time.Now(), t: t}
		b := newBatch(3, new(atomic.Int64), f.send)
		defer b.close(nil)
		small, large := make([]byte, 1700), make([]byte, 1<<20)
		for range 400 {
			_ = b.add(wire.Item, small)
		}
		_ = b.add(wire.Item, large)
		_ = b.add(wire.Item, small)
		b.flush()
		for i, size := range f.sizes {
			if size > wire.BatchBytes && f.events[i] != 1 {
				t.Fatalf("a frame of %d bytes holds %d events", size, f.events[i])
			}
		}
		if len(f.sizes) > 7+batchAhead || f.at[len(f.at)-1] != 0 {
			t.Fatalf("%v at %v", f.sizes, f.at)
		}
	})
}

func TestBatchFailure(t *testing.T) {
	want := errors.New("gone")
	b := newBatch(1, new(atomic.Int64), func([]byte, int64) error { return want })
	if err := b.add(wire.Added, nil); !errors.Is(err, want) {
		t.Fatal(err)
	}
	if err := b.add(wire.Added, nil); !errors.Is(err, want) {
		t.Fatal("a failed batch takes more")
	}
}
