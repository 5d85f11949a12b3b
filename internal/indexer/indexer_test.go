package indexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// thing is an object: a key, and the values it has in the index "by".
type thing struct {
	key    string
	values []string
}

func by(dst []string, t *thing) []string { return append(dst, t.values...) }

func key(t *thing) string { return t.key }

func keys(things []*thing) []string {
	out := make([]string, len(things))
	for i, t := range things {
		out[i] = key(t)
	}
	slices.Sort(out)
	return out
}

// TestModel holds random histories against a naive map and a scan of it.
func TestModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		x, model := New(Indexers[*thing]{"by": by}), map[string]*thing{}
		size := 1 + r.IntN(60)
		for step := range 400 {
			k := fmt.Sprint(r.IntN(size))
			x.Update(func(tx Tx[*thing]) {
				want := model[k]
				var old *thing
				if r.IntN(3) == 0 {
					old, _ = tx.Delete(k)
					delete(model, k)
				} else {
					obj := &thing{k, nil}
					for range r.IntN(3) {
						obj.values = append(obj.values, string(rune('a'+r.IntN(6))))
					}
					old, _ = tx.Set(k, obj)
					model[k] = obj
				}
				if old != want {
					t.Fatalf("seed %d: replaced %v, want %v", seed, old, want)
				}
				tx.Settle(fmt.Sprint(step))
			})
			if step == 200 {
				if err := x.AddIndexers(Indexers[*thing]{"late": by}); err != nil {
					t.Fatal(err)
				}
			}
		}
		check(t, x, model)
	}
}

func check(t *testing.T, x *Indexer[*thing], model map[string]*thing) {
	t.Helper()
	if got, want := keys(x.List()), slices.Sorted(maps.Keys(model)); !slices.Equal(got, want) || x.Len() != len(want) {
		t.Fatalf("want %v, got %v", want, got)
	}
	for _, name := range []string{"by", "late"} {
		want := map[string][]*thing{}
		for _, obj := range model {
			for v := range maps.Keys(setOf(obj.values)) {
				want[v] = append(want[v], obj)
			}
		}
		values, err := x.Values(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for v, count := range values {
			n++
			got, err := x.ByIndex(name, v)
			if err != nil || count != len(want[v]) || !slices.Equal(keys(got), keys(want[v])) {
				t.Fatalf("%s %s: want %v, got %v (%d), %v", name, v, keys(want[v]), keys(got), count, err)
			}
		}
		if n != len(want) {
			t.Fatalf("%s: %d values, want %d", name, n, len(want))
		}
	}
}

func setOf(values []string) map[string]bool {
	out := map[string]bool{}
	for _, v := range values {
		out[v] = true
	}
	return out
}

// TestSet holds the set, sparse and dense, against a map.
func TestSet(t *testing.T) {
	for _, universe := range []int{100, 3000, 1 << 20} {
		r := rand.New(rand.NewPCG(uint64(universe), 0))
		s, model := new(set), map[uint32]bool{}
		for range 20000 {
			slot := uint32(r.IntN(universe))
			if r.IntN(4) == 0 {
				s.remove(slot)
				delete(model, slot)
			} else {
				s.add(slot)
				model[slot] = true
			}
		}
		if got := slices.Collect(s.all()); !slices.Equal(got, slices.Sorted(maps.Keys(model))) || s.n != len(model) {
			t.Errorf("universe %d: %d slots, counted %d, want %d", universe, len(got), s.n, len(model))
		}
		for range s.all() {
			break // a reader may stop
		}
	}
}

// TestPanic shows that an index function cannot take the store down.
func TestPanic(t *testing.T) {
	x := New(Indexers[*thing]{"by": func(dst []string, obj *thing) []string {
		if obj.key == "bad" {
			panic("index")
		}
		return append(dst, "v")
	}})
	x.Update(func(tx Tx[*thing]) {
		tx.Set("bad", &thing{key: "bad"})
		tx.Set("good", &thing{key: "good"})
	})
	got, err := x.ByIndex("by", "v")
	if err != nil || !slices.Equal(keys(got), []string{"good"}) || x.Len() != 2 {
		t.Fatal(keys(got), err)
	}
	if stats := x.Indexes(); stats[0] != (IndexStat{"by", 1, 1}) {
		t.Fatal(stats)
	}
}

func TestUnknownIndex(t *testing.T) {
	x := New[*thing](nil)
	if _, err := x.ByIndex("none", ""); !errors.Is(err, ErrNoIndex) {
		t.Error(err)
	}
	if _, err := x.Values("none"); !errors.Is(err, ErrNoIndex) {
		t.Error(err)
	}
	if err := x.AddIndexers(Indexers[*thing]{"by": by}); err != nil {
		t.Error(err)
	}
	if err := x.AddIndexers(Indexers[*thing]{"new": by, "by": by}); err == nil || len(x.Indexes()) != 1 {
		t.Error("a taken name was added")
	}
	x.RemoveIndexers("by", "never")
	if len(x.Indexes()) != 0 {
		t.Error("still there")
	}
}

// TestSnapshot shows that a snapshot waits for a settled store.
func TestSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New[*thing](nil)
		x.Update(func(tx Tx[*thing]) { tx.Set("a", &thing{key: "a"}) })
		type snapshot struct {
			keys    []string
			version string
			err     error
		}
		got := make(chan snapshot, 1)
		take := func(ctx context.Context) {
			objects, version, err := x.Snapshot(ctx)
			got <- snapshot{keys(objects), version, err}
		}
		ctx, cancel := context.WithCancel(t.Context())
		go take(ctx)
		synctest.Wait()
		cancel()
		if s := <-got; !errors.Is(s.err, context.Canceled) {
			t.Fatal(s)
		}
		go take(t.Context())
		synctest.Wait()
		x.Update(func(tx Tx[*thing]) { tx.Set("b", &thing{key: "b"}); tx.Settle("7") })
		if s := <-got; s.err != nil || s.version != "7" || !slices.Equal(s.keys, []string{"a", "b"}) {
			t.Fatal(s)
		}
		x.Update(func(tx Tx[*thing]) { tx.Delete("a") })
		if x.Version() != "7" {
			t.Fatal("an unsettled store has a new version")
		}
		go take(t.Context())
		synctest.Wait()
		x.Update(func(tx Tx[*thing]) { tx.Settle("8") })
		if s := <-got; s.version != "8" || !slices.Equal(s.keys, []string{"b"}) {
			t.Fatal(s)
		}
	})
}

// TestReaders reads while a writer writes; the race detector is the judge, and
// no reader sees a transaction half done: a and b come and go together.
func TestReaders(t *testing.T) {
	x := New(Indexers[*thing]{"by": by})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if n := len(x.List()); n%2 != 0 {
					t.Errorf("half a transaction: %d objects", n)
					return
				}
				if got, err := x.ByIndex("by", "v"); err != nil || len(got)%2 != 0 {
					t.Errorf("%d, %v", len(got), err)
					return
				}
			}
		})
	}
	for i := range 2000 {
		x.Update(func(tx Tx[*thing]) {
			for _, k := range []string{"a", "b"} {
				if i%2 == 0 {
					tx.Set(k, &thing{k, []string{"v"}})
				} else {
					tx.Delete(k)
				}
			}
		})
	}
	close(stop)
	readers.Wait()
}
