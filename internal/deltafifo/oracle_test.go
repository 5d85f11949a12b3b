//go:build !js

package deltafifo

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"
)

// schedules is how many random schedules are compared: many more when there is
// time for them.
func schedules() uint64 {
	if os.Getenv("SOAK") != "" {
		return 100_000
	}
	return 4000
}

// wanted are the differences to client-go's DeltaFIFO that are meant, by name.
// Everything else must be the same.
var wanted = map[string]string{
	"streamed list":        "what is added before a list is told whole is of the initial list: HasSynced is compared where a list comes first",
	"coalescing":           "deltas of a key fold: client-go's are compared after the same folding",
	"which of two goings":  "gone, back and gone again folds to one deletion, and its object may be of either",
	"synced after applied": "HasSynced is true once the initial list is applied, not once it is handed over: compared between pops",
}

// pair is the two queues over one store, and what was done to them.
type pair struct {
	t      *testing.T
	name   string
	store  store
	ours   *DeltaFIFO[thing]
	theirs *cache.DeltaFIFO
	listed bool // a list came first
	log    []string
}

// oracleStore is the same store as client-go sees it.
type oracleStore struct{ store }

func (s oracleStore) GetByKey(key string) (any, bool, error) {
	o, ok := s.store[key]
	return o, ok, nil
}

func newPair(t *testing.T, seed uint64) *pair {
	s := store{}
	keyFunc := func(o any) (string, error) {
		if d, ok := o.(cache.DeletedFinalStateUnknown); ok {
			return d.Key, nil
		}
		return o.(thing).key, nil
	}
	return &pair{
		t: t, name: fmt.Sprintf("seed %d", seed), store: s,
		ours:   New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: s, maxBatch: 1, slice: time.Hour}),
		theirs: cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: oracleStore{s}, EmitDeltaTypeReplaced: true}),
	}
}

// TestOracle holds traces against client-go's own DeltaFIFO, pop by pop: keys,
// order, types, objects, tombstones, and whether it has synced. Ours coalesce, and
// are client-go's after the same folding.
func TestOracle(t *testing.T) {
	for seed := range schedules() {
		p := newPair(t, seed)
		r := rand.New(rand.NewPCG(seed, 1))
		if r.IntN(2) == 0 {
			p.listed = true
			p.replace(r, 0)
		}
		for step := range 50 {
			p.step(r, step+1)
		}
		for p.ours.Len() > 0 {
			p.pop()
		}
	}
}

func (p *pair) step(r *rand.Rand, step int) {
	o := thing{string(rune('a' + r.IntN(5))), step}
	do := func(what string, ours func(thing), theirs func(any) error) {
		p.log = append(p.log, fmt.Sprintf("%s %v", what, o))
		ours(o)
		p.must(theirs(o))
	}
	switch n := r.IntN(10); {
	case n < 2:
		do("add", p.ours.Add, p.theirs.Add)
	case n < 4:
		do("update", p.ours.Update, p.theirs.Update)
	case n < 6:
		do("delete", p.ours.Delete, p.theirs.Delete)
	case n == 6:
		p.replace(r, step)
	case p.ours.Len() > 0:
		p.pop()
	}
	if p.listed && p.ours.HasSynced() != p.theirs.HasSynced() {
		p.differ(fmt.Sprint("synced: ", p.theirs.HasSynced()), fmt.Sprint("synced: ", p.ours.HasSynced()))
	}
}

func (p *pair) replace(r *rand.Rand, step int) {
	var list []thing
	var anyList []any
	for k := range 5 {
		if r.IntN(2) == 0 {
			o := thing{string(rune('a' + k)), step}
			list, anyList = append(list, o), append(anyList, o)
		}
	}
	p.log = append(p.log, fmt.Sprint("replace ", list))
	p.ours.Replace(list, "")
	p.must(p.theirs.Replace(anyList, ""))
}

// pop pops one key of both, and applies it.
func (p *pair) pop() {
	var key string
	var ours, theirs Deltas[thing]
	p.must(p.ours.Pop(p.t.Context(), func(b *Batch[thing]) error {
		for b.Next() {
			key, ours = b.Items[0].Key, slices.Clone(b.Items[0].Deltas)
		}
		return nil
	}))
	theirKey := ""
	_, err := p.theirs.Pop(func(obj any, _ bool) error {
		theirKey, theirs = translate(obj.(cache.Deltas))
		return nil
	})
	p.must(err)
	p.log = append(p.log, "pop "+key)
	folded := fold(theirs)
	if len(folded) < len(theirs) && goings(theirs) > 1 { // which of two goings
		folded, ours = anonymous(folded), anonymous(ours)
	}
	theirs = folded
	if got, want := key+":"+trace(ours), theirKey+":"+trace(theirs); got != want {
		p.differ(want, got)
	}
	p.store.apply([]Item[thing]{{key, ours}})
}

// fold is the coalescing rule, applied to deltas that are all there.
func fold(all Deltas[thing]) (out Deltas[thing]) {
	for _, d := range all {
		out, _ = append(out, d).coalesce()
	}
	return out
}

func goings(deltas Deltas[thing]) (n int) {
	for _, d := range deltas {
		if d.Type == Deleted {
			n++
		}
	}
	return n
}

// anonymous is deltas without what was deleted.
func anonymous(deltas Deltas[thing]) Deltas[thing] {
	deltas = slices.Clone(deltas)
	for i, d := range deltas {
		if d.Type == Deleted {
			deltas[i] = Delta[thing]{Type: Deleted}
		}
	}
	return deltas
}

func (p *pair) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(p.name, err)
	}
}

// differ saves the trace and fails.
func (p *pair) differ(want, got string) {
	p.t.Helper()
	for name, what := range wanted {
		p.log = append(p.log, fmt.Sprintf("# meant: %s: %s", name, what))
	}
	p.log = append(p.log, "client-go says "+want, "we say "+got)
	file, err := os.CreateTemp("", "deltafifo-*.trace")
	if err != nil {
		p.t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(strings.Join(p.log, "\n") + "\n"); err != nil {
		p.t.Fatal(err)
	}
	p.t.Fatalf("%s: client-go says %s, we say %s; the trace is in %s", p.name, want, got, file.Name())
}

func translate(deltas cache.Deltas) (key string, out Deltas[thing]) {
	names := map[cache.DeltaType]DeltaType{cache.Added: Added, cache.Updated: Updated, cache.Deleted: Deleted, cache.Replaced: Replaced}
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
	return key, out
}
