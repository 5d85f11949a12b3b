//go:build !js

package relay

import (
	"errors"
	"slices"
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
		add(5) // under load: within 8 ms, together
		time.Sleep(3 * time.Millisecond)
		add(2)
		time.Sleep(20 * time.Millisecond)
		add(1) // after silence again
		synctest.Wait()
		wantEvents, wantAt := []int{1, 7, 1}, []time.Duration{0, 8 * time.Millisecond, 23 * time.Millisecond}
		for i := range wantEvents {
			if len(f.events) != 3 || f.events[i] != wantEvents[i] || f.at[i] != wantAt[i] || f.seqs[i] != uint64(i+1) {
				t.Fatalf("want %v at %v, got %v at %v, numbered %v", wantEvents, wantAt, f.events, f.at, f.seqs)
			}
		}
	})
}

// TestBatchAtAPace shows that an event shortly before the next frame is due waits only for the
// rest of that time.
func TestBatchAtAPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &frames{start: time.Now(), t: t}
		b := newBatch(3, new(atomic.Int64), f.send)
		defer b.close(nil)
		var want []time.Duration
		for i := range 5 {
			if err := b.add(wire.Added, []byte("x")); err != nil {
				t.Fatal(err)
			}
			want = append(want, time.Duration(i)*wire.BatchLinger)
			time.Sleep(wire.BatchLinger - time.Millisecond)
		}
		synctest.Wait()
		if !slices.Equal(f.at, want) {
			t.Errorf("the frames went at %v, want %v", f.at, want)
		}
	})
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
		if len(f.sizes) > 7 || f.at[len(f.at)-1] != 0 {
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
