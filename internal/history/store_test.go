package history_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/object"
)

// source holds objects as an informer does.
type source struct {
	t       testing.TB
	decoder *object.Decoder
	kind    object.Kind
	objects map[string]*object.Object
}

func newSource(t testing.TB, resource string) *source {
	kind, ok := object.Builtin(resource)
	if !ok {
		t.Fatal("no such kind")
	}
	return &source{t: t, kind: kind, decoder: object.NewDecoder(kind, true), objects: make(map[string]*object.Object)}
}

func (s *source) List() []*object.Object { return slices.Collect(maps.Values(s.objects)) }

func (s *source) Get(key string) (*object.Object, bool) {
	o, ok := s.objects[key]
	return o, ok
}

func (s *source) feed(store *history.Store) *history.Feed {
	return store.Feed(history.Source{Kind: s.kind, Decoder: s.decoder, Held: func(f func(history.Objects)) { f(s) }})
}

// set stores an object, and returns the one before.
func (s *source) set(payload []byte) (before, after *object.Object) {
	after, err := s.decoder.Decode(payload)
	if err != nil {
		s.t.Fatal(err)
	}
	before = s.objects[after.Key()]
	s.objects[after.Key()] = after
	return before, after
}

// world is a source whose changes a Store and the model are told of.
type world struct {
	*source
	r       *rand.Rand
	now     time.Time
	store   *history.Store
	feed    *history.Feed
	model   *historytest.Tape
	version int
}

func newWorld(t testing.TB, seed uint64, limit int) *world {
	w := &world{source: newSource(t, "configmaps"), r: rand.New(rand.NewPCG(seed, 1)), now: time.UnixMilli(1_000_000)}
	w.store = history.NewStore(history.NewMemory(limit))
	w.model = historytest.New(w.now)
	w.model.Open(history.Stream{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true})
	for range 20 {
		w.set(w.make(w.name()))
	}
	w.feed = w.source.feed(w.store)
	w.feed.Join(w.now, w)
	for _, o := range w.objects {
		w.model.Put(0, w.now, o.Key(), o.UID(), o.Packed())
	}
	return w
}

func (w *world) name() string { return fmt.Sprintf("web-%d", w.r.IntN(40)) }

func (w *world) make(name string) []byte {
	w.version++
	uid := fmt.Sprintf("uid-%s-1", name)
	if o, ok := w.objects["shop/"+name]; ok {
		uid = o.UID()
	}
	if w.r.IntN(20) == 0 {
		uid = fmt.Sprintf("uid-%s-%d", name, w.version)
	}
	data := strings.Repeat("same words at the beginning, ", 1+w.r.IntN(3)) + strings.Repeat(fmt.Sprint(w.r.IntN(5)), w.r.IntN(100))
	return fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"%d"},"data":{"a":%q,"b":"%d"}}`, name, uid, w.version, data, w.r.IntN(1000))
}

// step changes an object.
func (w *world) step() {
	w.now = w.now.Add(time.Duration(w.r.IntN(3)) * time.Millisecond)
	name := w.name()
	before, after := w.objects["shop/"+name], (*object.Object)(nil)
	if before != nil && w.r.IntN(4) == 0 {
		delete(w.objects, before.Key())
		w.model.Put(0, w.now, before.Key(), before.UID(), nil)
	} else {
		before, after = w.set(w.make(name))
		if before != nil && before.UID() != after.UID() {
			w.model.Put(0, w.now, before.Key(), before.UID(), nil)
		}
		w.model.Put(0, w.now, after.Key(), after.UID(), after.Packed())
	}
	w.feed.Note(w.now, before, after)
}

func objectsAt(tape history.Tape, at time.Time) map[string]string {
	all := make(map[string]string)
	tape.At(0, at, func(o history.Object) bool { all[o.Key] = o.UID + " " + string(o.Payload); return true })
	return all
}

func told(c history.Change) string {
	return fmt.Sprint(c.At.UnixMilli(), string(rune(c.Type)), c.Key, c.UID, "\n", string(c.Before), "\n", string(c.After))
}

func between(tape history.Tape, from, to time.Time) (all []string) {
	tape.Between(0, from, to, func(c history.Change) bool { all = append(all, told(c)); return true })
	return all
}

func moved(tape history.Tape, from, to time.Time) (all []string) {
	tape.Moved(0, from, to, func(c history.Change) bool { all = append(all, told(c)); return true })
	slices.Sort(all)
	return all
}

// compare compares the store with the model between two moments.
func (w *world) compare(from, to time.Time) {
	w.t.Helper()
	if got, want := objectsAt(w.store, from), objectsAt(w.model, from); !maps.Equal(got, want) {
		w.t.Fatalf("at %v: %d objects, want %d\n%v\n%v", from.UnixMilli(), len(got), len(want), got, want)
	}
	if got, want := moved(w.store, from, to), moved(w.model, from, to); !slices.Equal(got, want) {
		w.t.Fatalf("from %v to %v moved\n%s\nwant\n%s", from.UnixMilli(), to.UnixMilli(), got, want)
	}
	if got, want := between(w.store, from, to), between(w.model, from, to); !slices.Equal(got, want) {
		w.t.Fatalf("between %v and %v\n%s\nwant\n%s", from.UnixMilli(), to.UnixMilli(), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	key := "shop/" + w.name()
	got, found := w.store.Find(0, key, to)
	want, there := w.model.Find(0, key, to)
	if found != there || got.UID != want.UID || string(got.Payload) != string(want.Payload) {
		w.t.Fatalf("%s at %v: %v, want %v", key, to.UnixMilli(), got, want)
	}
}

// moment returns one since the beginning, or since what was dropped.
func (w *world) moment() time.Time {
	from := time.UnixMilli(1_000_000)
	for _, g := range w.store.Gaps(0) {
		if g.Why == history.Dropped {
			from = g.To
		}
	}
	return from.Add(time.Duration(w.r.IntN(int(w.now.Sub(from)/time.Microsecond)+1)) * time.Microsecond)
}

// TestModel compares the store with a naive one after thousands of changes, at random moments.
func TestModel(t *testing.T) {
	for seed := range uint64(4) {
		w := newWorld(t, seed, 1<<30)
		for n := range 2000 {
			w.step()
			if n%8 == 0 {
				w.compare(w.moment(), w.moment())
			}
		}
	}
}
