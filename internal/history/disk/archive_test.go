package disk_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/disk"
	"watchglass/internal/history/historytest"
	"watchglass/internal/object"
)

// world is a source whose changes a Store, an Archive and the model are told of.
type world struct {
	t       testing.TB
	r       *rand.Rand
	kind    object.Kind
	decoder *object.Decoder
	objects map[string]*object.Object
	now     time.Time
	begun   time.Time
	memory  *history.Memory
	store   *history.Store
	feed    *history.Input
	model   *historytest.Model
	disk    *historytest.Disk
	archive *disk.Archive
	record  *disk.Record
	version int
}

func newWorld(t testing.TB, seed uint64, room int64) *world {
	kind, _ := object.Builtin("configmaps")
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 7)), kind: kind, decoder: object.NewDecoder(kind, true), objects: make(map[string]*object.Object), now: time.UnixMilli(1_000_000)}
	w.begun = w.now
	w.memory = history.NewMemory(100_000, nil)
	w.store = history.NewStore(w.memory)
	w.model = historytest.New(w.now)
	w.model.Open(history.Stream{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true})
	w.feed = w.source()
	w.feed.Join(w.now, w)
	w.disk = &historytest.Disk{Room: room}
	w.archive = disk.New(w.disk, nil)
	w.archive.Set(true)
	w.archive.Keep(w.store)
	w.record = w.archive.Record(t.Context(), w.store)
	return w
}

func (w *world) source() *history.Input {
	return w.store.NewInput(history.Source{Kind: w.kind, Decoder: w.decoder, Held: func(f func(history.Objects)) { f(w) }})
}

func (w *world) List() []*object.Object { return slices.Collect(maps.Values(w.objects)) }

func (w *world) Get(key string) (*object.Object, bool) {
	o, ok := w.objects[key]
	return o, ok
}

// step changes an object, and lets the archive work.
func (w *world) step() {
	w.change()
	w.archive.Work(w.t.Context())
}

func (w *world) change() {
	w.now = w.now.Add(time.Duration(w.r.IntN(3)) * time.Millisecond)
	name := fmt.Sprintf("web-%d", w.r.IntN(40))
	key := "shop/" + name
	before, after := w.objects[key], (*object.Object)(nil)
	if before != nil && w.r.IntN(4) == 0 {
		delete(w.objects, key)
		w.model.Put(0, w.now, key, before.UID(), nil)
	} else {
		w.version++
		uid := fmt.Sprintf("uid-%s-%d", name, w.version)
		if before != nil {
			uid = before.UID()
		}
		o, err := w.decoder.Decode(fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"%d"},"data":{"a":%q}}`,
			name, uid, w.version, strings.Repeat(fmt.Sprint(w.r.IntN(1000)), 1+w.r.IntN(40))))
		if err != nil {
			w.t.Fatal(err)
		}
		after, w.objects[key] = o, o
		w.model.Put(0, w.now, key, uid, o.Packed())
	}
	w.feed.Note(w.now, before, after)
}

// compare compares the record with the model at one moment, and between two.
func (w *world) compare(from, to time.Time) {
	w.t.Helper()
	if got, want := historytest.Objects(w.record, 0, from), historytest.Objects(w.model, 0, from); !maps.Equal(got, want) {
		w.t.Fatalf("at %v: %d objects, want %d\n%v\n%v", from.UnixMilli(), len(got), len(want), got, want)
	}
	if got, want := historytest.Moved(w.record, 0, from, to), historytest.Moved(w.model, 0, from, to); !slices.Equal(got, want) {
		w.t.Fatalf("from %v to %v moved\n%s\nwant\n%s", from.UnixMilli(), to.UnixMilli(), got, want)
	}
	got, want := historytest.Between(w.record, 0, from, to), historytest.Between(w.model, 0, from, to)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Fatalf("between %v and %v\n%s\nwant\n%s", from.UnixMilli(), to.UnixMilli(), got, want)
	}
	key := fmt.Sprintf("shop/web-%d", w.r.IntN(40))
	o, found := w.record.Find(0, key, from)
	same, there := w.model.Find(0, key, from)
	if found != there || o.UID != same.UID || string(o.Payload) != string(same.Payload) {
		w.t.Fatalf("%s at %v: %v, want %v", key, from.UnixMilli(), o, same)
	}
}

func (w *world) moment(since time.Time) time.Time {
	return since.Add(time.Duration(w.r.IntN(int(w.now.Sub(since)/time.Microsecond)+1)) * time.Microsecond)
}

// TestModel compares what memory and the disk have together with a naive model, at moments of which memory
// has dropped most.
func TestModel(t *testing.T) {
	for seed := range uint64(3) {
		w := newWorld(t, seed, 1<<30)
		for n := range 3000 {
			if w.step(); n%100 == 99 {
				w.compare(w.moment(w.begun), w.moment(w.begun))
			}
		}
		_, known, _ := w.store.Known(0)
		if from, _ := w.record.Span(); !from.Equal(w.begun) || known.Sub(w.begun) < w.now.Sub(w.begun)/2 {
			t.Errorf("the record begins at %v, memory at %v of %v", from, known, w.now)
		}
		for _, c := range [][2]time.Time{{w.begun, known}, {known, w.begun}, {known.Add(-time.Millisecond), known}} {
			w.compare(c[0], c[1])
		}
		if gaps := w.record.Gaps(0); len(gaps) != 0 {
			t.Errorf("gaps: %v", gaps)
		}
		if len(w.disk.IDs()) < 3 {
			t.Errorf("%d segments", len(w.disk.IDs()))
		}
	}
}

// TestRoom checks that the oldest segments are dropped for new ones, that this is said, and that what is left
// is as it was.
func TestRoom(t *testing.T) {
	const room = 300_000
	w := newWorld(t, 1, room)
	for range 5000 {
		w.step()
	}
	from, _ := w.record.Span()
	_, known, _ := w.store.Known(0)
	s := w.archive.Status()
	if !s.Dropped || s.Bytes > room || s.Bytes != w.disk.Bytes() || s.Failed != "" || !from.After(w.begun) || !from.Before(known) {
		t.Errorf("%+v, %d bytes on disk, from %v", s, w.disk.Bytes(), from)
	}
	for range 20 {
		w.compare(w.moment(from), w.moment(from))
	}
	if gaps := w.record.Gaps(0); len(gaps) != 0 {
		t.Errorf("gaps: %v", gaps)
	}
}

// TestForgotten checks that segments go at once with the right to read them.
func TestForgotten(t *testing.T) {
	w := filled(t)
	at := w.begun.Add(time.Second)
	w.feed.Forget(w.now)
	if got := historytest.Objects(w.record, 0, at); len(got) != 0 || len(historytest.Between(w.record, 0, w.begun, w.now)) != 0 {
		t.Errorf("%d objects are left", len(got))
	}
	w.archive.Work(t.Context())
	if ids := w.disk.IDs(); len(ids) != 0 || w.archive.Status().Bytes != 0 {
		t.Errorf("segments %v are left", ids)
	}
	if gaps := w.record.Gaps(0); len(gaps) != 1 || gaps[0].Why != history.Denied {
		t.Errorf("gaps: %v", gaps)
	}
}

// TestOff checks that turning the archive off and closing a store remove all that they had.
func TestOff(t *testing.T) {
	w := filled(t)
	w.archive.Set(false)
	_, known, _ := w.store.Known(0)
	if from, _ := w.record.Span(); len(w.disk.IDs()) != 0 || w.disk.Cleared != 1 || !from.Equal(known) || w.archive.Status().Bytes != 0 {
		t.Errorf("segments %v are left, from %v", w.disk.IDs(), from)
	}
	w.archive.Set(true)
	for range 2500 {
		w.step()
	}
	if from, _ := w.record.Span(); len(w.disk.IDs()) == 0 || from.Equal(w.begun) {
		t.Errorf("segments %v, from %v", w.disk.IDs(), from)
	}
	w.archive.Leave(w.store)
	if ids := w.disk.IDs(); len(ids) != 0 {
		t.Errorf("segments %v are left", ids)
	}
}

// filled is a world of which much is on disk.
func filled(t testing.TB) *world {
	w := newWorld(t, 5, 1<<30)
	for range 2500 {
		w.step()
	}
	if len(w.disk.IDs()) < 2 {
		t.Fatalf("segments %v", w.disk.IDs())
	}
	return w
}

// TestDamaged checks that a segment with a changed byte, or without its end, is refused, dropped and reported.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(*historytest.Disk){"changed": (*historytest.Disk).Break, "truncated": (*historytest.Disk).Cut} {
		t.Run(name, func(t *testing.T) { testDamaged(t, damage) })
	}
}

func testDamaged(t *testing.T, damage func(*historytest.Disk)) {
	w := filled(t)
	damage(w.disk)
	n := len(w.disk.IDs())
	if err := w.record.Load(0, w.begun); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
	if s := w.archive.Status(); s.Failed == "" || len(w.disk.IDs()) != n-1 {
		t.Errorf("%+v, %d segments", s, len(w.disk.IDs()))
	}
	if err := w.record.Load(0, w.begun); err != nil {
		t.Error(err)
	}
	if gaps := w.record.Gaps(0); len(gaps) != 0 && gaps[0].Why != history.Dropped {
		t.Errorf("gaps: %v", gaps)
	}
}

// interrupted calls f when it is asked for its error the second time. The archive asks once before it writes a segment,
// and again between the pieces of the segment.
type interrupted struct {
	context.Context
	asked int
	f     func()
}

func (c *interrupted) Err() error {
	if c.asked++; c.asked == 2 {
		c.f()
	}
	return nil
}

// TestOvertaken checks that a segment is discarded if memory drops its beginning while it is written, that the rest is
// written next, and that what is lost is reported.
func TestOvertaken(t *testing.T) {
	w := newWorld(t, 5, 1<<30)
	for ok := false; !ok; _, _, ok = w.store.Ripe(0, time.Time{}) {
		w.change()
	}
	known := w.begun
	ctx := &interrupted{Context: t.Context(), f: func() {
		for !known.After(w.begun) {
			w.change()
			_, known, _ = w.store.Known(0)
		}
	}}
	if w.archive.Work(ctx); len(w.disk.IDs()) != 0 || ctx.asked < 2 {
		t.Errorf("segments %v", w.disk.IDs())
	}
	if w.archive.Work(t.Context()); len(w.disk.IDs()) != 1 {
		t.Errorf("segments %v", w.disk.IDs())
	}
	if from, _ := w.record.Span(); !from.Equal(known) {
		t.Errorf("the record begins at %v, memory at %v", from, known)
	}
	w.compare(w.moment(known), w.moment(known))
}

// TestFails checks that a disk that fails is said to, is not asked again, and that memory goes on.
func TestFails(t *testing.T) {
	w := newWorld(t, 2, 1<<30)
	w.disk.Fail = errors.New("the disk is full")
	for range 3000 {
		w.step()
	}
	if s := w.archive.Status(); s.Failed != "the disk is full" || s.Bytes != 0 {
		t.Errorf("%+v", s)
	}
	_, known, _ := w.store.Known(0)
	if w.compare(w.moment(known), w.moment(known)); len(w.disk.IDs()) != 0 {
		t.Error("there are segments")
	}
}

// TestHole checks that nothing is known of a time that no segment has and memory has dropped, and that all objects of
// the segment before are gone there.
func TestHole(t *testing.T) {
	w := filled(t)
	w.disk.Fail = errors.New("the disk is full")
	for range 2500 {
		w.step()
	}
	gaps := w.record.Gaps(0)
	if len(gaps) != 1 || gaps[0].Why != history.Dropped || !gaps[0].From.After(w.begun) {
		t.Fatalf("gaps: %v", gaps)
	}
	w.disk.Fail = nil // what is there can be read
	hole, before := gaps[0].From.Add(time.Millisecond), gaps[0].From
	if got := historytest.Objects(w.record, 0, hole); len(got) != 0 {
		t.Errorf("%d objects in the hole", len(got))
	}
	gone, want := 0, len(historytest.Objects(w.model, 0, before))
	w.record.Moved(0, before, hole, nil, func(c history.Change) bool {
		if c.After == nil {
			gone++
		}
		return true
	})
	if gone != want || want == 0 {
		t.Errorf("%d objects are gone in the hole, of %d", gone, want)
	}
	w.compare(w.moment(gaps[0].To), w.moment(gaps[0].To))
}

// TestNoRoom checks that a segment that fits into no room is said to, and that memory goes on.
func TestNoRoom(t *testing.T) {
	w := newWorld(t, 2, 100)
	for range 2000 {
		w.step()
	}
	if s := w.archive.Status(); !strings.Contains(s.Failed, "too little storage") || s.Bytes != 0 || len(w.disk.IDs()) != 0 {
		t.Errorf("%+v, segments %v", s, w.disk.IDs())
	}
	_, known, _ := w.store.Known(0)
	w.compare(w.moment(known), w.moment(known))
}

// TestRun checks that Run works when it is woken, and ends with its context.
func TestRun(t *testing.T) {
	w := newWorld(t, 3, 1<<30)
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.archive.Run(ctx) }()
	w.archive.Wake()
	end()
	<-ended
}
