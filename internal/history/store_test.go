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

func (s *source) feed(store *history.Store) *history.Input {
	return store.NewInput(history.Source{Kind: s.kind, Decoder: s.decoder, Held: func(f func(history.Objects)) { f(s) }})
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
	drops   bool // not all fits into memory
	r       *rand.Rand
	now     time.Time
	store   *history.Store
	feed    *history.Input
	model   *historytest.Model
	version int
	memory  *history.Memory
	sorted  bool // compare changes without their order
}

func newWorld(t testing.TB, seed uint64, limit int) *world {
	w := &world{drops: limit < 1<<30, source: newSource(t, "configmaps"), r: rand.New(rand.NewPCG(seed, 1)), now: time.UnixMilli(1_000_000)}
	w.memory = history.NewMemory(limit, nil)
	w.store = history.NewStore(w.memory)
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

// known returns since when all changes are remembered.
func (w *world) known() time.Time {
	for _, g := range w.store.Gaps(0) {
		if g.Why == history.Dropped {
			return g.To
		}
	}
	return time.UnixMilli(1_000_000)
}

// compare compares the store with the model between two moments.
func (w *world) compare(from, to time.Time) {
	w.t.Helper()
	if got, want := historytest.Objects(w.store, 0, from), historytest.Objects(w.model, 0, from); !maps.Equal(got, want) {
		w.t.Fatalf("at %v: %d objects, want %d\n%v\n%v", from.UnixMilli(), len(got), len(want), got, want)
	}
	if got, want := historytest.Moved(w.store, 0, from, to), historytest.Moved(w.model, 0, from, to); !slices.Equal(got, want) {
		w.t.Fatalf("from %v to %v moved\n%s\nwant\n%s", from.UnixMilli(), to.UnixMilli(), got, want)
	}
	got, want := historytest.Between(w.store, 0, from, to), historytest.Between(w.model, 0, from, to)
	if w.sorted {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		w.t.Fatalf("between %v and %v\n%s\nwant\n%s", from.UnixMilli(), to.UnixMilli(), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	key := "shop/" + w.name()
	one, found := w.store.Find(0, key, to)
	model, there := w.model.Find(0, key, to)
	if found != there || one.UID != model.UID || string(one.Payload) != string(model.Payload) {
		w.t.Fatalf("%s at %v: %v, want %v", key, to.UnixMilli(), one, model)
	}
	w.compareVersions(key, one.UID, to)
}

// compareVersions compares the last versions of an object. The store may lack what was dropped, and an
// object that has not changed.
func (w *world) compareVersions(key, uid string, at time.Time) {
	w.t.Helper()
	s := w.store.Streams()[0]
	got, want := historytest.VersionsOf(w.store, s, key, uid, at), historytest.VersionsOf(w.model, s, key, uid, at)
	unchanged := len(got) == 0 && len(want) == 1
	if lacks := len(want) - len(got); lacks < 0 || lacks > 0 && !unchanged && !w.drops || !slices.Equal(got, want[lacks:]) {
		w.t.Fatalf("versions of %s at %v\n%s\nwant\n%s", key, at.UnixMilli(), got, want)
	}
}

// leave lets the source close, change unseen, and open again.
func (w *world) leave() {
	w.feed.Leave(w.now, w.List())
	for range w.r.IntN(3) {
		w.store.Tidy(w.now)
	}
	before := maps.Clone(w.objects)
	w.compare(w.moment(), w.moment())
	for range w.r.IntN(30) {
		name := w.name()
		if delete(w.objects, "shop/"+name); w.r.IntN(3) > 0 {
			w.set(w.make(name))
		}
	}
	w.now = w.now.Add(time.Second)
	w.feed = w.source.feed(w.store)
	w.feed.Join(w.now, w)
	for key, o := range before {
		if now := w.objects[key]; now == nil || now.UID() != o.UID() {
			w.model.Put(0, w.now, key, o.UID(), nil)
		}
	}
	for key, o := range w.objects {
		if before[key] != o {
			w.model.Put(0, w.now, key, o.UID(), o.Packed())
		}
	}
}

// moment returns one since the beginning, or since what was dropped.
func (w *world) moment() time.Time {
	if w.r.IntN(8) == 0 {
		return w.now // more may come at the same time
	}
	from := w.known()
	return from.Add(time.Duration(w.r.IntN(int(w.now.Sub(from)/time.Microsecond)+1)) * time.Microsecond)
}

// TestModel compares the store with a naive one after thousands of changes, at random moments.
func TestModel(t *testing.T) {
	for seed := range uint64(4) {
		w := newWorld(t, seed, 1<<30)
		for n := range 1000 {
			if w.step(); n%16 == 0 {
				w.compare(w.moment(), w.moment())
			}
		}
	}
}

// TestModelClosed compares it where the source closes now and then.
func TestModelClosed(t *testing.T) {
	for seed := range uint64(4) {
		w := newWorld(t, seed, 1<<30)
		w.sorted = true // what is found out at once is in no order
		for n := range 1000 {
			if w.step(); n%100 == 99 {
				w.leave()
			}
			if n%16 == 0 {
				w.compare(w.moment(), w.moment())
			}
		}
		if gaps := w.store.Gaps(0); len(gaps) != 10 || gaps[0].Why != history.Closed || gaps[0].To.Sub(gaps[0].From) != time.Second {
			t.Errorf("%d gaps: %v", len(gaps), gaps)
		}
	}
}

// TestModelDropped compares it where only the newest changes fit.
func TestModelDropped(t *testing.T) {
	for seed := range uint64(4) {
		w := newWorld(t, seed, 100_000)
		w.sorted = true
		for n := range 1500 {
			if w.step(); n%300 == 299 && seed%2 == 0 {
				w.leave()
			}
			if n%16 == 0 {
				w.compare(w.moment(), w.moment())
			}
		}
		if bytes, limit, dropped := w.memory.Used(); bytes > limit || dropped == 0 || dropped != w.store.Dropped() {
			t.Errorf("%d bytes of %d, %d changes dropped, %d", bytes, limit, dropped, w.store.Dropped())
		}
		w.memory.Check(t)
		w.store.Close()
		if bytes, _, _ := w.memory.Used(); bytes != 0 {
			t.Errorf("%d bytes of nothing", bytes)
		}
	}
}

// TestBeforeDropped holds that nothing is known of a moment whose changes were dropped, so that nobody takes the
// objects of a later moment for those of this one. All objects come and go at the first moment that is known.
func TestBeforeDropped(t *testing.T) {
	w := newWorld(t, 6, 100_000)
	for len(w.store.Gaps(0)) == 0 {
		w.step()
	}
	known := w.known()
	before, want := known.Add(-time.Millisecond), historytest.New(known)
	want.Open(w.model.Streams()[0])
	w.model.At(0, known, func(o history.Object) bool {
		want.Put(0, known, o.Key, o.UID, o.Payload)
		return true
	})
	if got := historytest.Objects(w.store, 0, before); len(got) != 0 {
		t.Errorf("%d objects before what was dropped", len(got))
	}
	for key := range historytest.Objects(w.store, 0, known) {
		if _, found := w.store.Find(0, key, before); found {
			t.Errorf("%s is found before what was dropped", key)
		}
	}
	for _, pair := range [][2]time.Time{{known, before}, {before, known}, {before, before.Add(-time.Millisecond)}} {
		if got, want := historytest.Moved(w.store, 0, pair[0], pair[1]), historytest.Moved(want, 0, pair[0], pair[1]); !slices.Equal(got, want) {
			t.Errorf("from %v to %v moved\n%s\nwant\n%s", pair[0].UnixMilli(), pair[1].UnixMilli(), got, want)
		}
	}
}

// TestThousandMoments compares the objects at 1,000 random moments with the model's.
func TestThousandMoments(t *testing.T) {
	w := newWorld(t, 9, 1<<30)
	for range 600 {
		w.step()
	}
	for range 1000 {
		at := w.moment()
		if got, want := historytest.Objects(w.store, 0, at), historytest.Objects(w.model, 0, at); !maps.Equal(got, want) {
			t.Fatalf("at %v: %v, want %v", at.UnixMilli(), got, want)
		}
	}
}

// TestDroppedMeanwhile drops changes while they are read, and checks that those which are read lead from
// one to the next.
func TestDroppedMeanwhile(t *testing.T) {
	w := newWorld(t, 3, 100_000)
	for range 500 {
		w.step()
	}
	last, n := make(map[string]history.Change), 0
	w.store.Between(0, time.Time{}, w.now.Add(time.Hour), func(c history.Change) bool {
		if was, seen := last[c.Key]; seen && was.At.After(w.known()) && string(was.After) != string(c.Before) {
			t.Fatalf("%s after %s", historytest.Text(c), historytest.Text(was))
		}
		if c.Type == 'M' && (c.Before == nil || c.After == nil) {
			t.Fatal(historytest.Text(c))
		}
		for _, payload := range [][]byte{c.Before, c.After} {
			if _, err := w.decoder.Decode(payload); payload != nil && err != nil {
				t.Fatalf("%s: %v", historytest.Text(c), err)
			}
		}
		last[c.Key] = c
		for range 3 * min(max(2000-n, 0), 1) {
			w.step()
		}
		n++
		return true
	})
	if _, _, dropped := w.memory.Used(); n < 2000 || dropped < 1000 {
		t.Errorf("%d changes, %d dropped", n, dropped)
	}
}

// TestMovedUnopened holds that all objects come and go over the moment in which their stream was opened, those
// that are wanted first before the others.
func TestMovedUnopened(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t, seed, 1<<30)
		before := w.now.Add(-time.Second)
		for range 100 {
			w.step()
		}
		for _, pair := range [][2]time.Time{{before, w.moment()}, {w.moment(), before}, {before, before.Add(1)}} {
			got, want := historytest.Moved(w.store, 0, pair[0], pair[1]), historytest.Moved(w.model, 0, pair[0], pair[1])
			if !slices.Equal(got, want) {
				t.Fatalf("from %v to %v moved\n%s\nwant\n%s", pair[0].UnixMilli(), pair[1].UnixMilli(), got, want)
			}
		}
	}
}
