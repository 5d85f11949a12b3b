package deltafifo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// thing is an object: a key and a version.
type thing struct {
	key     string
	version int
}

// store is the consumer, as a naive map.
type store map[string]thing

func (s store) Get(key string) (thing, bool) { o, ok := s[key]; return o, ok }

func (s store) ListKeys() []string {
	keys := make([]string, 0, len(s))
	for k := range s {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (s store) apply(items []Item[thing]) {
	for _, item := range items {
		for _, d := range item.Deltas {
			if d.Type == Deleted {
				delete(s, item.Key)
			} else {
				s[item.Key] = d.Object
			}
		}
	}
}

// applyAll applies a batch, as its consumer does.
func (s store) applyAll(b *Batch[thing]) error {
	for b.Next() {
		s.apply(b.Items)
	}
	return nil
}

func same(a, b thing) bool { return a == b }

func newFIFO(s store) *DeltaFIFO[thing] {
	return New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: s, Same: same, slice: time.Hour})
}

// pop takes one batch and writes it down: "a:Added1,Updated2 b:Deleted!".
func pop(t *testing.T, f *DeltaFIFO[thing], s store) string {
	t.Helper()
	var out []string
	err := f.Pop(t.Context(), func(b *Batch[thing]) error {
		for b.Next() {
			for _, item := range b.Items {
				out = append(out, item.Key+":"+trace(item.Deltas))
			}
			s.apply(b.Items)
		}
		if b.Version != "" {
			out = append(out, "@"+b.Version)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// String returns client-go's name for the type.
func (t DeltaType) String() string {
	return [...]string{"", "Added", "Updated", "Deleted", "Replaced"}[t]
}

func trace(deltas Deltas[thing]) string {
	var out []string
	for _, d := range deltas {
		text := fmt.Sprintf("%v%d", d.Type, d.Object.version)
		if d.FinalStateUnknown {
			text += "!"
		}
		out = append(out, text)
	}
	return strings.Join(out, ",")
}

func TestCoalesce(t *testing.T) {
	for script, want := range map[string]string{
		"+1 ~2 ~3":       "a:Added3",
		"~1 ~2":          "a:Updated2",
		"~1 -2":          "a:Updated1,Deleted2",
		"~1 -2 +3":       "a:Updated1,Deleted2,Added3",
		"~1 -2 +3 ~4":    "a:Updated1,Deleted2,Added4",
		"-1 -2":          "a:Deleted1",
		"-1 +2 -3":       "a:Deleted1",
		"-1 +2 -3 +4 -5": "a:Deleted1",
	} {
		s := store{"a": {"a", 0}}
		f := newFIFO(s)
		for op := range strings.FieldsSeq(script) {
			o := thing{"a", int(op[1] - '0')}
			switch op[0] {
			case '+':
				f.Add(o)
			case '~':
				f.Update(o)
			case '-':
				f.Delete(o)
			}
		}
		if got := pop(t, f, s); got != want {
			t.Errorf("%s: want %s, got %s", script, want, got)
		}
	}
}

func TestReplace(t *testing.T) {
	s := store{"kept": {"kept", 1}, "changed": {"changed", 1}, "gone": {"gone", 1}}
	f := newFIFO(s)
	f.Add(thing{"queued", 1})
	f.Replace([]thing{{"kept", 1}, {"changed", 2}, {"new", 1}}, "9")
	want := "queued:Added1,Deleted1! changed:Replaced2 new:Replaced1 gone:Deleted1! @9"
	if got := pop(t, f, s); got != want {
		t.Errorf("want %s\ngot  %s", want, got)
	}
	if len(s) != 3 || !f.HasSynced() {
		t.Errorf("%v %v", s, f.HasSynced())
	}
}

// TestReplaceWhileProcessing shows that what a batch holds is not lost between
// queue and store.
func TestReplaceWhileProcessing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store{}
		f := newFIFO(s)
		f.Add(thing{"a", 1})
		out, in := make(chan struct{}), make(chan struct{})
		popped := make(chan error, 1)
		go func() {
			popped <- f.Pop(t.Context(), func(b *Batch[thing]) error {
				b.Next()
				close(out)
				<-in
				s.apply(b.Items)
				return s.applyAll(b)
			})
		}()
		<-out
		replaced := make(chan struct{})
		go func() { f.Replace(nil, "2"); close(replaced) }()
		deleted := make(chan struct{})
		go func() { f.Delete(thing{"a", 2}); close(deleted) }()
		f.Update(thing{"b", 1}) // does not wait
		close(in)
		<-replaced
		<-deleted
		if err := <-popped; err != nil {
			t.Fatal(err)
		}
		pop(t, f, s)
		if _, ghost := s["a"]; ghost {
			t.Fatal("a ghost stays")
		}
	})
}

func TestHasSynced(t *testing.T) {
	s := store{}
	f := newFIFO(s)
	f.Add(thing{"a", 1})
	f.Add(thing{"b", 1})
	if got := pop(t, f, s); got != "a:Added1 b:Added1" || f.HasSynced() {
		t.Fatal(got, f.HasSynced())
	}
	f.Add(thing{"c", 1})
	f.Populated("5")
	f.Add(thing{"d", 1}) // not of the initial list
	if f.HasSynced() {
		t.Fatal("synced before it is applied")
	}
	if got := pop(t, f, s); got != "c:Added1" || !f.HasSynced() {
		t.Fatal(got, f.HasSynced())
	}
	if got := pop(t, f, s); got != "d:Added1" { // 5 was without it
		t.Fatal(got)
	}
}

func TestHasSyncedEmpty(t *testing.T) {
	f := newFIFO(store{})
	f.Replace(nil, "1")
	if !f.HasSynced() {
		t.Fatal("an empty list is synced at once")
	}
}

func TestAppliedAndBookmark(t *testing.T) {
	s := store{}
	f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: s, maxBatch: 2, slice: time.Hour})
	calls := 0
	for i := range 5 {
		f.Add(thing{fmt.Sprint(i), i})
	}
	f.Applied(func() { calls++ })
	f.Bookmark("7")
	want := []string{"0:Added0 1:Added1", "2:Added2 3:Added3", "4:Added4 @7"}
	for i, w := range want {
		if got := pop(t, f, s); got != w || (calls == 1) != (i == 2) {
			t.Fatal(got, calls)
		}
	}
	f.Bookmark("8")
	if got := pop(t, f, s); got != "@8" {
		t.Fatal(got)
	}
}

// TestVersionIsExact shows that a batch is of no version while it holds what came
// behind the last bookmark, and that what is no news changes no version.
func TestVersionIsExact(t *testing.T) {
	s := store{}
	f := newFIFO(s)
	f.Add(thing{"a", 1})
	f.Bookmark("2")
	f.Add(thing{"b", 3}) // the next frame is on its way in
	if got := pop(t, f, s); got != "a:Added1 b:Added3" {
		t.Fatal(got)
	}
	f.Update(thing{"b", 4})
	f.Bookmark("4")
	f.Update(thing{"b", 5}) // folded into what is queued
	if got := pop(t, f, s); got != "b:Updated5" {
		t.Fatal(got)
	}
	f.Bookmark("5")
	f.Delete(thing{"z", 6}) // nobody knows it
	if got := pop(t, f, s); got != "@5" {
		t.Fatal(got)
	}
	f.Replace([]thing{{"a", 1}, {"b", 5}}, "7")
	if got := pop(t, f, s); got != "@7" {
		t.Fatal(got)
	}
}

func TestDeleteUnknown(t *testing.T) {
	s := store{}
	f := newFIFO(s)
	f.Delete(thing{"a", 1})
	if f.Len() != 0 {
		t.Fatal("a deletion of nothing is news")
	}
}

func TestPopEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFIFO(store{})
		ctx, cancel := context.WithCancel(t.Context())
		waiting := make(chan error, 1)
		go func() { waiting <- f.Pop(ctx, nil) }()
		synctest.Wait()
		cancel()
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}

// TestModel holds random histories against a naive map: whatever coalesces and
// however it is batched, the store ends as the history does, a drained batch
// means that it is there now, and a version that it is as it was then.
func TestModel(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		s, model, at := store{}, store{}, map[string]store{}
		f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: s, Same: same, slice: time.Hour, maxBatch: 1 + r.IntN(4)})
		for step := range 60 {
			key := string(rune('a' + r.IntN(5)))
			o := thing{key, step}
			_, exists := model[key]
			switch n := r.IntN(11); {
			case n < 4 && exists:
				f.Update(o)
				model[key] = o
			case n < 4:
				f.Add(o)
				model[key] = o
			case n < 6:
				f.Delete(o)
				delete(model, key)
			case n == 6:
				list := []thing{}
				for _, k := range model.ListKeys() {
					if r.IntN(3) > 0 {
						list = append(list, model[k])
					}
				}
				clear(model)
				for _, o := range list {
					model[o.key] = o
				}
				f.Replace(list, fmt.Sprint(step))
				at[fmt.Sprint(step)] = maps.Clone(model)
			case n == 7:
				f.Bookmark(fmt.Sprint(step))
				at[fmt.Sprint(step)] = maps.Clone(model)
			case f.Len() > 0:
				var last *Batch[thing]
				if err := f.Pop(t.Context(), func(b *Batch[thing]) error { last = b; return s.applyAll(b) }); err != nil {
					t.Fatal(err)
				}
				if last.Version != "" && !equal(s, at[last.Version]) {
					t.Fatalf("seed %d, step %d: at %s it was %v, got %v", seed, step, last.Version, at[last.Version], s)
				}
				if last.drained && !equal(s, model) {
					t.Fatalf("seed %d, step %d: want %v, got %v", seed, step, model, s)
				}
			}
		}
		for f.Len() > 0 {
			pop(t, f, s)
		}
		if !equal(s, model) {
			t.Fatalf("seed %d: want %v, got %v", seed, model, s)
		}
	}
}

func equal(a, b store) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}
