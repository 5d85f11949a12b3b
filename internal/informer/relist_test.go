package informer

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// list makes n things of a version, with keys from some number on.
func list(from, n int, version string) []*thing {
	all := make([]*thing, n)
	for i := range all {
		all[i] = &thing{fmt.Sprintf("%05d", from+i), version}
	}
	return all
}

// by has an informer by the hand: its queue is filled and popped by the test.
type by struct {
	*Informer[*thing]
	t *testing.T
}

func (b by) pop() {
	b.t.Helper()
	if err := b.fifo.Pop(b.t.Context(), b.process); err != nil {
		b.t.Fatal(err)
	}
}

// wantVersions holds how many objects the store has of each version, and that the
// index by version knows the same.
func (b by) wantVersions(want map[string]int) {
	b.t.Helper()
	got := map[string]int{}
	for _, o := range b.Store().List() {
		got[o.version]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Fatalf("want %v, got %v", want, got)
	}
	for version, n := range want {
		if found := b.Lister("v" + version).List(nil); len(found) != n {
			b.t.Fatal(version, len(found))
		}
	}
}

// wantReplaced holds whether the state says that a new list is not in the store yet.
func (b by) wantReplaced(want bool) {
	b.t.Helper()
	if got := b.State(time.Now()).Replaced; got != want {
		b.t.Fatalf("a new list is not in the store yet: %v, want %v", got, want)
	}
}

// TestLongRelist brings in a new list of which nothing is as it was: readers,
// subscribers, and those who come meanwhile see the old list until they see the
// new one, while it takes three batches. What happens between the batches is not
// lost either.
func TestLongRelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no time passes, so that a batch ends by its count alone
		b := by{newInformer(newSource()), t}
		b.fifo.Replace(list(0, 2500, "1"), "1")
		for b.fifo.Len() > 0 {
			b.wantVersions(map[string]int{})
			b.pop()
		}
		b.wantVersions(map[string]int{"1": 2500})
		told := 0
		_, sub := b.Subscribe(func(c []Change[*thing]) { told += len(c) })
		defer b.Unsubscribe(sub)

		b.wantReplaced(false)
		b.fifo.Replace(list(500, 2500, "2"), "2") // 2000 change, 500 come, 500 go
		b.wantReplaced(true)
		b.pop()
		b.pop()
		b.fifo.Delete(&thing{"00500", "3"}) // it is not queued any more, and not in the store yet
		b.fifo.Delete(&thing{"00001", "3"}) // it is queued to go
		b.fifo.Add(&thing{"99999", "3"})    // it is of no list
		late, sub2 := b.Subscribe(func([]Change[*thing]) {})
		defer b.Unsubscribe(sub2)
		if told != 0 || len(late) != 2500 || b.Store().Version() != "1" {
			t.Fatal(told, len(late), b.Store().Version())
		}
		b.wantVersions(map[string]int{"1": 2500})
		b.wantReplaced(true)
		if o, ok := b.Store().Get("00600"); !ok || o.version != "1" {
			t.Fatal(o, ok)
		}
		b.fifo.Bookmark("3")
		b.pop()
		b.wantVersions(map[string]int{"2": 2500}) // whole, and what came behind it has not been applied
		b.wantReplaced(false)
		if told != 3000 {
			t.Fatal(told)
		}
		b.pop()
		b.wantVersions(map[string]int{"2": 2499, "3": 1})
		if told != 3002 || b.Store().Version() != "3" || !b.HasSynced() {
			t.Fatal(told, b.Store().Version())
		}
	})
}

// TestRelistOfARelist shows that a new list that comes while another is half in
// is compared with that half.
func TestRelistOfARelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no time passes, so that a batch ends by its count alone
		b := by{newInformer(newSource()), t}
		b.fifo.Replace(list(0, 1500, "1"), "1")
		b.pop()
		b.fifo.Replace(list(500, 10, "2"), "2")
		for b.fifo.Len() > 0 {
			b.wantVersions(map[string]int{})
			b.pop()
		}
		b.wantVersions(map[string]int{"2": 10})
		if b.Store().Version() != "2" {
			t.Fatal(b.Store().Version())
		}
		b.fifo.Replace(list(500, 10, "2"), "4") // nothing changed
		b.pop()
		if b.replacement != nil || b.Store().Version() != "4" {
			t.Fatal("a list in which nothing is new is staged, or never ends")
		}
	})
}
