//go:build !js

package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"watchglass/internal/relay/queue"
	"watchglass/internal/wire"
)

// endOfList is the bookmark that ends the initial events.
const endOfList = `{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"

// slowly is an apiserver that answers so many requests at once, each after a time, and refuses those that have waited
// for 15 s. Reviews need no seat.
type slowly struct {
	seats chan struct{}
	each  time.Duration

	mu    sync.Mutex
	asked int
}

func (s *slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path, "review") {
		return answer(r, 201, "application/json", strings.NewReader(`{"status":{"allowed":true}}`)), nil
	}
	s.mu.Lock()
	s.asked++
	s.mu.Unlock()
	select {
	case s.seats <- struct{}{}:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(15 * time.Second):
		return answer(r, 429, "application/json", strings.NewReader(`{"kind":"Status","code":429,"reason":"TooManyRequests"}`)), nil
	}
	release := sync.OnceFunc(func() { <-s.seats })
	context.AfterFunc(r.Context(), release)
	initial := io.MultiReader(strings.NewReader(jsonEvents(1)), after(s.each, release), strings.NewReader(endOfList), quiet(r))
	return answer(r, 200, "application/json", initial), nil
}

// after is a reader that is empty after a time.
func after(d time.Duration, then func()) io.Reader { return &late{d, then} }

type late struct {
	time.Duration
	then func()
}

func (l *late) Read([]byte) (int, error) {
	time.Sleep(l.Duration)
	l.then()
	return 0, io.EOF
}

// TestCrowdOfTabs opens the lists of many users at once at a slow apiserver. Each is requested once and becomes complete,
// though the last waits for much longer than an answer may take, and each tab hears how many are before it.
func TestCrowdOfTabs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const users, lists, seats, each = 40, 3, 4, time.Second
		s, shared := &slowly{seats: make(chan struct{}, seats), each: each}, Options{Places: NewPlaces(), Limiter: NewLimiter()}
		began := time.Now()
		var all sync.WaitGroup
		var queued atomic.Int32 // users who were told of a place
		for i := range users {
			o := shared
			o.User = fmt.Sprint("user", i)
			tb := start(t, s.RoundTrip, o)
			all.Go(func() {
				tb.write([]byte(`{"v":1,"large":true,"queue":true}`))
				told := map[uint32]int{}
				for id := range uint32(lists) {
					tb.write(wire.JSONFrame(wire.KindOpen, id+2, wire.InitialWatch("", "v1", "pods", fmt.Sprint(id))))
				}
				for done := 0; done < lists; {
					switch f := tb.beat(); f.Kind {
					case wire.KindBeat:
						tb.write(wire.BeatFrame(nil))
					case wire.KindQueued:
						waiting, err := f.Queued()
						if err != nil {
							t.Error(err)
						}
						for _, q := range waiting {
							if was, ok := told[q.Stream]; ok && q.Ahead > was {
								t.Errorf("stream %d: %d before it, and then %d", q.Stream, was, q.Ahead)
							}
							told[q.Stream] = q.Ahead
						}
					case wire.KindData:
						if strings.Contains(string(f.Body), "initial-events-end") {
							done++
						}
					case wire.KindEnd:
						t.Errorf("it ended: %s", f.Body)
						done++
					}
				}
				if len(told) > 0 {
					queued.Add(1)
				}
			})
		}
		all.Wait()
		if queued.Load() < users-int32(listBounds.Most) {
			t.Errorf("%d of %d users were told of a place", queued.Load(), users)
		}
		best := users * lists / seats * each
		took := time.Since(began)
		t.Logf("%v, at best %v, %d requests", took, best, s.asked)
		if took > best*6/5 || s.asked != users*lists {
			t.Errorf("it took %v, at best %v, with %d requests", took, best, s.asked)
		}
		if p := shared.Places; p.Waiting() != 0 || p.InFlight() != 0 {
			t.Errorf("%v wait, and %v are in flight", p.Waiting(), p.InFlight())
		}
	})
}

// TestOldTabs checks that tabs that do not know of the queue hear nothing of it.
func TestOldTabs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := NewPlaces()
		for range listBounds.First {
			if _, err := places.lists.Join("h", "others"+fmt.Sprint(places.lists.InFlight())); err != nil {
				t.Fatal(err)
			}
		}
		tb := start(t, watching, Options{Places: places})
		tb.write([]byte(hello))
		tb.next()
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		for range 10 {
			if f := tb.beat(); f.Kind != wire.KindBeat {
				t.Fatalf("kind %d", f.Kind)
			}
		}
	})
}

// TestSignIn checks that somebody signs in at once while the queues are full of lists and comparisons that never end: the
// question of who they are, the welcome of their tab, and its first review wait for none of them.
func TestSignIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := NewPlaces()
		for _, q := range []*queue.Queue{places.lists, places.comparisons} {
			for i := range 20 {
				for err := error(nil); !errors.Is(err, queue.ErrFull); {
					_, err = q.Join("h", fmt.Sprint("user", i))
				}
			}
		}
		began, waiting := time.Now(), places.Waiting()
		reviews := func(r *http.Request) (*http.Response, error) {
			return answer(r, 201, "application/json", strings.NewReader(`{"status":{"allowed":true,"userInfo":{"username":"ana"}}}`)), nil
		}
		user, _, err := WhoAmI(t.Context(), Upstream{Base: base(t, "https://h"), Transport: transport(reviews)})
		if err != nil || user != "ana" {
			t.Errorf("who signs in is %q: %v", user, err)
		}
		tb := start(t, reviews, Options{Places: places, User: user})
		tb.write([]byte(hello))
		tb.expect(wire.KindWelcome, 0, "")
		tb.write(wire.JSONFrame(wire.KindOpen, 2, wire.Request{Verb: wire.Review, Resource: "selfsubjectaccessreviews", Access: &wire.Access{Verb: "list", Version: "v1", Resource: "pods"}}))
		tb.expect(wire.KindOpened, 2, "")
		if took := time.Since(began); took > 0 || waiting < 4096 {
			t.Errorf("it took %v, while %v wait", took, waiting)
		}
	})
}

// TestUnreadLists checks that a user who reads nothing has few lists in flight, that these end, and that those of others
// do not wait for them.
func TestUnreadLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := NewPlaces()
		tb, began, ended := readNothing(t, places, "mallory", 100)
		time.Sleep(10 * time.Second)
		if n := places.InFlight(); int(began.Load()) != listBounds.Each || n != float64(listBounds.Each) || ended.Load() != 0 {
			t.Errorf("%v lists are in flight, %d were requested and %d ended", n, began.Load(), ended.Load())
		}
		for i := range listBounds.First {
			p, err := places.lists.Join("h", fmt.Sprint("user", i))
			if err != nil {
				t.Fatal(err)
			}
			if ahead, waits := p.Ahead(); waits {
				t.Errorf("another user's list waits behind %d", ahead)
			}
			p.Leave(true)
		}
		tb.write(wire.BeatFrame(nil))
		time.Sleep(unreadWithin)
		if n := int(ended.Load()); n < listBounds.Each {
			t.Errorf("%d lists have ended after %v", n, unreadWithin+10*time.Second)
		}
		tb.conn.Close()
		<-tb.done
	})
}

// TestUnreadUsers checks that many users who read nothing have no more lists in flight than those who read, and that
// a list of another user soon begins.
func TestUnreadUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := NewPlaces()
		for i := range 6 {
			tb, _, _ := readNothing(t, places, fmt.Sprint("mallory", i), 10)
			defer func() { tb.conn.Close(); <-tb.done }()
		}
		for range 5 {
			time.Sleep(time.Second)
			synctest.Wait()
			if n := places.InFlight(); n > 2*float64(listBounds.First) {
				t.Errorf("%v lists are in flight", n)
			}
		}
		p, err := places.lists.Join("h", "ana")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*parkAfter)
		defer cancel()
		if err := p.Wait(ctx); err != nil {
			t.Errorf("a list of a user who reads waits for theirs: %v", err)
		}
		p.Leave(true)
	})
}

// TestEnder checks that a list does not end because too many wait for their tabs if its own tab has just read.
func TestEnder(t *testing.T) {
	var ended error
	s := &stream{cancel: func(err error) { ended = err }}
	s.blocked.Store(5)
	end := s.ender(5)
	s.blocked.Store(7) // it was read, and waits again
	if end(); ended != nil {
		t.Errorf("it ended: %v", ended)
	}
	s.blocked.Store(5)
	if end(); !errors.Is(ended, errUnread) {
		t.Errorf("it ended with %v", ended)
	}
}

// readNothing returns a tab that opens lists without end and gives no credit, and counters of those that were
// requested and that have ended.
func readNothing(t *testing.T, places *Places, user string, lists uint32) (tb *tab, began, ended *atomic.Int32) {
	pods := string(watchFrames(t, metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: asProtobuf(t, large(64<<10))}}))
	began, ended = new(atomic.Int32), new(atomic.Int32)
	tb = start(t, func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Path, "review") {
			return watching(r)
		}
		began.Add(1)
		return answer(r, 200, "application/vnd.kubernetes.protobuf;stream=watch", repeated(pods)), nil
	}, Options{Places: places, User: user, Observe: func(r Record) {
		if ended.Add(1); r.End != EndUnread && r.End != EndGone {
			t.Errorf("it ended as %s", r.End)
		}
	}})
	tb.write([]byte(hello))
	tb.next()
	for id := range lists {
		tb.write(wire.JSONFrame(wire.KindOpen, id+2, wire.InitialWatch("", "v1", "pods", "")))
	}
	go func() { // it reads all frames, and credits none
		for {
			if _, err := tb.conn.Read(t.Context()); err != nil {
				return
			}
		}
	}()
	return tb, began, ended
}

// repeated is a text without end.
func repeated(text string) io.Reader { return &looping{text: text} }

type looping struct {
	text string
	at   int
}

func (r *looping) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// comparison is a page of a comparison of a store with the server.
var comparison = wire.Request{Verb: wire.List, Version: "v1", Resource: "pods", Encoding: wire.EncodingMetadata, ListOptions: wire.ListOptions{ResourceVersion: "5", ResourceVersionMatch: "Exact", Limit: 500}}

// TestQueueOf checks what needs a place.
func TestQueueOf(t *testing.T) {
	places := NewPlaces()
	list := func(o wire.ListOptions) wire.Request {
		return wire.Request{Verb: wire.List, Version: "v1", Resource: "pods", ListOptions: o}
	}
	resumed := podsWatch
	resumed.ResourceVersion = "7"
	for name, c := range map[string]struct {
		request wire.Request
		want    any
	}{
		"a watch-list":           {wire.InitialWatch("", "v1", "pods", ""), places.lists},
		"a watch without a list": {resumed, nil},
		"a watch from anywhere":  {podsWatch, places.lists},
		"a page":                 {list(wire.ListOptions{Limit: 500, Continue: "x"}), places.lists},
		"a probe":                {list(wire.ListOptions{Limit: 1}), nil},
		"a comparison":           {comparison, places.comparisons},
		"a review":               {wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"}, nil},
		"an object":              {wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}, nil},
		"a log":                  {logOf(wire.LogOptions{}), nil},
	} {
		if got := places.queueOf(c.request); c.want == nil && got != nil || c.want != nil && any(got) != c.want {
			t.Errorf("%s: %p", name, got)
		}
	}
}

// TestReviewPool checks how many reviews are in flight, of all users and of one.
func TestReviewPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places, in := NewPlaces(), map[string]int{}
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		for i := range 10 {
			for range 10 {
				go func() {
					if release, err := places.ask(ctx, "h", fmt.Sprint("user", i)); err == nil {
						mu.Lock()
						in[fmt.Sprint("user", i)]++
						mu.Unlock()
						<-ctx.Done()
						release()
					}
				}()
			}
		}
		synctest.Wait()
		all := 0
		for user, n := range in {
			if all += n; n > askedMost.each {
				t.Errorf("%s has %d", user, n)
			}
		}
		if all != askedMost.most {
			t.Errorf("%d reviews are in flight", all)
		}
		if _, err := places.confirm(ctx, "h", "ana"); err != nil {
			t.Error(err)
		}
		cancel()
	})
}

// TestComparisonBounds checks that the comparisons of all users are two at a time at an apiserver, one of each user: after an
// outage, every source of every tab is due for one. All get their turn.
func TestComparisonBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const users, each = 6, 3
		var mu sync.Mutex
		in, most, done := map[string]int{}, 0, 0
		shared := Options{Places: NewPlaces(), Limiter: NewLimiter()}
		var all sync.WaitGroup
		for i := range users {
			o := shared
			o.User = fmt.Sprint("user", i)
			tb := start(t, func(r *http.Request) (*http.Response, error) {
				mu.Lock()
				in[o.User]++
				if in[o.User] > 1 {
					t.Errorf("%s has %d comparisons in flight", o.User, in[o.User])
				}
				most = max(most, len(in))
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				if in[o.User]--; in[o.User] == 0 {
					delete(in, o.User)
				}
				done++
				return answer(r, 200, "application/json", strings.NewReader(`{"metadata":{"resourceVersion":"5"},"items":[]}`)), nil
			}, o)
			all.Go(func() {
				tb.write([]byte(hello))
				tb.next()
				for id := range uint32(each) {
					tb.write(wire.JSONFrame(wire.KindOpen, id+2, comparison))
				}
				for ended := 0; ended < each; {
					if f := tb.next(); f.Kind == wire.KindEnd {
						ended++
					}
				}
			})
		}
		all.Wait()
		if most != 2 || done != users*each {
			t.Errorf("%d comparisons were in flight at once, and %d have ended", most, done)
		}
	})
}

// TestBusyByThen requests a watch before the apiserver is known to be busy. It waits as long as one that is requested after.
func TestBusyByThen(t *testing.T) {
	for _, busy := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			places := NewPlaces()
			other, err := places.lists.Join("h", "other")
			if err != nil {
				t.Fatal(err)
			}
			slow := func(r *http.Request) (*http.Response, error) {
				select {
				case <-time.After(watchAnswersWithin + time.Second):
					return answer(r, 200, "application/json", quiet(r)), nil
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
			}
			if busy {
				time.AfterFunc(watchAnswersWithin/2, func() { other.Answered(2*time.Second, false) })
			}
			a := asker{Upstream{Base: base(t, "https://h"), Transport: transport(slow)}, places, func(int, time.Time) {}}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://h/api/v1/pods", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := a.roundTrip(wire.InitialWatch("", "v1", "pods", ""), req)
			if open := err == nil; open != busy {
				t.Errorf("busy: %v; open: %v: %v", busy, open, err)
			}
			if err == nil {
				resp.Body.Close()
			}
		})
	}
}
