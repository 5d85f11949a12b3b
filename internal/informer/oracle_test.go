//go:build !js

package informer

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"watchglass/internal/wire"
)

// schedules is how many random schedules are compared: many more when there is
// time for them.
func schedules() uint64 {
	if soak() {
		return 100_000
	}
	return 1500
}

func soak() bool { return os.Getenv("SOAK") != "" }

// wanted are the differences to client-go's shared informer that are meant, by
// name. Everything else must be the same.
var wanted = map[string]string{
	"coalescing":            "what piles up in the queue folds: client-go's trace of a burst is compared after the same folding",
	"which of two goings":   "of an object that went twice in a burst, the deletion may be told with either's last state",
	"deletion of nothing":   "a deletion of what was never there is told by client-go to handlers that never heard of it; here to nobody",
	"no news":               "an object that comes again as it was is no update; client-go tells handlers that never resync of it",
	"adds before the list":  "the first list is told as it comes, and not once it is whole; all of it is told as of the initial list",
	"reordering of relists": "a new list is told in its own order and its deletions last, where client-go tells them first",
}

// said is a change as a handler is told of it.
type said struct {
	Change[*thing]
	unknown bool
}

// recorder writes down what a handler is told of each key, and holds that each
// change begins where the last one ended.
type recorder struct {
	t *testing.T

	mu    sync.Mutex
	known map[string]*thing
	told  map[string][]said
}

// take is what was told since it was last asked.
func (r *recorder) take() map[string][]said {
	r.mu.Lock()
	defer r.mu.Unlock()
	told := r.told
	r.told = map[string][]said{}
	return told
}

func newRecorder(t *testing.T) *recorder {
	return &recorder{t: t, known: map[string]*thing{}, told: map[string][]said{}}
}

func (r *recorder) note(c said) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.known[c.Key]
	switch {
	case c.After == nil && known == nil:
		return // deletion of nothing
	case c.After == nil: // told with the last state
		c.Before = known
	case c.Before != nil && known != nil && *c.Before == *c.After && *known == *c.After:
		return // no news
	case (c.Before == nil) != (known == nil), known != nil && *known != *c.Before:
		r.t.Errorf("%s: knew %v, and is told of %v to %v", c.Key, known, c.Before, c.After)
	}
	if r.known[c.Key] = c.After; c.After == nil {
		delete(r.known, c.Key)
	}
	r.told[c.Key] = append(r.told[c.Key], c)
}

func (r *recorder) OnAdd(o *thing, initial bool) {
	r.note(said{Change[*thing]{Key: o.key, After: o, Initial: initial}, false})
}

func (r *recorder) OnUpdate(a, b *thing) {
	r.note(said{Change[*thing]{Key: b.key, Before: a, After: b}, false})
}

func (r *recorder) OnDelete(o *thing, unknown bool) {
	r.note(said{Change[*thing]{Key: o.key, Final: o}, unknown})
}

// theirHandler has a recorder told by client-go.
func theirHandler(r *recorder) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(o any, initial bool) { r.OnAdd(ourThing(o), initial) },
		UpdateFunc: func(a, b any) { r.OnUpdate(ourThing(a), ourThing(b)) },
		DeleteFunc: func(o any) {
			d, unknown := o.(cache.DeletedFinalStateUnknown)
			if unknown {
				o = d.Obj
			}
			r.OnDelete(ourThing(o), unknown)
		},
	}
}

func ourThing(o any) *thing {
	p := o.(*metav1.PartialObjectMetadata)
	return &thing{p.Name, p.ResourceVersion}
}

func theirThing(o *thing) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: o.key, ResourceVersion: o.version}}
}

// folded is what came of each key in a burst; but for the last state of what went
// more than once, by client-go's trace.
func folded(told, theirs map[string][]said) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(told)) {
		sum := said{Change: Change[*thing]{Before: told[key][0].Before}}
		for _, c := range told[key] {
			if sum.After = c.After; c.Before == nil {
				sum.Initial = c.Initial
			}
			if c.After == nil {
				sum.Final, sum.unknown = c.Final, c.unknown
			}
		}
		if sum.Before == nil && sum.After == nil {
			continue
		}
		text := fmt.Sprintf("%s %v→%v initial=%v", key, sum.Before, sum.After, sum.Initial && sum.Before == nil)
		goings := len(slices.DeleteFunc(slices.Clone(theirs[key]), func(c said) bool { return c.After != nil }))
		if sum.After == nil && goings == 1 {
			text += fmt.Sprintf(" final=%v unknown=%v", sum.Final, sum.unknown)
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// world is a scripted server, and both informers at it.
type world struct {
	t       *testing.T
	r       *rand.Rand
	name    string
	log     []string
	things  map[string]*thing
	version int

	src         *source
	stream      *stream
	ours        *Informer[*thing]
	watcher     *watch.FakeWatcher
	theirs      cache.SharedIndexInformer
	left, right []*recorder // ours, client-go's
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 4)), name: fmt.Sprintf("seed %d", seed), things: map[string]*thing{}, src: newSource(), version: 10}
	w.ours = newInformer(w.src)
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: fmt.Sprint(w.version)}}
			for _, key := range slices.Sorted(maps.Keys(w.things)) {
				list.Items = append(list.Items, *theirThing(w.things[key]))
			}
			return list, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			w.watcher = watch.NewFakeWithChanSize(100, false)
			return w.watcher, nil
		},
	}, noWatchList{})
	w.theirs = cache.NewSharedIndexInformer(lw, &metav1.PartialObjectMetadata{}, 0, nil)
	if err := w.theirs.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}); err != nil {
		t.Fatal(err)
	}
	return w
}

// noWatchList has client-go list.
type noWatchList struct{}

func (noWatchList) IsWatchListSemanticsUnSupported() bool { return true }

// join adds a handler to both.
func (w *world) join() {
	ours, theirs := newRecorder(w.t), newRecorder(w.t)
	w.log = append(w.log, "join")
	handle(w.ours, ours)
	if _, err := w.theirs.AddEventHandler(theirHandler(theirs)); err != nil {
		w.t.Fatal(err)
	}
	w.left, w.right = append(w.left, ours), append(w.right, theirs)
}

// happen changes one thing at the server, and returns the event.
func (w *world) happen() wire.Event {
	key := string(rune('a' + w.r.IntN(6)))
	old, kind := w.things[key], []wire.EventType{wire.Added, wire.Modified}[w.r.IntN(2)]
	now := &thing{key, fmt.Sprint(w.version + 1)}
	switch n := w.r.IntN(8); {
	case n == 0 && old != nil: // what is known comes once more
		now = old
	case n == 1 && old == nil, n < 4 && old != nil:
		kind = wire.Deleted
		delete(w.things, key)
		w.version++
	default:
		w.things[key] = now
		w.version++
	}
	return wire.Event{Type: kind, Payload: []byte(now.String())}
}

func (w *world) send(events []wire.Event) {
	names := map[wire.EventType]watch.EventType{wire.Added: watch.Added, wire.Modified: watch.Modified, wire.Deleted: watch.Deleted}
	for _, e := range events {
		w.log = append(w.log, fmt.Sprintf("%v %s", names[e.Type], e.Payload))
		key, version, _ := strings.Cut(string(e.Payload), "@")
		w.watcher.Action(names[e.Type], theirThing(&thing{key, version}))
		w.stream.frames <- wire.Batch{Events: []wire.Event{e}, Bytes: 1}
	}
}

// burst has a few things happen at once.
func (w *world) burst() {
	for range 1 + w.r.IntN(10) {
		w.send([]wire.Event{w.happen()})
		if w.r.IntN(3) == 0 {
			synctest.Wait()
		}
	}
	w.compare()
}

// relist has both miss a few things, and list anew.
func (w *world) relist() {
	w.log = append(w.log, "relist")
	for range w.r.IntN(6) {
		w.happen()
	}
	w.version++
	w.watcher.Error(&metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired})
	w.stream.frames <- wire.Batch{Events: []wire.Event{{Type: wire.Error, Payload: []byte(`{"origin":"apiserver","code":410}`)}}}
	w.list()
	time.Sleep(2 * time.Minute) // client-go's backoff
	w.compare()
}

// list answers the list of ours; client-go has a function for that.
func (w *world) list() {
	w.stream = <-w.src.opened
	var words []string
	for _, key := range slices.Sorted(maps.Keys(w.things)) {
		words = append(words, "+"+w.things[key].String())
	}
	w.stream.send(strings.Join(words, " ") + fmt.Sprintf(" @%d!", w.version))
}

// compare holds the stores, and what each handler was told, against each other.
func (w *world) compare() {
	w.t.Helper()
	synctest.Wait()
	for n := range w.left {
		told := w.right[n].take()
		if ours, theirs := folded(w.left[n].take(), told), folded(told, told); ours != theirs {
			w.differ(fmt.Sprintf("handler %d", n), theirs, ours)
		}
	}
	var ours, theirs []string
	for _, o := range w.ours.Store().List() {
		ours = append(ours, o.String())
	}
	for _, o := range w.theirs.GetStore().List() {
		theirs = append(theirs, ourThing(o).String())
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	if !slices.Equal(ours, theirs) {
		w.differ("store", fmt.Sprint(theirs), fmt.Sprint(ours))
	}
}

// differ saves the trace and fails.
func (w *world) differ(what, theirs, ours string) {
	w.t.Helper()
	for name, why := range wanted {
		w.log = append(w.log, fmt.Sprintf("# meant: %s: %s", name, why))
	}
	w.log = append(w.log, what, "client-go says", theirs, "we say", ours)
	w.t.Fatalf("%s, %s: client-go says\n%s\nwe say\n%s\nthe trace is in %s", w.name, what, theirs, ours, saved(w.t, w.log))
}

// saved is the file that a trace was written to.
func saved(t *testing.T, trace []string) string {
	t.Helper()
	file, err := os.CreateTemp("", "informer-*.trace")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(strings.Join(trace, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// TestOracle gives the same changes to client-go's shared informer and to ours:
// each handler is told the same of each key in each burst, after the folding that
// ours may do, and the stores are the same.
func TestOracle(t *testing.T) {
	for seed := range schedules() {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{}, 2)
			for range w.r.IntN(6) {
				w.happen()
			}
			w.join()
			go func() { w.ours.Run(ctx); ended <- struct{}{} }()
			go func() { w.theirs.RunWithContext(ctx); ended <- struct{}{} }()
			w.list()
			w.compare()
			for range 12 {
				switch n := w.r.IntN(8); {
				case n == 0:
					w.join()
					w.compare()
				case n == 1:
					w.relist()
				default:
					w.burst()
				}
			}
			cancel()
			<-ended
			<-ended
		})
	}
}
