package indexer

import (
	"runtime"
	"slices"
	"testing"
)

// TestReplacement shows that readers see a new list all at once, and read the
// old one, settled where it was, until then.
func TestReplacement(t *testing.T) {
	x := New(key, Indexers[*thing]{"by": by})
	x.Update(func(tx Tx[*thing]) {
		tx.Set(&thing{"a", []string{"v"}})
		tx.Set(&thing{"b", []string{"v"}})
		tx.Settle("1")
	})
	old := func() {
		t.Helper()
		got, version, err := x.Snapshot(t.Context())
		under := keysBy(t, x, "by", "v")
		if err != nil || version != "1" || len(got) != 2 || !slices.Equal(under, []string{"a", "b"}) {
			t.Fatal(keys(got), under, version, err)
		}
	}
	change := func(r *Replacement[*thing]) {
		r.Update(func(tx Tx[*thing]) { tx.Delete("a"); tx.Settle("2") })
		old()
		r.Update(func(tx Tx[*thing]) { tx.Set(&thing{"c", []string{"v", "w"}}) })
		old()
		if _, gone := r.Get("a"); gone || len(r.ListKeys()) != 2 {
			t.Fatal(r.ListKeys())
		}
	}
	r := x.Replace()
	change(r)
	r.Discard()
	old()
	r = x.Replace()
	change(r)
	r.Commit("3")
	under := keysBy(t, x, "by", "v")
	if !slices.Equal(under, []string{"b", "c"}) || x.Version() != "3" || x.Len() != 2 {
		t.Fatal(under, x.Version(), x.Len())
	}
}

// TestReplacementWaits shows who waits for a replacement: writers.
func TestReplacementWaits(t *testing.T) {
	x := New[*thing](key, nil)
	r := x.Replace()
	done := make(chan struct{})
	go func() {
		x.Update(func(tx Tx[*thing]) { tx.Set(&thing{key: "late"}) })
		close(done)
	}()
	for range 100 {
		runtime.Gosched()
	}
	r.Update(func(tx Tx[*thing]) { tx.Set(&thing{key: "first"}) })
	if x.Len() != 0 {
		t.Fatal(keys(x.List()))
	}
	r.Commit("")
	<-done
	if got := keys(x.List()); !slices.Equal(got, []string{"first", "late"}) {
		t.Fatal(got)
	}
}
