//go:build !js

package deltafifo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/client-go/tools/cache"
)

// oracleStore is the same store as client-go sees it.
type oracleStore struct{ store }

func (s oracleStore) ListKeys() []string { return s.store.ListKeys() }

func (s oracleStore) GetByKey(key string) (any, bool, error) {
	o, ok := s.store[key]
	return o, ok, nil
}

// TestOracle holds traces against client-go's own DeltaFIFO, pop by pop: keys,
// order, types, objects and tombstones. Ours keeps every delta for it, and says
// unchanged objects of a list again.
func TestOracle(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := store{}
		keyFunc := func(o any) (string, error) {
			if d, ok := o.(cache.DeletedFinalStateUnknown); ok {
				return d.Key, nil
			}
			return o.(thing).key, nil
		}
		theirs := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: oracleStore{s}, EmitDeltaTypeReplaced: true})
		ours := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: s, KeepAll: true, MaxBatch: 1})
		for step := range 50 {
			o := thing{string(rune('a' + r.IntN(5))), step}
			switch n := r.IntN(10); {
			case n < 2:
				ours.Add(o)
				must(t, theirs.Add(o))
			case n < 4:
				ours.Update(o)
				must(t, theirs.Update(o))
			case n < 6:
				ours.Delete(o)
				must(t, theirs.Delete(o))
			case n == 6:
				var list []thing
				var anyList []any
				for k := range 5 {
					if r.IntN(2) == 0 {
						o := thing{string(rune('a' + k)), step}
						list, anyList = append(list, o), append(anyList, o)
					}
				}
				ours.Replace(list, "")
				must(t, theirs.Replace(anyList, ""))
			case n == 7:
				ours.Resync()
				must(t, theirs.Resync())
			default:
				if ours.Len() > 0 {
					popBoth(t, seed, ours, theirs, s)
				}
			}
		}
		for ours.Len() > 0 {
			popBoth(t, seed, ours, theirs, s)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func popBoth(t *testing.T, seed uint64, ours *DeltaFIFO[thing], theirs *cache.DeltaFIFO, s store) {
	t.Helper()
	var got, want string
	var batch Batch[thing]
	must(t, ours.Pop(t.Context(), func(b Batch[thing]) error {
		batch = Batch[thing]{Items: []Item[thing]{{b.Items[0].Key, slices.Clone(b.Items[0].Deltas)}}}
		got = b.Items[0].Key + ":" + trace(b.Items[0].Deltas)
		return nil
	}))
	_, err := theirs.Pop(func(obj any, _ bool) error {
		want = theirTrace(obj.(cache.Deltas))
		return nil
	})
	must(t, err)
	if got != want {
		t.Fatalf("seed %d: client-go says %s, we say %s", seed, want, got)
	}
	s.apply(batch)
}

func theirTrace(deltas cache.Deltas) string {
	key, out := "", Deltas[thing]{}
	names := map[cache.DeltaType]DeltaType{cache.Added: Added, cache.Updated: Updated, cache.Deleted: Deleted, cache.Replaced: Replaced, cache.Sync: Sync}
	for _, d := range deltas {
		ours := Delta[thing]{Type: names[d.Type]}
		switch o := d.Object.(type) {
		case cache.DeletedFinalStateUnknown:
			key, ours.FinalStateUnknown = o.Key, true
			if known, ok := o.Obj.(thing); ok {
				ours.Object = known
			}
		case thing:
			key, ours.Object = o.key, o
		}
		out = append(out, ours)
	}
	return fmt.Sprint(key, ":", trace(out))
}
