//go:build !js

package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"watchglass/internal/object"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// watched is an apiserver that serves watches of pods: every change has the next version.
type watched struct {
	t *testing.T

	mu      sync.Mutex
	version int
	events  []change
	watches map[*http.Request]context.CancelCauseFunc
	asked   int
	refuses func(*http.Request) *http.Response
	change  chan struct{}
}

// change is an event as sent, its version, and its object.
type change struct {
	version int
	frame   []byte
	object  []byte
}

func newWatched(t *testing.T) *watched {
	return &watched{t: t, watches: make(map[*http.Request]context.CancelCauseFunc), change: make(chan struct{})}
}

// write changes an object, whose name has a number of bytes.
func (w *watched) write(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	w.podLocked("MODIFIED", strings.Repeat("p", bytes))
}

// expire deletes objects at once, as etcd does when a lease ends: all deletions have the same version.
func (w *watched) expire(names ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	for _, name := range names {
		w.podLocked("DELETED", name)
	}
}

func (w *watched) podLocked(event, name string) {
	p := pod(name)
	p.ResourceVersion = strconv.Itoa(w.version)
	w.sendLocked(event, asProtobuf(w.t, p))
}

func (w *watched) sendLocked(name string, object []byte) {
	w.events = append(w.events, change{w.version, watchFrames(w.t, metav1.WatchEvent{Type: name, Object: runtime.RawExtension{Raw: object}}), object})
	close(w.change)
	w.change = make(chan struct{})
}

// fail sends an error to every watch.
func (w *watched) fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	w.sendLocked("ERROR", asProtobuf(w.t, &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: 410, Reason: "Expired"}))
}

// initialObjects are how many there are at first.
const initialObjects = 2

// initialLocked are the events before those that change something: objects, a bookmark that does not end
// them, and one that does. The objects are those of the last events, if there are any.
func (w *watched) initialLocked() []byte {
	event := func(name string, p *corev1.Pod) metav1.WatchEvent {
		p.ResourceVersion = strconv.Itoa(w.version)
		return metav1.WatchEvent{Type: name, Object: runtime.RawExtension{Raw: asProtobuf(w.t, p)}}
	}
	mark, end := &corev1.Pod{TypeMeta: pod("").TypeMeta}, &corev1.Pod{TypeMeta: pod("").TypeMeta}
	end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	all := []metav1.WatchEvent{event("ADDED", pod("one")), event("ADDED", pod("two")), event("BOOKMARK", mark), event("BOOKMARK", end)}
	if n := len(w.events); n >= initialObjects {
		all[0].Object.Raw, all[1].Object.Raw = w.events[n-2].object, w.events[n-1].object
	}
	return watchFrames(w.t, all...)
}

func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path, "reviews") {
		return answer(r, 201, "application/json", strings.NewReader(`{"status":{"allowed":true}}`)), nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	if w.refuses != nil {
		if no := w.refuses(r); no != nil {
			return no, nil
		}
	}
	q := r.URL.Query()
	from, begin := w.version, w.initialLocked()
	if q.Get("sendInitialEvents") == "" {
		from, _ = strconv.Atoi(q.Get("resourceVersion"))
		begin = nil
	}
	seconds, _ := strconv.Atoi(q.Get("timeoutSeconds"))
	ctx, cancel := context.WithCancelCause(r.Context())
	w.watches[r] = cancel
	pr, pw := io.Pipe()
	context.AfterFunc(ctx, func() { pw.CloseWithError(context.Cause(ctx)) })
	time.AfterFunc(time.Duration(seconds)*time.Second, func() { cancel(io.EOF) })
	go func() {
		defer func() { w.mu.Lock(); delete(w.watches, r); w.mu.Unlock(); cancel(nil) }()
		w.serve(ctx, pw, from, begin)
	}()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/vnd.kubernetes.protobuf;stream=watch"}}, Body: pr, Request: r}, nil
}

func (w *watched) serve(ctx context.Context, into io.Writer, from int, begin []byte) {
	if _, err := into.Write(begin); err != nil {
		return
	}
	for next := 0; ; {
		w.mu.Lock()
		all, changed := w.events[next:], w.change
		w.mu.Unlock()
		for _, c := range all {
			if next++; c.version <= from {
				continue
			}
			if _, err := into.Write(c.frame); err != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// cut ends one of the watches in the middle.
func (w *watched) cut(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.watches {
		cancel(err)
		return
	}
}

// open returns how many watches are open.
func (w *watched) open() int {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.watches)
}

func (w *watched) head() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version
}

// watcher is a tab that watches, reopens its watch when it ends, and complains of every event that
// is missing or comes twice.
type watcher struct {
	t      *testing.T
	conn   *wiretest.Conn
	cancel context.CancelFunc
	served chan struct{}

	mu      sync.Mutex
	stuck   chan struct{} // while it is open, the tab applies and credits nothing
	stream  uint32
	version int
	initial int      // objects before the first change
	deleted []string // the names of objects
	ends    []string // of its watches
}

func sharedRequest() wire.Request {
	r := wire.InitialWatch("", "v1", "pods", "")
	r.TimeoutSeconds = 300
	return r
}

// watch starts a tab that sends a request.
func watch(t *testing.T, rt http.RoundTripper, o Options, r wire.Request) *watcher {
	near, far := wiretest.Pipe(4096) // only credit holds up the relay
	o.Upstream.Transport, o.Upstream.Base = rt, base(t, "https://h")
	ctx, cancel := context.WithCancel(context.Background())
	tab := &watcher{t: t, conn: far, cancel: cancel, served: make(chan struct{})}
	tab.reads(true)
	go func() { defer close(tab.served); _ = Serve(ctx, near, o) }()
	if err := far.Write(ctx, []byte(hello)); err != nil {
		t.Fatal(err)
	}
	tab.ask(ctx, r)
	go tab.read(ctx, r)
	go tab.beat(ctx)
	t.Cleanup(tab.close)
	return tab
}

// reads makes the tab stop applying what comes, or go on.
func (tab *watcher) reads(on bool) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if tab.stuck == nil || !on {
		tab.stuck = make(chan struct{})
	}
	if on {
		close(tab.stuck)
	}
}

func (tab *watcher) beat(ctx context.Context) {
	for ctx.Err() == nil {
		_ = tab.conn.Write(ctx, wire.BeatFrame(nil))
		select {
		case <-time.After(wire.BeatEvery):
		case <-ctx.Done():
		}
	}
}

func (tab *watcher) close() { tab.cancel(); <-tab.served }

func (tab *watcher) ask(ctx context.Context, r wire.Request) {
	tab.mu.Lock()
	tab.stream++
	id, version := tab.stream, tab.version
	tab.mu.Unlock()
	if version > 0 {
		r.SendInitialEvents, r.ResourceVersionMatch, r.ResourceVersion = false, "", strconv.Itoa(version)
	}
	_ = tab.conn.Write(ctx, wire.JSONFrame(wire.KindOpen, id, r))
}

func (tab *watcher) read(ctx context.Context, r wire.Request) {
	for {
		msg, err := tab.conn.Read(ctx)
		if err != nil {
			return
		}
		tab.mu.Lock()
		stuck := tab.stuck
		tab.mu.Unlock()
		select {
		case <-stuck:
		case <-ctx.Done():
		}
		f, err := wire.ParseFrame(msg)
		if err != nil {
			continue // the welcome
		}
		switch f.Kind {
		case wire.KindData:
			_, events, err := f.Data(nil)
			if err != nil {
				tab.t.Error(err)
			}
			for _, e := range events {
				tab.take(e)
			}
			_ = tab.conn.Write(ctx, wire.CreditFrame(f.Stream, len(f.Body)+3))
		case wire.KindEnd:
			tab.mu.Lock()
			tab.ends = append(tab.ends, string(f.Body))
			tab.mu.Unlock()
			time.Sleep(time.Millisecond) // in the bubble
			tab.ask(ctx, r)
		}
	}
}

func (tab *watcher) take(e wire.Event) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch e.Type {
	case wire.Added:
		tab.initial++
	case wire.Bookmark:
		text, end, err := object.ReadBookmark(e.Payload)
		if tab.version, _ = strconv.Atoi(text); err != nil || end && tab.initial != initialObjects {
			tab.t.Errorf("a bookmark after %d objects (%v)", tab.initial, err)
		}
	case wire.Modified:
		id, err := object.ReadIdentity(e.Payload)
		if err != nil || id.Version != strconv.Itoa(tab.version+1) || tab.initial != initialObjects {
			tab.t.Errorf("version %s came after %d (%v)", id.Version, tab.version, err)
		}
		tab.version++
	case wire.Deleted:
		id, err := object.ReadIdentity(e.Payload)
		if tab.version, _ = strconv.Atoi(id.Version); err != nil {
			tab.t.Error(err)
		}
		tab.deleted = append(tab.deleted, id.Name)
	case wire.Error:
		tab.version++ // as watched counts
	}
}

func (tab *watcher) has() int {
	time.Sleep(2 * wire.BatchLinger)
	synctest.Wait()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return tab.version
}

func (tab *watcher) ended() string {
	synctest.Wait()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return strings.Join(tab.ends, " ")
}

// together are tabs of one user in a process.
func together() Options {
	return Options{Sharing: NewSharing(), Limiter: NewLimiter(), Upstream: Upstream{As: "ada"}}
}

// meet lets tabs get together: that takes an event or two, after the watch that they share has opened.
func (w *watched) meet() {
	for range 20 {
		w.write(1)
		time.Sleep(100 * time.Millisecond)
	}
}

// TestSharing shows that tabs that watch the same share one watch, from the first change on, and that
// it ends with the last of them.
func TestSharing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newWatched(t), together()
		tabs := []*watcher{watch(t, w, o, sharedRequest()), watch(t, w, o, sharedRequest()), watch(t, w, o, sharedRequest())}
		if time.Sleep(time.Minute); w.open() != len(tabs) {
			t.Fatalf("%d watches for %d tabs, before anything has happened", w.open(), len(tabs))
		}
		w.meet()
		if n := w.open(); n != 1 {
			t.Fatalf("%d watches for %d tabs", n, len(tabs))
		}
		tabs = append(tabs, watch(t, w, o, sharedRequest()))
		if w.meet(); w.open() != 1 {
			t.Fatalf("%d watches, when one more has come", w.open())
		}
		for _, tab := range tabs {
			if tab.has() != w.head() || tab.ended() != "" {
				t.Fatalf("a tab has version %d of %d, and its watches ended with %q", tab.has(), w.head(), tab.ended())
			}
		}
		for _, tab := range tabs[:3] {
			tab.close()
		}
		if w.write(1); tabs[3].has() != w.head() || w.open() != 1 {
			t.Fatalf("the last tab has version %d of %d from %d watches", tabs[3].has(), w.head(), w.open())
		}
		tabs[3].close()
		if w.open() != 0 || len(o.Sharing.all)+len(o.Sharing.usage) != 0 {
			t.Fatalf("%d watches and %d entries are left of nobody", w.open(), len(o.Sharing.all)+len(o.Sharing.usage))
		}
	})
}

// TestSharingApart shows who shares nothing: whoever is somebody else, or asks for something else.
func TestSharingApart(t *testing.T) {
	as := func(who any) func(*Options, *wire.Request) {
		return func(o *Options, _ *wire.Request) { o.Upstream.As = who }
	}
	for name, differs := range map[string]func(*Options, *wire.Request){
		"another user":      as("grace"),
		"nobody in general": as(nil),
		"no sharing":        func(o *Options, _ *wire.Request) { o.Sharing = nil },
		"another sharing":   func(o *Options, _ *wire.Request) { o.Sharing = NewSharing() },
		"a namespace":       func(_ *Options, r *wire.Request) { r.Namespace = "a" },
		"another kind":      func(_ *Options, r *wire.Request) { r.Resource = "services" },
		"another group":     func(_ *Options, r *wire.Request) { r.Group = "apps" },
		"another version":   func(_ *Options, r *wire.Request) { r.Version = "v2" },
		"labels":            func(_ *Options, r *wire.Request) { r.LabelSelector = "a=b" },
		"fields":            func(_ *Options, r *wire.Request) { r.FieldSelector = "spec.nodeName=n" },
		"metadata only":     func(_ *Options, r *wire.Request) { r.Encoding = wire.EncodingMetadata },
		"no bookmarks":      func(_ *Options, r *wire.Request) { r.AllowWatchBookmarks = false },
		"a short watch":     func(_ *Options, r *wire.Request) { r.TimeoutSeconds = int64(wire.ShortWatch / time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, o, r := newWatched(t), together(), sharedRequest()
				one := watch(t, w, o, r)
				differs(&o, &r)
				other := watch(t, w, o, r)
				w.meet()
				w.meet()
				if w.open() != 2 || one.has() != w.head() || other.has() != w.head() {
					t.Fatalf("%d watches; the tabs have %d and %d of %d", w.open(), one.has(), other.has(), w.head())
				}
			})
		})
	}
}

// TestSharingSlow shows that a tab that does not read holds up no other, and loses nothing when it reads
// again.
func TestSharingSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newWatched(t), together()
		slow, quick := watch(t, w, o, sharedRequest()), watch(t, w, o, sharedRequest())
		w.meet()
		slow.reads(false)
		for range 300 {
			w.write(20 << 10)
			time.Sleep(10 * time.Millisecond)
		}
		if quick.has() != w.head() {
			t.Fatalf("the tab that reads has %d of %d", quick.has(), w.head())
		}
		slow.reads(true)
		time.Sleep(time.Second)
		if slow.has() != w.head() || slow.ended() != "{}" {
			t.Fatalf("the slow tab has %d of %d, and its watches ended with %q", slow.has(), w.head(), slow.ended())
		}
		time.Sleep(sharedEvery)
		if w.meet(); w.open() != 1 {
			t.Fatalf("%d watches, when it has caught up", w.open())
		}
	})
}

// TestSharingLarge shows that an object that is too large to be shared reaches everybody, and that nothing
// is shared for a while then, so that tabs are not sent away again and again.
func TestSharingLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newWatched(t), together()
		tabs := []*watcher{watch(t, w, o, sharedRequest()), watch(t, w, o, sharedRequest())}
		w.meet()
		for range 20 {
			w.write(sharedLargest)
			time.Sleep(sharedEvery + time.Second)
			w.meet()
		}
		for _, tab := range tabs {
			if tab.has() != w.head() || tab.ended() != "{}" {
				t.Fatalf("a tab has %d of %d, and its watches ended with %q", tab.has(), w.head(), tab.ended())
			}
		}
		if w.open() != 2 {
			t.Fatalf("%d watches meanwhile", w.open())
		}
		time.Sleep(sharedRest)
		w.meet()
		if w.meet(); w.open() != 1 {
			t.Fatalf("%d watches later", w.open())
		}
	})
}

// TestSharingLease lets objects expire while tabs change to the shared watch. All deletions of a lease
// have the same version, and each has to reach every tab.
func TestSharingLease(t *testing.T) {
	for before := range 4 {
		synctest.Test(t, func(t *testing.T) {
			w, o := newWatched(t), together()
			tabs := []*watcher{watch(t, w, o, sharedRequest()), watch(t, w, o, sharedRequest()), watch(t, w, o, sharedRequest())}
			time.Sleep(100 * time.Millisecond)
			for range before {
				w.write(1)
				time.Sleep(100 * time.Millisecond)
			}
			var want []string
			for i := range 30 {
				names := []string{fmt.Sprint("a-", i), fmt.Sprint("b-", i), fmt.Sprint("c-", i)}
				w.expire(names...)
				want = append(want, names...)
				time.Sleep(100 * time.Millisecond)
			}
			for _, tab := range tabs {
				if tab.has(); !slices.Equal(tab.deleted, want) || tab.ended() != "" {
					t.Errorf("after %d: deleted %q, want %q", before, tab.deleted, want)
				}
			}
			if w.open() != 1 {
				t.Errorf("after %d: %d watches", before, w.open())
			}
		})
	}
}

// elsewhere sends shared watches to another server.
type elsewhere struct{ *watched }

func (e elsewhere) through(own *watched) transport {
	return func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("timeoutSeconds") == fmt.Sprint(int(sharedLasts/time.Second)) {
			return e.RoundTrip(r)
		}
		return own.RoundTrip(r)
	}
}

// TestSharingBehind shows that no tab changes to a server that is behind its own, or that has another
// history under the same versions.
func TestSharingBehind(t *testing.T) {
	for name, late := range map[string]time.Duration{"a minute behind": time.Minute, "4 s behind, and seldom anything": 4 * time.Second, "another history": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, o := newWatched(t), together()
				other := elsewhere{newWatched(t)}
				rt, r := other.through(w), sharedRequest()
				r.TimeoutSeconds = 600
				tabs := []*watcher{watch(t, rt, o, r), watch(t, rt, o, r)}
				for range 90 {
					w.write(1)
					if late > 0 {
						time.AfterFunc(late, func() { other.write(1) })
					} else {
						other.write(2)
						other.write(2)
					}
					if time.Sleep(time.Second); late == 4*time.Second {
						time.Sleep(late)
					}
				}
				w.write(1)
				for _, tab := range tabs {
					if tab.has() != w.head() || tab.ended() != "" {
						t.Errorf("a tab has %d of %d: %s", tab.has(), w.head(), tab.ended())
					}
				}
				time.Sleep(late)
				other.mu.Lock()
				defer other.mu.Unlock()
				if other.asked == 0 {
					t.Error("the other server was never asked")
				}
			})
		})
	}
}

// TestSharingMemory shows that what everybody has read is not kept.
func TestSharingMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newWatched(t), together()
		const likenesses = 20
		for i := range likenesses {
			r := sharedRequest()
			r.LabelSelector = fmt.Sprintf("x!=y%d", i)
			watch(t, w, o, r)
			watch(t, w, o, r)
		}
		w.meet()
		for range 100 {
			w.write(20 << 10)
			time.Sleep(20 * time.Millisecond)
		}
		k := o.Sharing.usage[o.Upstream.As]
		if kept := k.bytes.Load(); w.open() != likenesses || kept > likenesses*sharedTail {
			t.Fatalf("%d shared watches keep %d KB", w.open(), kept>>10)
		}
		o.Sharing.mu.Lock()
		all := slices.Collect(maps.Values(o.Sharing.all))
		o.Sharing.mu.Unlock()
		for _, a := range all {
			a.shared.cancel()
		}
		time.Sleep(time.Millisecond)
		if synctest.Wait(); k.bytes.Load() > 0 {
			t.Fatalf("watches that have ended keep %d KB", k.bytes.Load()>>10)
		}
	})
}

// reading returns a reader of a shared watch that is open and has an event.
func reading(t *testing.T, w *sharedWatch) *reader {
	t.Helper()
	r := new(reader)
	if !w.join(r, mark{version: w.base}, w.events[len(w.events)-1].mark, 0) {
		t.Fatal("not joined")
	}
	return r
}

// payloadOf is a pod of a version, with a name of so many bytes.
func payloadOf(t *testing.T, version, bytes int) []byte {
	p := pod(strings.Repeat("p", bytes))
	p.ResourceVersion = strconv.Itoa(version)
	return asProtobuf(t, p)
}

// opened is a shared watch with one event.
func opened(t *testing.T) *sharedWatch {
	w := newShared(new(usage), 1, func() {})
	if err := w.add(wire.Modified, payloadOf(t, 2, 1), 0); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestChanges shows at which event a stream changes to a shared watch that has all of them.
func TestChanges(t *testing.T) {
	bookmark := func(version int) []byte {
		p := &corev1.Pod{TypeMeta: pod("").TypeMeta}
		p.ResourceVersion = strconv.Itoa(version)
		return asProtobuf(t, p)
	}
	for name, c := range map[string]struct {
		unsettled bool
		alone     int   // so many events come while the stream is alone
		versions  []int // of the events; of bookmarks if negative
		at        int   // the index of the event at which it changes; -1: at none
	}{
		"the second event":              {false, 0, []int{3, 4, 5}, 1},
		"the first after a bookmark":    {false, 0, []int{-2, 3}, 1},
		"not at a bookmark":             {false, 0, []int{3, -4, 5}, 2},
		"not within a version":          {false, 0, []int{3, 3, 3, 4}, 3},
		"not before all that was there": {true, 0, []int{3, 4, 5}, -1},
		"not at what it cannot know":    {false, 1, []int{-2, 3, 4, 5}, 3},
		"not when versions go back":     {false, 0, []int{5, 3, 4, 5}, 3},
	} {
		w := newShared(new(usage), 1, func() {})
		for v := 2; v < 6; v++ {
			for range 1 + v%2*2 { // three of each odd version
				if err := w.add(wire.Modified, payloadOf(t, v, 1), 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		m := &member{group: &sharingGroup{shared: w, usage: w.usage}, stream: &stream{session: new(session)}, settled: !c.unsettled}
		at := -1
		for i, version := range c.versions {
			typ, payload := wire.Modified, payloadOf(t, version, 1)
			if version < 0 {
				typ, payload = wire.Bookmark, bookmark(-version)
			}
			if m.group.members.Store(2); i <= c.alone && c.alone > 0 {
				m.group.members.Store(1)
			}
			if m.changes(typ, payload) {
				at = i
				break
			}
		}
		if at != c.at {
			t.Errorf("%s: changed at %d, want %d", name, at, c.at)
		}
		if w.add(wire.Bookmark, bookmark(2), 0) != nil || w.head != 5 {
			t.Errorf("%s: an old bookmark ended the watch", name)
		}
	}
}

// TestSharedStuck shows that many readers that stop reading, each at another event, hold up the others no longer
// than one does.
func TestSharedStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		version := 2
		add := func(bytes int) {
			version++
			if err := w.add(wire.Modified, payloadOf(t, version, bytes), 0); err != nil {
				t.Fatal(err)
			}
		}
		for range 40 {
			r := reading(t, w)
			for range 3 { // it reads something, and stops
				add(10)
				for r.next < w.first+len(w.events) {
					if _, err := r.read(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			add(10)
		}
		begin := time.Now()
		for range 10 {
			add(sharedLargest - 1000)
		}
		if took := time.Since(begin); took > sharedPatience {
			t.Errorf("it took %s", took)
		}
	})
}

// TestSharedSplit shows that a reader that loses its place between two events of one version is told to list:
// if it resumed after that version, it would miss the others. One whose time is over gets them first.
func TestSharedSplit(t *testing.T) {
	group := func(w *sharedWatch) *reader {
		r := reading(t, w)
		for range 5 {
			if err := w.add(wire.Deleted, payloadOf(t, 3, 10), 0); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if e, err := r.read(t.Context(), nil); err != nil || e.version > 3 {
				t.Fatal(e, err)
			}
		}
		if err := w.add(wire.Modified, payloadOf(t, 4, 10), 0); err != nil {
			t.Fatal(err)
		}
		return r
	}
	w := opened(t)
	r := group(w)
	over := make(chan time.Time, 1)
	over <- time.Now() // once, as a timer does
	left := 0
	for {
		e, err := r.read(t.Context(), over)
		if errors.Is(err, io.EOF) {
			break
		}
		if left++; err != nil || e.version != 3 {
			t.Fatal(e, err)
		}
	}
	if left != 4 {
		t.Errorf("%d events after its time, not the rest of the version", left)
	}
	w = opened(t)
	r = group(w)
	for w.first <= r.next {
		w.forgetLocked()
	}
	if _, err := r.read(t.Context(), nil); wire.StatusOf(err) == nil || !wire.StatusOf(err).Expired() {
		t.Errorf("a place lost in the middle of a version: %v", err)
	}
	w = opened(t)
	r = group(w)
	for range 4 {
		if _, err := r.read(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for len(w.events) > 0 {
		w.forgetLocked()
	}
	if _, err := r.read(t.Context(), nil); !errors.Is(err, io.EOF) {
		t.Errorf("a place lost between two versions: %v", err)
	}
}

// TestSharedSteady shows that a reader that is slow all the time does not set the pace.
func TestSharedSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		slow, quick := reading(t, w), reading(t, w)
		got := 0
		var ended time.Time
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for {
				if _, err := quick.read(ctx, nil); err != nil {
					return
				}
				got++
			}
		}()
		go func() {
			for {
				time.Sleep(sharedPatience - 10*time.Millisecond)
				if _, err := slow.read(ctx, nil); err != nil {
					ended = time.Now()
					return
				}
			}
		}()
		begin := time.Now()
		for i := range 3000 { // 100 a second
			if err := w.add(wire.Modified, payloadOf(t, 3+i, 10<<10), 0); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if took := time.Since(begin); got != 3001 || took > 30*time.Second+sharedPatience || ended.IsZero() {
			t.Errorf("the quick one has %d of 3001 after %s; the slow one ended at %v", got, took, ended)
		}
		cancel()
		synctest.Wait()
	})
}

// TestSharedBursts shows that a reader that is slow in every burst, but catches up between them, keeps its
// place.
func TestSharedBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		r := reading(t, w)
		ctx, cancel := context.WithCancel(t.Context())
		const bursts, each = 5, 30 // of 1.5 MB
		got := 0
		go func() {
			for {
				if _, err := r.read(ctx, nil); err != nil {
					return
				}
				if got++; got%each == 2 {
					time.Sleep(sharedPatience * 3 / 4)
				}
			}
		}()
		synctest.Wait()
		for i := range bursts * each {
			if err := w.add(wire.Modified, payloadOf(t, 3+i, 50<<10), 0); err != nil {
				t.Fatal(err)
			}
			if i%each == each-1 {
				time.Sleep(time.Second)
			}
		}
		synctest.Wait()
		if got != 1+bursts*each {
			t.Errorf("it has %d of %d", got, 1+bursts*each)
		}
		cancel()
		synctest.Wait()
	})
}

// TestSharedGroup shows that nobody joins at a version of which some events are no longer kept.
func TestSharedGroup(t *testing.T) {
	w := opened(t)
	for range 3 {
		if err := w.add(wire.Deleted, payloadOf(t, 3, sharedTail/2), 0); err != nil {
			t.Fatal(err)
		}
	}
	if w.join(new(reader), mark{version: 2}, w.events[len(w.events)-1].mark, 0) {
		t.Errorf("joined at the last of version 3, of which %d are kept", len(w.events))
	}
}

// TestSharedOver shows that a reader gets nothing more when its time is over or its right is doubted,
// however much there is.
func TestSharedOver(t *testing.T) {
	w := opened(t)
	over := make(chan time.Time)
	close(over)
	if e, err := reading(t, w).read(t.Context(), over); !errors.Is(err, io.EOF) {
		t.Errorf("%v, %v after its time", e, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errUnconfirmed)
	if e, err := reading(t, w).read(ctx, nil); !errors.Is(err, errUnconfirmed) {
		t.Errorf("%v, %v after its right was doubted", e, err)
	}
}

// TestSharedFull shows that no large object is shared while all shared watches together keep too much.
func TestSharedFull(t *testing.T) {
	w := opened(t)
	w.usage.bytes.Add(sharedMost)
	if err := w.add(wire.Modified, payloadOf(t, 3, sharedTail), 0); !errors.Is(err, errFull) {
		t.Errorf("a large one: %v", err)
	}
	reading(t, w) // it reads nothing
	for i := range 20 {
		if err := w.add(wire.Modified, payloadOf(t, 4+i, 5<<10), 0); err != nil {
			t.Fatal(err)
		}
	}
	if w.bytes > sharedTail {
		t.Errorf("%d bytes are kept for one that reads nothing", w.bytes)
	}
}

// TestSharingEnds shows that every tab is told how the shared watch ended.
func TestSharingEnds(t *testing.T) {
	for name, end := range map[string]struct {
		happens func(w *watched)
		told    string
	}{
		"cut":     {func(w *watched) { w.cut(errors.New("reset")) }, `"reason":"Unreachable"`},
		"over":    {func(w *watched) { w.cut(io.EOF) }, `{}`},
		"expired": {func(w *watched) { w.fail(); w.cut(io.EOF) }, `{}`},
		"restored": {func(w *watched) { // the server writes a version that it has written before
			w.mu.Lock()
			w.sendLocked("MODIFIED", asProtobuf(w.t, pod("p")))
			w.mu.Unlock()
		}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, o := newWatched(t), together()
				tabs := []*watcher{watch(t, w, o, sharedRequest()), watch(t, w, o, sharedRequest())}
				for range 3 {
					w.meet() // beyond the version of pod
				}
				if w.open() != 1 {
					t.Fatalf("%d watches", w.open())
				}
				for _, tab := range tabs {
					tab.cancelAsking()
				}
				end.happens(w)
				time.Sleep(time.Second)
				for _, tab := range tabs {
					if !strings.Contains(tab.ended(), end.told) {
						t.Errorf("a tab was told %q", tab.ended())
					}
				}
			})
		})
	}
}

// cancelAsking makes the tab open no further watch that is served.
func (tab *watcher) cancelAsking() {
	tab.has() // nothing is on its way any more
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.version = 1 << 40
}

// TestSharingRefused shows that tabs keep their own watches while no further one is accepted.
func TestSharingRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newWatched(t), together()
		w.refuses = func(r *http.Request) *http.Response {
			if r.URL.Query().Get("sendInitialEvents") == "true" {
				return nil
			}
			return answer(r, 429, "text/plain", strings.NewReader("too many"))
		}
		tabs := []*watcher{watch(t, w, o, sharedRequest()), watch(t, w, o, sharedRequest())}
		for range 10 {
			w.meet()
		}
		if w.open() != 2 || tabs[0].has() != w.head() || tabs[1].has() != w.head() || tabs[0].ended()+tabs[1].ended() != "" {
			t.Fatalf("%d watches; the tabs have %d and %d of %d", w.open(), tabs[0].has(), tabs[1].has(), w.head())
		}
		if tries := w.asked - len(tabs); tries < 2 || tries > 3 {
			t.Fatalf("%d attempts in 20 s", tries)
		}
	})
}

// TestSharingRightLost shows that a tab whose right is not confirmed loses its place, and no other does.
func TestSharingRightLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newWatched(t), together()
		keeps := watch(t, w, o, sharedRequest())
		loses := watch(t, granting(func(string) bool { return false }, w.RoundTrip), o, sharedRequest())
		w.meet()
		loses.cancelAsking()
		time.Sleep(30 * time.Second)
		if w.write(1); loses.ended() != "{}" || keeps.ended() != "" || keeps.has() != w.head() {
			t.Fatalf("the watches ended with %q and %q", loses.ended(), keeps.ended())
		}
	})
}

// TestSharingForLong shows that tabs that come back from their own timeouts stay together for an hour,
// with rarely more than one watch, and that each keeps to its own timeout.
func TestSharingForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newWatched(t), together()
		const tabs = 12
		var all []*watcher
		for i := range tabs {
			r := sharedRequest()
			r.TimeoutSeconds = 300 + int64(i)*27
			all = append(all, watch(t, w, o, r))
		}
		watches, looks := 0, 0
		for range 3600 {
			w.write(1)
			time.Sleep(time.Second)
			watches, looks = watches+w.open(), looks+1
		}
		if mean := float64(watches) / float64(looks); mean > 2 {
			t.Errorf("%.1f watches on average, of %d tabs", mean, tabs)
		}
		for i, tab := range all {
			if want := 3600 / (300 + i*27); tab.has() != w.head() || len(strings.Fields(tab.ended())) != want {
				t.Errorf("tab %d has %d of %d, and its watches ended %d times, not %d: %s", i, tab.has(), w.head(), len(strings.Fields(tab.ended())), want, tab.ended())
			}
		}
		for range sharedJoins / time.Second { // until just after another has begun
			time.Sleep(time.Second)
			before := o.Sharing.Watches()
			if w.write(1); o.Sharing.Watches() > before {
				break
			}
		}
		begin := time.Now()
		for _, tab := range all {
			tab.close()
		}
		if took := time.Since(begin); took > time.Second || w.open() > 0 {
			t.Errorf("%d watches are open %s after all tabs have left", w.open(), took)
		}
	})
}

// TestSharingAtRandom lets tabs come, go and stop reading, and watches break, at random, and shows
// that no tab misses an event or gets one twice.
func TestSharingAtRandom(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 0))
				w, o := newWatched(t), together()
				var tabs []*watcher
				stuck := make(map[*watcher]bool)
				for range 600 {
					switch n := random.IntN(100); {
					case n < 8 && len(tabs) < 8:
						tabs = append(tabs, watch(t, w, o, sharedRequest()))
					case n < 10 && len(tabs) > 0:
						tabs[len(tabs)-1].close()
						tabs = tabs[:len(tabs)-1]
					case n < 14 && len(tabs) > 0:
						tab := tabs[random.IntN(len(tabs))]
						stuck[tab] = !stuck[tab]
						tab.reads(!stuck[tab])
					case n < 16:
						w.cut([]error{io.EOF, errors.New("reset")}[random.IntN(2)])
					case n < 17:
						w.write(sharedLargest)
					default:
						w.write(1 + random.IntN(60<<10))
					}
					time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
				}
				for tab, is := range stuck {
					if is {
						tab.reads(true)
					}
				}
				time.Sleep(5 * time.Second)
				for i, tab := range tabs {
					if tab.has() != w.head() {
						t.Errorf("tab %d has %d of %d: %s", i, tab.has(), w.head(), tab.ended())
					}
				}
				for _, tab := range tabs {
					tab.close()
				}
				if w.open() != 0 || len(o.Sharing.all)+len(o.Sharing.usage) != 0 {
					t.Errorf("%d watches and %d entries are left of nobody", w.open(), len(o.Sharing.all)+len(o.Sharing.usage))
				}
			})
		})
	}
}
