package deltafifo

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// What client-go's own tests of its DeltaFIFO hold, held of this one. The names
// are theirs. A script adds (+a1), updates (~a2), deletes (-a3) and replaces
// (=a1,b2).

func run(f *DeltaFIFO[thing], script string) {
	for op := range strings.FieldsSeq(script) {
		switch rest := op[1:]; op[0] {
		case '+':
			f.Add(parse(rest))
		case '~':
			f.Update(parse(rest))
		case '-':
			f.Delete(parse(rest))
		case '=':
			var list []thing
			for word := range strings.SplitSeq(rest, ",") {
				if word != "" {
					list = append(list, parse(word))
				}
			}
			f.Replace(list, "0")
		}
	}
}

// parse reads "a12".
func parse(word string) thing {
	at := strings.IndexAny(word, "0123456789")
	version, _ := strconv.Atoi(word[at:])
	return thing{word[:at], version}
}

func fifoOver(s store) *DeltaFIFO[thing] {
	o := Options[thing]{KeyFunc: func(o thing) string { return o.key }}
	if s != nil {
		o.Known = s
	}
	return New(o)
}

func TestDeltaFIFO(t *testing.T) {
	abc := store{"a": {"a", 5}, "b": {"b", 6}, "c": {"c", 7}}
	for _, c := range []struct {
		name   string
		known  store
		script string
		want   string
	}{
		{"replaceWithDeleteDeltaIn", store{"a": {"a", 1}}, "-a1 =a2", "a:Deleted1,Replaced2 @0"},
		{"addUpdate", nil, "+a10 ~a12 -a15", "a:Added12,Deleted15"},
		{"enqueueingNoLister", nil, "+a10 ~b15 +c17 -c18 -d20", "a:Added10 b:Updated15 c:Added17,Deleted18"},
		{"enqueueingWithLister", abc, "+a10 ~b15 -c20 -d20", "a:Added10 b:Updated15 c:Deleted20"},
		{"addReplace", nil, "+a10 =a15", "a:Added15 @0"},
		{"DeleteExistingNonPropagated", store{}, "+a5 -a6", "a:Added5,Deleted6"},
		{"ReplaceMakesDeletions", abc, "-c10 =a5", "c:Deleted10 a:Replaced5 b:Deleted6! @0"},
		{"ReplaceMakesDeletions with an addition", abc, "+d10 -c10 =a5", "d:Added10,Deleted10! c:Deleted10 a:Replaced5 b:Deleted6! @0"},
		{"ReplaceMakesDeletions with an update", store{"a": {"a", 5}, "b": {"b", 6}}, "~b9 =a5", "b:Updated9,Deleted9! a:Replaced5 @0"},
		{"ReplaceMakesDeletions without a lister", nil, "+a5 +b6 =a7", "a:Added7 b:Added6,Deleted6! @0"},
		{"ReplaceMakesDeletionsReplaced", abc, "-c10 =a6", "c:Deleted10 a:Replaced6 b:Deleted6! @0"},
		{"two deletions in a row", store{"a": {"a", 5}}, "-a6 -a7", "a:Deleted6"},
		{"a deletion knows more than a tombstone", store{"a": {"a", 5}}, "= -a7", "a:Deleted7"},
		{"the same key twice", nil, "=a1,a2", "a:Replaced2 @0"},
	} {
		f := fifoOver(c.known)
		run(f, c.script)
		s := store{}
		if got := pop(t, f, s); got != c.want || f.Len() != 0 {
			t.Errorf("%s: want %s\ngot  %s, and %d more", c.name, c.want, got, f.Len())
		}
	}
}

func TestDeltaFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue(t *testing.T) {
	t.Run("kubernetes-115658 a list deletes what is only queued", func(t *testing.T) {
		for script, want := range map[string]string{
			"+a2 =":         "a:Added2,Deleted2! @0",
			"+a2 =a2 =":     "a:Added2,Deleted2! @0",
			"+a2 -a2 =":     "a:Added2,Deleted2 @0",
			"+a2 =a2 =a2 =": "a:Added2,Deleted2! @0",
			"+a2 = =":       "a:Added2,Deleted2! @0",
			"+a2 -a2 +a3 =": "a:Added2,Deleted2 @0",
		} {
			for _, known := range []store{nil, {}} {
				f := fifoOver(known)
				run(f, script)
				if got := pop(t, f, store{}); got != want {
					t.Errorf("%s: want %s\ngot  %s", script, want, got)
				}
			}
		}
	})
}

// TestDeltaFIFO_basic: what two producers add comes out in the order of each.
func TestDeltaFIFO_basic(t *testing.T) {
	const amount = 500
	f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, maxBatch: 7, slice: time.Hour})
	var producers sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		producers.Go(func() {
			for i := range amount {
				f.Add(thing{fmt.Sprint(name, i), i})
			}
		})
	}
	last, n := map[string]int{"a": -1, "b": -1}, 0
	for n < 2*amount {
		if err := f.Pop(t.Context(), func(b *Batch[thing]) error {
			for b.Next() {
				for _, item := range b.Items {
					if v := item.Deltas.newest().Object.version; v != last[item.Key[:1]]+1 {
						t.Errorf("%s after %d", item.Key, last[item.Key[:1]])
					} else {
						last[item.Key[:1]] = v
					}
					n++
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	producers.Wait()
}

// popOne takes one key of a queue whose batches are of one.
func popOne(t *testing.T, f *DeltaFIFO[thing], s store) string {
	t.Helper()
	return strings.TrimSuffix(pop(t, f, s), " @0")
}

func TestDeltaFIFO_detectLineJumpers(t *testing.T) {
	f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, maxBatch: 1})
	run(f, "+foo10 +bar1 +foo11 +foo13 +zab30")
	for i, want := range []string{"foo:Added13", "bar:Added1", "zab:Added30", "foo:Added14"} {
		if got := popOne(t, f, store{}); got != want {
			t.Fatalf("want %s, got %s", want, got)
		}
		if i == 0 {
			run(f, "+foo14") // behind the others
		}
	}
}

func TestDeltaFIFO_HasSyncedCorrectOnDeletion(t *testing.T) {
	known := store{"a": {"a", 5}, "b": {"b", 6}, "c": {"c", 7}}
	f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, Known: known, maxBatch: 1})
	run(f, "=a5")
	for _, want := range []string{"a:Replaced5", "b:Deleted6!", "c:Deleted7!"} {
		if f.HasSynced() {
			t.Fatal("synced before ", want)
		}
		if got := popOne(t, f, store{}); got != want {
			t.Fatalf("want %s, got %s", want, got)
		}
	}
	if !f.HasSynced() {
		t.Fatal("not synced")
	}
}

// TestDeltaFIFO_HasSynced: but for what is added before any list, which to
// client-go is synced and here is the beginning of one.
func TestDeltaFIFO_HasSynced(t *testing.T) {
	for _, c := range []struct {
		script string
		pops   int
		want   bool
	}{
		{"", 0, false},
		{"+a1", 0, false},
		{"+a1", 1, false},
		{"=", 0, true},
		{"=a1,b2", 0, false},
		{"=a1,b2", 1, false},
		{"=a1,b2", 2, true},
		{"=a1,a2", 1, true},
		{"=a1 ~a2 +b3", 1, true},
	} {
		f := New(Options[thing]{KeyFunc: func(o thing) string { return o.key }, maxBatch: 1})
		run(f, c.script)
		for range c.pops {
			popOne(t, f, store{})
		}
		if f.HasSynced() != c.want {
			t.Errorf("%s and %d pops: synced %v", c.script, c.pops, f.HasSynced())
		}
	}
}
