//go:build !js

package relay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// admitAll waits for so many requests, and returns when the last one was let pass.
func admitAll(t *testing.T, s *Limiter, host, user string, n int) (last time.Duration) {
	var mu sync.Mutex
	var all sync.WaitGroup
	began := time.Now()
	for range n {
		all.Go(func() {
			mine, err := s.wait(t.Context(), host, user, podsWatch)
			if err != nil {
				t.Error(err)
			}
			mine.end(true)
			mu.Lock()
			defer mu.Unlock()
			last = max(last, time.Since(began))
		})
	}
	all.Wait()
	return last
}

// TestLimiter checks the pace: a page that opens does not wait, and a herd takes its time.
func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewLimiter()
		if took := admitAll(t, s, "a", "ana", 100); took != 0 {
			t.Errorf("a page waits for %v", took)
		}
		time.Sleep(time.Minute)
		if took := admitAll(t, s, "a", "ana", 2000); took < 6*time.Second || took > 7*time.Second {
			t.Errorf("2,000 watches take %v", took)
		}
		if took := admitAll(t, s, "b", "ana", 1); took != 0 {
			t.Errorf("another apiserver waits for %v", took)
		}
		time.Sleep(time.Second)
		if took := admitAll(t, s, "a", "ana", limitRate/2); took != 0 {
			t.Errorf("%v, a second later", took)
		}
	})
}

// TestLimiterFair checks that a user with many requests delays nobody else by more than one request.
func TestLimiterFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewLimiter()
		var all sync.WaitGroup
		all.Go(func() { admitAll(t, s, "a", "mallory", 5000) })
		synctest.Wait()
		for i := range 5 {
			if took := admitAll(t, s, "a", fmt.Sprint("user", i), 1); took > 2*limitEvery {
				t.Errorf("another user waits for %v", took)
			}
		}
		if took := admitAll(t, s, "a", "bob", 10); took > 21*limitEvery {
			t.Errorf("a user with ten requests waits for %v", took)
		}
		all.Wait()
	})
}

// TestLimiterUnanswered checks that few requests are sent while none is answered, and that a single
// answer lets the others go on at their pace.
func TestLimiterUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, answers := NewLimiter(), make(chan bool)
		var mu sync.Mutex
		sent := 0
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				mine, err := s.wait(t.Context(), "a", fmt.Sprint(i%7), podsWatch)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				sent++
				mu.Unlock()
				mine.end(<-answers)
			})
		}
		check := func(want int) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if sent != want {
				t.Errorf("%d were sent, want %d", sent, want)
			}
		}
		check(limitBurst)
		time.Sleep(slowAnswer / 4)
		check(limitBurst)
		answers <- false
		time.Sleep(slowAnswer / 4)
		check(limitBurst + 1)
		answers <- true
		check(limitBurst + 1)
		time.Sleep(limitEvery)
		check(limitBurst + 2)
		time.Sleep(time.Second)
		check(2*limitBurst + 1)
		answers <- false // the oldest waits for it, which counts no more
		time.Sleep(admissionLasts / 2)
		check(2*limitBurst + 1)
		time.Sleep(admissionLasts) // nothing is answered for so long
		synctest.Wait()
		mu.Lock()
		if more := sent - (2*limitBurst + 1); more < leastRate || more > limitBurst {
			t.Errorf("%d more were sent", more)
		}
		mu.Unlock()
		close(answers)
		all.Wait()
	})
}

// TestLimiterLeft checks that the request of a tab that leaves is not let pass, and that nothing is kept of it.
func TestLimiterLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewLimiter()
		admitAll(t, s, "a", "ana", limitBurst)
		gone := errors.New("the tab has left")
		ctx, cancel := context.WithCancelCause(t.Context())
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() {
				if _, err := s.wait(ctx, "a", "mallory", podsWatch); !errors.Is(err, gone) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		cancel(gone)
		all.Wait()
		if took := admitAll(t, s, "a", "ana", 1); took > limitEvery {
			t.Errorf("it waits for %v behind those who left", took)
		}
		if g := s.servers["a"]; len(g.users)+len(g.queue) != 0 || g.serving {
			t.Errorf("%d users, %d in the queue, serving: %t", len(g.users), len(g.queue), g.serving)
		}
	})
}

// TestLimited checks that only what a herd asks for waits.
func TestLimited(t *testing.T) {
	list := func(o wire.ListOptions) wire.Request {
		return wire.Request{Verb: wire.List, Version: "v1", Resource: "pods", ListOptions: o}
	}
	metadata := list(wire.ListOptions{ResourceVersion: "5", ResourceVersionMatch: "Exact"})
	metadata.Encoding = wire.EncodingMetadata
	for name, c := range map[string]struct {
		request wire.Request
		want    bool
	}{
		"a watch":      {podsWatch, true},
		"a watch-list": {wire.InitialWatch("", "v1", "pods", ""), true},
		"a list":       {list(wire.ListOptions{Limit: 500}), true},
		"a probe":      {list(wire.ListOptions{Limit: 1}), false},
		"an audit":     {metadata, false},
		"an object":    {wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}, false},
		"a log":        {logOf(wire.LogOptions{}), false},
		"a review":     {wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"}, false},
	} {
		if got := limited(c.request); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestLimiterSlow checks that an apiserver that opens 40 watches a second opens all of a herd in little
// more than the time that it takes, though it also opens those that nobody waits for any more. At a fixed
// rate, of which it does a tenth, this took 22 minutes.
func TestLimiterSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const watches, each = 2000, time.Second / 40
		s, queue, began := NewLimiter(), make(chan chan bool, 1<<20), time.Now()
		go func() {
			for answer := range queue {
				time.Sleep(each)
				answer <- true
			}
		}()
		sent := 0
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range watches {
			all.Go(func() {
				for open := false; !open; {
					mine, err := s.wait(t.Context(), "a", fmt.Sprint(i/10), podsWatch)
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					sent++
					mu.Unlock()
					answer := make(chan bool, 1)
					queue <- answer
					select {
					case open = <-answer:
					case <-time.After(watchAnswersWithin):
					}
					if mine.end(open); !open {
						time.Sleep(time.Second + rand.N(3*time.Second))
					}
				}
			})
		}
		all.Wait()
		close(queue)
		took := time.Since(began)
		t.Logf("%d watches of %d are open after %v", sent, watches, took)
		if took > 2*watches*each {
			t.Errorf("%d watches, of which %d were sent, took %v", watches, sent, took)
		}
	})
}
