package deltafifo

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func things(n, version int) []thing {
	list := make([]thing, n)
	for i := range list {
		list[i] = thing{fmt.Sprintf("%05d", i), version}
	}
	return list
}

// TestBatchIsBoundedByTime shows that a batch ends when its time is over, and that
// others have a turn no later than every slice.
func TestBatchIsBoundedByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store{}
		var turns []time.Time
		f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: s, slice: 8 * time.Millisecond, Yield: func() { turns = append(turns, time.Now()) }})
		for _, o := range things(1000, 1) {
			f.Add(o)
		}
		var sizes []int
		for began := time.Now(); f.Len() > 0; {
			if err := f.Pop(t.Context(), func(b *Batch[thing]) error {
				n := 0
				for b.Next() {
					time.Sleep(time.Duration(len(b.Items)) * 100 * time.Microsecond)
					s.apply(b.Items)
					n += len(b.Items)
				}
				sizes = append(sizes, n)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if n := len(turns); n > 0 {
				began = turns[n-1]
			}
			if time.Since(began) > 12*time.Millisecond { // a slice, and one more chunk
				t.Fatalf("nobody had a turn for %v", time.Since(began))
			}
		}
		if slices.Max(sizes) > 3*chunk || len(s) != 1000 || len(turns) < 8 {
			t.Fatal(sizes, len(s), turns)
		}
	})
}

// TestBatchIsBoundedByKeys shows the other bound.
func TestBatchIsBoundedByKeys(t *testing.T) {
	s := store{}
	f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: s, maxBatch: 100, slice: time.Hour})
	for _, o := range things(250, 1) {
		f.Add(o)
	}
	for _, want := range []int{100, 200, 250} {
		if err := f.Pop(t.Context(), s.applyAll); err != nil || len(s) != want {
			t.Fatal(len(s), err)
		}
	}
}

// TestBatchStops shows that what process does not ask for stays queued.
func TestBatchStops(t *testing.T) {
	s := store{}
	f := newFIFO(s)
	for _, o := range things(100, 1) {
		f.Add(o)
	}
	failed := fmt.Errorf("enough")
	if err := f.Pop(t.Context(), func(b *Batch[thing]) error { b.Next(); s.apply(b.Items); return failed }); err != failed || len(s) != chunk || f.Len() != 100-chunk {
		t.Fatal(err, len(s), f.Len())
	}
	if err := f.Pop(t.Context(), s.applyAll); err != nil || len(s) != 100 {
		t.Fatal(err, len(s))
	}
}

// TestStaged shows that the batches of a new list say so, and which is the last.
func TestStaged(t *testing.T) {
	for _, keys := range []int{1, 1000, 2500} {
		s := store{}
		f := newFIFO(s)
		f.Replace(nil, "1")
		pop(t, f, s)
		f.Replace(things(keys, 2), "2")
		f.Update(thing{"behind", 3}) // it is not of the list
		f.Bookmark("3")
		whole := -1 // how many keys were in when the list was
		for f.Len() > 0 {
			if err := f.Pop(t.Context(), func(b *Batch[thing]) error {
				if b.Staged != (len(s) < keys) {
					t.Fatalf("%d keys: staged %v at %d", keys, b.Staged, len(s))
				}
				err := s.applyAll(b)
				if !b.Partial && whole < 0 {
					whole = len(s)
				}
				if (b.Version != "") != (f.Len() == 0) {
					t.Fatalf("%d keys: at version %q with %d to come", keys, b.Version, f.Len())
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		if whole < keys || len(s) != keys+1 {
			t.Fatal(keys, whole, len(s))
		}
	}
}

// TestReplaceYields shows that Replace itself works in slices, and that producers
// of other things do not wait for it.
func TestReplaceYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store{}
		var f *DeltaFIFO[thing]
		turns := 0
		f = New(Options[thing]{
			KeyFunc: func(o thing) string { time.Sleep(100 * time.Microsecond); return o.key },
			Known:   s,
			Yield:   func() { turns++; f.Len(); f.Add(thing{"other", turns}) },
		})
		f.Replace(things(1000, 1), "1")
		if turns < 8 || turns > 12 {
			t.Fatal(turns)
		}
		for f.Len() > 0 {
			if err := f.Pop(t.Context(), s.applyAll); err != nil {
				t.Fatal(err)
			}
		}
		if len(s) != 1000 || !f.HasSynced() { // what came before the list was whole is not in it
			t.Fatal(len(s), f.HasSynced())
		}
	})
}

// TestBound shows what may pile up before a consumer that does not come: three
// deltas of each key, and a count of what was folded.
func TestBound(t *testing.T) {
	f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, slice: time.Hour, Known: store{"0": {"0", 0}, "1": {"1", 0}}})
	const events = 100_000
	for i := range events {
		switch o := (thing{fmt.Sprint(i % 10), i}); i / 10 % 7 {
		case 2:
			f.Delete(o)
		case 3:
			f.Add(o)
		default:
			f.Update(o)
		}
	}
	left := 0
	if err := f.Pop(t.Context(), func(b *Batch[thing]) error {
		for b.Next() {
			for _, item := range b.Items {
				if left += len(item.Deltas); len(item.Deltas) > 3 {
					t.Errorf("%d deltas of %s", len(item.Deltas), item.Key)
				}
			}
		}
		return nil
	}); err != nil || f.Coalesced()+uint64(left) != events {
		t.Fatal(err, f.Coalesced(), left)
	}
}

// TestBatchOfNothing shows that what comes into a batch that began with nothing, to
// return credit, is of the initial list all the same.
func TestBatchOfNothing(t *testing.T) {
	f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: store{}})
	f.Applied(func() {})
	if err := f.Pop(t.Context(), func(b *Batch[thing]) error {
		f.Add(thing{"a", 1})
		for b.Next() {
			if !b.Initial {
				t.Error("not of the initial list")
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	f.Populated("1")
	if !f.HasSynced() {
		t.Error("the list is in and applied, and it is not synced")
	}
}
