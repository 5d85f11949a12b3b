package history_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
)

func at(second int) time.Time { return time.UnixMilli(0).Add(time.Duration(1+second) * time.Second) }

// joined returns a source of objects of a kind that has joined a store.
func joined(t testing.TB, store *history.Store, resource string, objects int) (*source, *history.Input) {
	s := newSource(t, resource)
	for n := range objects {
		s.set(s.make(fmt.Sprint("o", n), 0, ""))
	}
	f := s.feed(store)
	f.Join(at(0), s)
	return s, f
}

// make returns a version of an object.
func (s *source) make(name string, version int, more string) []byte {
	return fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"%d"},"x":%q}`,
		s.kind.Name, s.kind.APIVersion(), name, "uid-"+name, version, more)
}

func (s *source) change(f *history.Input, second int, name string, version int, more string) {
	before, after := s.set(s.make(name, version, more))
	f.Note(at(second), before, after)
}

func (s *source) remove(f *history.Input, second int, name string) {
	o := s.objects["shop/"+name]
	delete(s.objects, "shop/"+name)
	f.Note(at(second), o, nil)
}

func count(store *history.Store, stream int) (n int) {
	store.Between(stream, time.Time{}, at(1<<20), func(history.Change) bool { n++; return true })
	return n
}

func gaps(store *history.Store, stream int) string {
	var out []string
	for _, g := range store.Gaps(stream) {
		out = append(out, fmt.Sprintf("%d-%d:%d", g.From.Unix()-1, g.To.Unix()-1, g.Why))
	}
	return strings.Join(out, " ")
}

// TestFair has a kind with many changes, which pushes out its own and none of the others', also those of
// another cluster.
func TestFair(t *testing.T) {
	memory := history.NewMemory(400_000, nil)
	one, other := history.NewStore(memory), history.NewStore(memory)
	pods, podFeed := joined(t, one, "pods", 10)
	events, eventFeed := joined(t, one, "events", 10)
	leases, leaseFeed := joined(t, other, "leases", 10)
	for n := range 20_000 {
		if n%100 == 0 {
			pods.change(podFeed, n, fmt.Sprint("o", n%10), n+1, fmt.Sprint(n))
			leases.change(leaseFeed, n, fmt.Sprint("o", n%10), n+1, fmt.Sprint(n))
		}
		events.change(eventFeed, n, fmt.Sprint("e", n), n+1, fmt.Sprint(n))
		if bytes, _, _ := memory.Used(); bytes > 400_000 {
			t.Fatalf("%d bytes", bytes)
		}
	}
	if count(one, 0) != 200 || count(other, 0) != 200 {
		t.Errorf("%d of 200 changes of pods, %d of leases", count(one, 0), count(other, 0))
	}
	kept := count(one, 1)
	if kept < 500 || kept > 19_000 {
		t.Errorf("%d changes of events", kept)
	}
	if got := gaps(one, 0) + "; " + gaps(one, 1); !strings.HasPrefix(got, "; 0-") || !strings.HasSuffix(got, fmt.Sprint(":", history.Dropped)) {
		t.Error(got)
	}
	memory.Check(t)
	one.Close()
	if bytes, _, _ := memory.Used(); bytes <= 0 || bytes > 100_000 || count(other, 0) != 200 {
		t.Errorf("%d bytes of the other cluster", bytes)
	}
}

// TestForget checks that nothing is left once the right to read is lost, that it is said, and that what
// comes with a new right is remembered.
func TestForget(t *testing.T) {
	memory := history.NewMemory(1<<20, nil)
	store := history.NewStore(memory)
	_, _ = joined(t, store, "pods", 1)
	s, f := joined(t, store, "configmaps", 3)
	s.change(f, 5, "o1", 2, "canary")
	s.remove(f, 6, "o2")
	f.Forget(at(10))
	f.Forget(at(12))
	n := 0
	for second := range 12 {
		store.At(1, at(second), func(history.Object) bool { n++; return true })
		store.Moved(1, at(second), at(11), nil, func(history.Change) bool { n++; return true })
		if _, ok := store.Find(1, "shop/o1", at(second)); ok {
			n++
		}
	}
	n += count(store, 1) + len(store.Versions(s.kind, "shop/o1", "uid-o1", at(12), 9))
	if bytes, _, _ := memory.Used(); n != 0 || bytes != 0 {
		t.Errorf("%d things are left, %d bytes", n, bytes)
	}
	s.change(f, 13, "o1", 3, "canary")
	if got, want := gaps(store, 1), fmt.Sprintf("0-12:%d", history.Denied); got != want || count(store, 1) != 0 {
		t.Errorf("%s, want %s", got, want)
	}
	f.Join(at(20), s)
	s.change(f, 25, "o1", 4, "")
	if got, want := gaps(store, 1), fmt.Sprintf("0-20:%d", history.Denied); got != want || count(store, 1) != 1 {
		t.Errorf("%s, want %s; %d changes", got, want, count(store, 1))
	}
}

// TestForgetKind checks that what was remembered of a kind before goes, too, if nobody watches it now: nobody would notice
// that the right to read it is lost.
func TestForgetKind(t *testing.T) {
	for _, test := range []struct {
		before, denied string // namespaces
		scope          string // of the one that is denied
		watched, kept  bool
	}{
		{before: "shop", denied: ""}, {before: "", denied: "shop"}, {before: "", denied: "shop", scope: "metadata.name=o1"}, {before: "shop", denied: "shop", scope: "metadata.name=o1"},
		{before: "shop", denied: "other", kept: true}, {before: "shop", denied: "", watched: true, kept: true}, {before: "shop", denied: "", scope: "metadata.name=o1", kept: true},
	} {
		memory := history.NewMemory(1<<20, nil)
		store := history.NewStore(memory)
		s := newSource(t, "configmaps")
		feed := func(namespace, scope string) *history.Input {
			return store.NewInput(history.Source{Kind: s.kind, Decoder: s.decoder, Namespace: namespace, Scope: scope, Held: func(f func(history.Objects)) { f(s) }})
		}
		one := feed(test.before, "")
		one.Join(at(1), s)
		s.change(one, 5, "o1", 2, "canary")
		if !test.watched {
			one.Leave(at(6), s.List())
		}
		other := feed(test.denied, test.scope)
		other.Join(at(7), s)
		other.Forget(at(9))
		if left := count(store, 0) > 0; left != test.kept {
			t.Errorf("%+v: %d changes are left", test, count(store, 0))
		}
		if got, want := gaps(store, 0), fmt.Sprintf("1-9:%d", history.Denied); !test.kept && got != want {
			t.Errorf("%+v: %s, want %s", test, got, want)
		}
		memory.Check(t)
	}
}

// TestGaps checks what is said of times in which changes may have been missed.
func TestGaps(t *testing.T) {
	store := history.NewStore(history.NewMemory(1<<20, nil))
	joined(t, store, "pods", 1)
	s := newSource(t, "configmaps")
	f := s.feed(store)
	f.Join(at(10), s)
	f.Live(at(11))
	f.Miss(at(12), history.Away)
	f.Miss(at(13), history.Away)
	f.Live(at(15))
	f.Live(at(16))
	f.Miss(at(16), history.Relisted)
	f.Live(at(18))
	f.Leave(at(20), nil)
	s.feed(store).Join(at(30), s)
	if got, want := gaps(store, 1), fmt.Sprintf("0-10:%d 12-15:%d 16-18:%d 20-30:%d", history.Closed, history.Away, history.Relisted, history.Closed); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for n := range 1000 {
		f.Miss(at(100+2*n), history.Away)
		f.Live(at(101 + 2*n))
	}
	if n := len(store.Gaps(1)); n > 300 {
		t.Errorf("%d gaps", n)
	}
}

// TestClockSetBack checks that changes after the clock was set back have the latest time before it, and do not come
// before older changes.
func TestClockSetBack(t *testing.T) {
	store := history.NewStore(history.NewMemory(1<<20, nil))
	s, f := joined(t, store, "configmaps", 1)
	s.change(f, 5, "o0", 2, "")
	s.change(f, 8, "o0", 3, "")
	s.change(f, 3, "o0", 4, "")
	var all []string
	store.Between(0, time.Time{}, at(100), func(c history.Change) bool {
		id, _ := object.ReadIdentity(c.After)
		all = append(all, fmt.Sprint(c.At.Unix()-1, ":", id.Version))
		return true
	})
	if want := []string{"5:2", "8:3", "8:4"}; !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
	if _, to := store.Span(); !to.Equal(at(8)) {
		t.Errorf("history ends at %v", to)
	}
}

// TestShared checks that an object which loses its bytes to a Budget is remembered all the same if it has
// changed, that its bytes then count, and that one which has not is remembered by its metadata.
func TestShared(t *testing.T) {
	memory := history.NewMemory(1<<20, nil)
	store := history.NewStore(memory)
	s, f := joined(t, store, "configmaps", 2)
	s.change(f, 5, "o1", 2, strings.Repeat("x", 10_000))
	before, _, _ := memory.Used()
	budget := object.NewBudget(1)
	for _, o := range s.objects {
		budget.Keep(o)
	}
	store.Tidy(at(60))
	if after, _, _ := memory.Used(); before > 11_000 || after < before+10_000 {
		t.Errorf("%d bytes, then %d", before, after)
	}
	memory.Check(t)
	one, _ := store.Find(0, "shop/o0", at(5))
	two, _ := store.Find(0, "shop/o1", at(5))
	if !strings.Contains(string(one.Payload), `PartialObjectMetadata`) || !strings.Contains(string(two.Payload), "xxx") {
		t.Errorf("%s\n%s", one.Payload, two.Payload)
	}
}

// TestTwice has two sources of the same objects: the changes of one are remembered, and those of the other
// once the first has gone.
func TestTwice(t *testing.T) {
	store := history.NewStore(history.NewMemory(1<<20, nil))
	s, f := joined(t, store, "configmaps", 2)
	again := s.feed(store)
	again.Join(at(1), s)
	both := func(second, version int) {
		before, after := s.set(s.make("o1", version, ""))
		f.Note(at(second), before, after)
		again.Note(at(second), before, after)
	}
	both(2, 2)
	both(3, 3)
	f.Leave(at(4), s.List())
	both(5, 4)
	again.Leave(at(6), s.List())
	both(7, 5)
	var all []string
	store.Between(0, time.Time{}, at(9), func(c history.Change) bool {
		id, _ := object.ReadIdentity(c.After)
		all = append(all, fmt.Sprint(c.At.Unix()-1, ":", id.Version))
		return true
	})
	if want := []string{"2:2", "3:3", "5:4"}; !slices.Equal(all, want) || len(store.Streams()) != 1 {
		t.Errorf("%v, want %v", all, want)
	}
	if got, want := gaps(store, 0), fmt.Sprintf("6-6:%d", history.Closed); got != "" && got != want {
		t.Error(got)
	}
}

// TestTwiceTidied checks that a source whose objects another has as well takes nothing with it when it ends, and that
// one which comes back soon finds its own: what changes next is a change, and what is deleted a deletion.
func TestTwiceTidied(t *testing.T) {
	for name, rejoins := range map[string]bool{"another goes on": false, "it comes back": true} {
		t.Run(name, func(t *testing.T) {
			memory := history.NewMemory(1<<20, nil)
			store := history.NewStore(memory)
			s, f := joined(t, store, "secrets", 3)
			change := func(f *history.Input, second int, name string, version int) { // to one with a value: its bytes are not kept
				before, after := s.set(bytes.Replace(s.make(name, version, ""), []byte(`"x"`), []byte(`"data":{"a":"Y2E="},"x"`), 1))
				f.Note(at(second), before, after)
			}
			change(f, 1, "o2", 1)
			again := s.feed(store)
			if rejoins {
				f.Leave(at(2), s.List())
				again.Join(at(3), s)
			} else {
				again.Join(at(2), s)
				f.Leave(at(3), s.List())
			}
			for store.Tidy(at(4)) {
			}
			memory.Check(t)
			change(again, 5, "o0", 2)
			change(again, 5, "o2", 2)
			s.remove(again, 6, "o1")
			var all []string
			store.Between(0, at(3), at(9), func(c history.Change) bool {
				all = append(all, fmt.Sprintf("%c %s", c.Type, c.Key))
				return true
			})
			if want := []string{"M shop/o0", "M shop/o2", "D shop/o1"}; !slices.Equal(all, want) {
				t.Errorf("%q, want %q", all, want)
			}
			there := 0
			store.At(0, at(4), func(history.Object) bool { there++; return true })
			if there != 3 {
				t.Errorf("%d objects were there before, and not 3", there)
			}
			memory.Check(t)
		})
	}
}

// TestSecret checks that no value of a Secret is remembered, even if the relay let one through.
func TestSecret(t *testing.T) {
	store := history.NewStore(history.NewMemory(1<<20, nil))
	s, f := joined(t, store, "secrets", 2)
	for version, data := range []string{`{"a":""}`, `{"a":"Y2FuYXJ5"}`, `{"a":"Y2FuYXJ5","b":"Y2FuYXJ5"}`, `{"a":"","b":""}`} {
		before, after := s.set(fmt.Appendf(nil, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"o1","namespace":"shop","uid":"u","resourceVersion":"%d"},"data":%s}`, version+1, data))
		f.Note(at(version+1), before, after)
	}
	seen := 0
	look := func(payload []byte) {
		if seen++; strings.Contains(string(payload), "Y2FuYXJ5") {
			t.Errorf("%s", payload)
		}
	}
	store.Between(0, time.Time{}, at(9), func(c history.Change) bool { look(c.Before); look(c.After); return true })
	for second := range 6 {
		store.At(0, at(second), func(o history.Object) bool { look(o.Payload); return true })
	}
	if seen < 16 {
		t.Errorf("%d payloads", seen)
	}
}
