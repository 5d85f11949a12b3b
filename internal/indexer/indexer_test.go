package indexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
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

// TestModel holds random histories against a naive map and a scan of it: single
// changes and replacements.
func TestModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		x, model := New(key, Indexers[*thing]{"by": by}), map[string]*thing{}
		size := 1 + r.IntN(60)
		for range 60 {
			switch r.IntN(6) {
			case 0:
				replacement, next := x.Replace(), maps.Clone(model)
				for range 1 + r.IntN(5) {
					replacement.Update(func(tx Tx[*thing]) { change(t, r, tx, next, size) })
					check(t, x, model) // as it was
				}
				if r.IntN(4) == 0 {
					replacement.Discard()
				} else {
					replacement.Commit("")
					model = next
				}
			default:
				x.Update(func(tx Tx[*thing]) { change(t, r, tx, model, size) })
			}
			check(t, x, model)
		}
	}
}

// change does a few random things in a transaction, and to its model.
func change(t *testing.T, r *rand.Rand, tx Tx[*thing], model map[string]*thing, size int) {
	for range r.IntN(8) {
		k := fmt.Sprint(r.IntN(size))
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
			old, _ = tx.Set(obj)
			model[k] = obj
		}
		if now, _ := tx.Get(k); old != want || now != model[k] {
			t.Fatalf("replaced %v, want %v; now %v", old, want, now)
		}
	}
}

// check compares all that a reader can ask for with a scan of the model.
func check(t *testing.T, x *Indexer[*thing], model map[string]*thing) {
	t.Helper()
	all := slices.Sorted(maps.Keys(model))
	if got := keys(x.List()); !slices.Equal(got, all) || x.Len() != len(all) || !slices.Equal(slices.Sorted(slices.Values(x.ListKeys())), all) {
		t.Fatalf("want %v, got %v", all, got)
	}
	for _, stat := range x.Indexes() {
		want := map[string][]*thing{}
		for _, obj := range model {
			for v := range setOf(obj.values) {
				want[v] = append(want[v], obj)
			}
		}
		if stat.Values != len(want) {
			t.Fatalf("%s: %d values; want %d", stat.Name, stat.Values, len(want))
		}
		for v, under := range want {
			if got := keysBy(t, x, stat.Name, v); !slices.Equal(got, keys(under)) {
				t.Fatalf("%s %s: want %v, got %v", stat.Name, v, keys(under), got)
			}
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

// TestPanic shows that an index function cannot take the store down: what it
// panics on is left out of its index, and of no other, and counted while it is
// there.
func TestPanic(t *testing.T) {
	x := New(key, Indexers[*thing]{"key": func(dst []string, obj *thing) []string { return append(dst, obj.key) }, "picky": func(dst []string, obj *thing) []string {
		dst = append(dst, "v")
		if obj.values != nil {
			panic(obj.values[0])
		}
		return dst
	}})
	good, bad := &thing{key: "good"}, &thing{"bad", []string{"why not"}}
	state := func(broken int, under ...string) {
		t.Helper()
		got, stat := keysBy(t, x, "picky", "v"), x.Indexes()[1]
		if !slices.Equal(got, under) || stat.Broken != broken || stat.Said != "panic: why not" {
			t.Fatal(got, stat)
		}
		if got := keysBy(t, x, "key", "bad"); len(got) != x.Len()-1 {
			t.Fatal(got)
		}
	}
	x.Update(func(tx Tx[*thing]) { tx.Set(bad); tx.Set(good) })
	state(1, "good")
	x.Update(func(tx Tx[*thing]) { tx.Set(bad) }) // again
	state(1, "good")
	x.Update(func(tx Tx[*thing]) { tx.Set(&thing{key: "bad"}) }) // mended
	state(0, "bad", "good")
	x.Update(func(tx Tx[*thing]) { tx.Set(bad) })
	state(1, "good")
	x.Update(func(tx Tx[*thing]) { tx.Delete("bad") })
	state(0, "good")
}

func TestUnknownIndex(t *testing.T) {
	x := New(key, Indexers[*thing](nil))
	if _, err := x.ByIndex("none", ""); err == nil {
		t.Error("an index that does not exist has no objects")
	}
}

// TestSnapshot shows that a snapshot waits for a settled store.
func TestSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New(key, Indexers[*thing](nil))
		x.Update(func(tx Tx[*thing]) { tx.Set(&thing{key: "a"}) })
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
		x.Update(func(tx Tx[*thing]) { tx.Set(&thing{key: "b"}); tx.Settle("7") })
		if s := <-got; s.err != nil || s.version != "7" || !slices.Equal(s.keys, []string{"a", "b"}) {
			t.Fatal(s)
		}
		for i, c := range []struct {
			change func(tx Tx[*thing])
			want   []string
		}{
			{func(tx Tx[*thing]) { tx.Delete("a") }, []string{"b"}},
			{func(tx Tx[*thing]) { tx.Set(&thing{key: "c"}) }, []string{"b", "c"}},
			{func(tx Tx[*thing]) { tx.Set(&thing{key: "b"}) }, []string{"b", "c"}},
		} {
			before, after := fmt.Sprint(7+i), fmt.Sprint(8+i)
			x.Update(c.change)
			if x.Version() != before {
				t.Fatal("an unsettled store has a new version")
			}
			go take(t.Context())
			synctest.Wait()
			x.Update(func(tx Tx[*thing]) { tx.Settle(after) })
			if s := <-got; s.version != after || !slices.Equal(s.keys, c.want) {
				t.Fatal(i, s)
			}
		}
	})
}

// TestReaders reads while a writer writes and replaces; the
// race detector is the judge, and no reader sees a transaction or a replacement
// half done: objects come and go in pairs.
func TestReaders(t *testing.T) {
	x := New(key, Indexers[*thing]{"by": by})
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
				runtime.Gosched() // where there is one thread, it is shared
				if n := len(x.List()); n%2 != 0 {
					t.Errorf("half a transaction: %d objects", n)
					return
				}
				if got, err := x.ByIndex("by", "v"); err != nil || len(got)%2 != 0 {
					t.Errorf("%d, %v", len(got), err)
					return
				}
				x.Indexes()
			}
		})
	}
	for i := range 1000 {
		write := func(tx Tx[*thing], k string) {
			if i%2 == 0 {
				tx.Set(&thing{k, []string{"v"}})
			} else {
				tx.Delete(k)
			}
		}
		switch i % 8 {
		case 0, 3:
			r := x.Replace()
			r.Update(func(tx Tx[*thing]) { write(tx, "a") })
			runtime.Gosched()
			r.Update(func(tx Tx[*thing]) { write(tx, "b") })
			r.Commit(fmt.Sprint(i))
		default:
			x.Update(func(tx Tx[*thing]) { write(tx, "a"); write(tx, "b") })
		}
	}
	close(stop)
	readers.Wait()
}

// TestListOrder checks that objects are listed in the order in which they came, with later ones in
// the places of those that are gone.
func TestListOrder(t *testing.T) {
	x := New(key, nil)
	list := func() (text string) {
		for _, one := range x.List() {
			text += one.key
		}
		return text
	}
	x.Update(func(tx Tx[*thing]) {
		for _, c := range "abcdef" {
			tx.Set(&thing{key: string(c)})
		}
	})
	all := list()
	x.Update(func(tx Tx[*thing]) { tx.Delete("b"); tx.Delete("e") })
	some := list()
	x.Update(func(tx Tx[*thing]) { tx.Set(&thing{key: "x"}) })
	if got := all + " " + some + " " + list(); got != "abcdef acdf acdxf" {
		t.Error(got)
	}
}
