//go:build !js

package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// faulty is how many are tried of each kind, and soaking how many times that when
// there is time.
var faulty = map[string]uint64{"faults": 1000, "restored": 450, "unmarked": 50}

const soaking = 68

// wantedFaults are the differences to client-go that are meant: what is done to the
// cluster, and what client-go then makes of it.
var wantedFaults = map[string]string{
	"restored": "client-go resumes at a version that the cluster does not have any more, and keeps what is gone",
	"unmarked": "client-go waits for ever for the bookmark that ends a list, and has nothing",
}

// TestDifferential has client-go's Reflector and ours follow the same cluster,
// through the same faults, and compares both with it and with each other when all
// is quiet: what is stored, the version, and what our handlers were told of.
func TestDifferential(t *testing.T) {
	// Its handlers of errors sleep by a clock that goes on from bubble to bubble.
	handlers := utilruntime.ErrorHandlers
	utilruntime.ErrorHandlers = nil
	defer func() { utilruntime.ErrorHandlers = handlers }()
	for kind, n := range faulty {
		if soak() {
			n *= soaking
		}
		t.Run(kind, func(t *testing.T) {
			differ := 0
			for seed := range n {
				synctest.Test(t, func(t *testing.T) {
					if !follow(t, kind, seed) {
						differ++
					}
				})
				if t.Failed() {
					return
				}
			}
			t.Logf("client-go differs in %d of %d", differ, n)
			if wantedFaults[kind] != "" && differ == 0 {
				t.Error("it does no longer: " + wantedFaults[kind])
			}
		})
	}
}

// follow runs one schedule, holds ours to the cluster, and reports whether
// client-go is at the same.
func follow(t *testing.T, kind string, seed uint64) bool {
	const faults, quiet = 2 * time.Minute, 20 * time.Minute
	c, r := newCluster(), rand.New(rand.NewPCG(seed, 0))
	meet := func() *front {
		return &front{unmarked: kind == "unmarked", cluster: c, until: time.Now().Add(faults), random: rand.New(rand.NewPCG(seed, 1))}
	}
	for range 8 {
		c.write(r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	ours, oursFront := followOurs(ctx, &running, meet())
	theirs, theirsFront := followTheirs(ctx, &running, meet())
	for end := time.Now().Add(faults); time.Now().Before(end); {
		time.Sleep(rand.N(4 * time.Second))
		c.write(r)
	}
	if kind == "restored" {
		restore(c, r, oursFront, theirsFront)
	}
	time.Sleep(quiet)
	synctest.Wait()
	want, got, other := c.now(), ours(), theirs()
	cancel()
	running.Wait()
	if got != want {
		t.Errorf("%s %d:\nwant   %s\nours   %s\ntheirs %s\nthe trace is in %s", kind, seed, want, got, other, saved(t, slices.Concat(c.told(), oursFront.asked)))
	}
	if other != want && wantedFaults[kind] == "" {
		t.Errorf("%s %d:\nwant   %s\ntheirs %s\nthe trace is in %s", kind, seed, want, other, saved(t, slices.Concat(c.told(), theirsFront.asked)))
	}
	return other == want
}

// restore has the apiserver go away and come back with an older cluster, which then
// overtakes what it was, or does not.
func restore(c *cluster, r *rand.Rand, fronts ...*front) {
	away := func(away bool) {
		for _, f := range fronts {
			f.lock.Lock()
			c.mu.Lock()
			f.away = away
			c.mu.Unlock()
			f.lock.Unlock()
		}
	}
	away(true)
	back := 3 + r.IntN(10)
	c.restore(back)
	time.Sleep(70 * time.Second) // nobody restores a cluster in less, and unseen
	for range r.IntN(2 * back) {
		c.write(r)
	}
	c.mu.Lock()
	c.compacted = 0 // it keeps all that it has
	c.mu.Unlock()
	away(false)
}

// followOurs runs our informer on a front.
func followOurs(ctx context.Context, running *sync.WaitGroup, f *front) (func() string, *front) {
	o := newInformer(reflector.SourceFunc(func(ctx context.Context, r wire.Request) (reflector.Stream, error) {
		feed, status := f.open(r.Verb, r.ListOptions)
		if status != nil {
			return nil, status
		}
		return &fed{feed: feed, watch: r.Verb == wire.Watch}, nil
	})).options
	o.Checks = reflector.Checks[*thing]{
		Stamp: func(o *thing) string { return o.version },
		ReadStamp: func(payload []byte) (string, string, error) {
			o, err := decoder{}.Decode(payload)
			return o.key, o.version, err
		},
	}
	i := New(o)
	told := &told{things: map[string]int{}}
	handle(i, told)
	running.Go(func() { i.Run(ctx) })
	return func() string {
		things := map[string]int{}
		for _, o := range i.Store().List() {
			things[o.key], _ = strconv.Atoi(o.version)
		}
		out := listed(things) + " at " + i.State(time.Now()).Settled
		if told := listed(told.things); told != listed(things) {
			out += ", and its handlers were told of " + told
		}
		return out
	}, f
}

// told is what there is for a handler that believes what it is told.
type told struct{ things map[string]int }

func (h *told) OnAdd(o *thing, _ bool)    { h.things[o.key], _ = strconv.Atoi(o.version) }
func (h *told) OnUpdate(_, o *thing)      { h.things[o.key], _ = strconv.Atoi(o.version) }
func (h *told) OnDelete(o *thing, _ bool) { delete(h.things, o.key) }

// fed is a feed as our Reflector reads it.
type fed struct {
	*feed
	watch bool
}

func (s *fed) Next(ctx context.Context) (b wire.Batch, err error) {
	if !s.watch {
		for _, ch := range s.queue {
			b.Events = append(b.Events, wire.Event{Type: wire.Item, Payload: ch.payload()})
		}
		end := fmt.Appendf(nil, `{"resourceVersion":%q,"continue":%q}`, s.list.ResourceVersion, s.list.Continue)
		b.Events, b.Bytes = append(b.Events, wire.Event{Type: wire.ListEnd, Payload: end}), 1
		return b, nil
	}
	ch, err := s.next(ctx)
	status := wire.StatusOf(err)
	switch {
	case status != nil && status.Origin == wire.FromAPIServer: // it ends the watch itself
		b.Events = []wire.Event{{Type: wire.Error, Payload: wire.JSONFrame(0, 0, status)[2:]}}
		return b, nil
	case err != nil:
		return b, err
	}
	payload := ch.payload()
	if ch.kind == wire.Bookmark {
		payload = fmt.Appendf(nil, "%d%s", ch.version, ch.key)
	}
	return wire.Batch{Events: []wire.Event{{Type: ch.kind, Payload: payload}}, Bytes: 1}, nil
}

func (s *fed) Credit(int)                  {}
func (s *fed) Age(time.Time) time.Duration { return 0 }
func (s *fed) Encoding() wire.Encoding     { return wire.EncodingProtobuf }
func (s *fed) Close()                      {}

// followTheirs runs client-go's Reflector on a front.
func followTheirs(ctx context.Context, running *sync.WaitGroup, f *front) (func() string, *front) {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	r := cache.NewReflectorWithOptions(&cache.ListWatch{
		ListWithContextFunc: func(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
			feed, status := f.open(wire.List, options(o))
			if status != nil {
				return nil, theirError(status)
			}
			list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: feed.list.ResourceVersion, Continue: feed.list.Continue}}
			for _, ch := range feed.queue {
				list.Items = append(list.Items, *pod(ch))
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			feed, status := f.open(wire.Watch, options(o))
			if status != nil {
				return nil, theirError(status)
			}
			ctx, cancel := context.WithCancel(ctx)
			w := &watcher{events: make(chan watch.Event), stop: cancel}
			running.Go(func() { w.run(ctx, feed) })
			return w, nil
		},
	}, &corev1.Pod{}, store, cache.ReflectorOptions{})
	running.Go(func() { r.RunWithContext(ctx) })
	return func() string {
		things := map[string]int{}
		for _, o := range store.List() {
			p := o.(*corev1.Pod)
			things[p.Name], _ = strconv.Atoi(p.ResourceVersion)
		}
		return listed(things) + " at " + r.LastSyncResourceVersion()
	}, f
}

func options(o metav1.ListOptions) wire.ListOptions {
	return wire.ListOptions{
		ResourceVersion: o.ResourceVersion, ResourceVersionMatch: string(o.ResourceVersionMatch), Limit: o.Limit, Continue: o.Continue,
		SendInitialEvents: o.SendInitialEvents != nil && *o.SendInitialEvents, AllowWatchBookmarks: o.AllowWatchBookmarks,
	}
}

// pod is an object as client-go has it.
func pod(ch change) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: ch.key, ResourceVersion: strconv.Itoa(ch.version)}}
	if ch.kind == wire.Bookmark {
		p.Name = ""
		if ch.key == "!" {
			p.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		}
	}
	return p
}

// theirError is a Status as client-go's own client would say it.
func theirError(s *wire.Status) error {
	if s.Origin != wire.FromAPIServer {
		return syscall.ECONNREFUSED
	}
	status := metav1.Status{Status: metav1.StatusFailure, Code: int32(s.Code), Reason: metav1.StatusReason(s.Reason), Message: s.Message, Details: &metav1.StatusDetails{RetryAfterSeconds: int32(s.RetryAfter)}}
	for _, cause := range s.Causes {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{Type: metav1.CauseType(cause)})
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// watcher is a feed as client-go reads it.
type watcher struct {
	events chan watch.Event
	stop   context.CancelFunc
}

func (w *watcher) Stop()                          { w.stop() }
func (w *watcher) ResultChan() <-chan watch.Event { return w.events }

var theirTypes = map[wire.EventType]watch.EventType{
	wire.Added: watch.Added, wire.Modified: watch.Modified, wire.Deleted: watch.Deleted, wire.Bookmark: watch.Bookmark,
}

func (w *watcher) run(ctx context.Context, f *feed) {
	defer close(w.events)
	for {
		ch, err := f.next(ctx)
		e := watch.Event{Type: theirTypes[ch.kind], Object: pod(ch)}
		if status := wire.StatusOf(err); status != nil && status.Origin == wire.FromAPIServer {
			var said *apierrors.StatusError
			errors.As(theirError(status), &said)
			e = watch.Event{Type: watch.Error, Object: &said.ErrStatus}
		} else if err != nil {
			return // a connection that breaks is a channel that closes
		}
		select {
		case w.events <- e:
		case <-ctx.Done():
			return
		}
		if errors.Is(err, io.EOF) || e.Type == watch.Error {
			return
		}
	}
}
