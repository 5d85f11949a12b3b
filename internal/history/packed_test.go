package history_test

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/history"
)

// TestDroppedOfClosed checks that an object of a closed list is still known after its last change was dropped, whether
// the list was packed or not.
func TestDroppedOfClosed(t *testing.T) {
	const objects = 6
	for _, tidy := range []bool{false, true} {
		memory := history.NewMemory(200_000, nil)
		store := history.NewStore(memory)
		s, f := joined(t, store, "configmaps", objects)
		s.change(f, 1, "o1", 2, "steady") // changed once, long ago
		for n := range 700 {
			s.change(f, 10+n, "o2", 10+n, strings.Repeat(fmt.Sprint(n), 30))
		}
		f.Leave(at(1000), s.List())
		for tidy && store.Tidy(at(1001)) {
		}
		b, o := joined(t, store, "pods", 1)
		for n := range 700 {
			b.change(o, 1100+n, "o0", 10+n, strings.Repeat(fmt.Sprint(n), 30))
		}
		if first := store.Gaps(0)[0]; first.Why != history.Dropped || !first.To.After(at(1)) || !first.To.Before(at(900)) {
			t.Fatalf("the change was not dropped: %+v", first)
		}
		known := 0
		store.At(0, at(900), func(history.Object) bool { known++; return true })
		if known != objects {
			t.Errorf("packed: %v; %d objects are known, want %d", tidy, known, objects)
		}
		s.feed(store).Join(at(2000), s)
		store.Between(0, at(1500), at(3000), func(c history.Change) bool {
			t.Errorf("packed: %v; %s was reported as changed when its list was opened again", tidy, c.Key)
			return true
		})
		memory.Check(t)
	}
}
