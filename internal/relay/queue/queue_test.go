//go:build !js

package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var bounds = Bounds{First: 8, Least: 2, Most: 32, Each: 8}

// apiserver serves so many lists at once, each for a time. Others wait in its queue, and are refused after patience.
type apiserver struct {
	seats    chan struct{}
	takes    time.Duration
	patience time.Duration
	deaf     chan struct{} // until it is closed, nothing is answered; nil: it answers

	mu       sync.Mutex
	requests int
}

func newAPIServer(seats int, takes time.Duration) *apiserver {
	return &apiserver{seats: make(chan struct{}, seats), takes: takes, patience: 15 * time.Second}
}

// list requests a list as the relay does, and reports whether it is complete.
func (s *apiserver) list(ctx context.Context, p *Place) bool {
	s.mu.Lock()
	s.requests++
	s.mu.Unlock()
	asked := time.Now()
	if s.deaf != nil {
		select {
		case <-s.deaf:
		case <-time.After(5 * time.Second):
			p.Unanswered()
			return false
		case <-ctx.Done():
			return false
		}
	}
	select {
	case s.seats <- struct{}{}:
		defer func() { <-s.seats }()
	case <-time.After(s.patience):
		p.Answered(time.Since(asked), true)
		return false
	}
	p.Answered(time.Since(asked), false)
	time.Sleep(s.takes)
	return true
}

// retry asks for a list until it is complete.
func (s *apiserver) retry(t *testing.T, q *Queue, user string) {
	for done := false; !done; {
		p, err := q.Join("a", user)
		if err == nil {
			err = p.Wait(t.Context())
		}
		if err != nil {
			t.Error(err)
			return
		}
		done = s.list(t.Context(), p)
		if p.Leave(done); !done {
			time.Sleep(time.Second)
		}
	}
}

// crowd lets so many users ask for three lists each at once, and returns how long it takes until all have them.
func (s *apiserver) crowd(t *testing.T, q *Queue, users int) time.Duration {
	began := time.Now()
	var all sync.WaitGroup
	for i := range users {
		for range 3 {
			all.Go(func() { s.retry(t, q, fmt.Sprint("user", i)) })
		}
	}
	all.Wait()
	return time.Since(began)
}

// empty checks that nothing is kept of those who have left.
func empty(t *testing.T, q *Queue) {
	t.Helper()
	for _, l := range q.lines {
		if l.taken != 0 || len(l.held)+len(l.waiting)+len(l.users) != 0 {
			t.Errorf("%d places are taken; %v, %v, %v", l.taken, l.held, l.waiting, l.users)
		}
	}
}

// TestCrowd checks that 200 users with three lists each get them in little more than the time that the apiserver takes,
// with one request each, whatever it can do at once.
func TestCrowd(t *testing.T) {
	for _, seats := range []int{2, 5, 20, 49} {
		synctest.Test(t, func(t *testing.T) {
			q, s := New(bounds), newAPIServer(seats, 200*time.Millisecond)
			took := s.crowd(t, q, 200)
			best := time.Duration(600/min(seats, bounds.Most)) * s.takes
			t.Logf("%d seats: %v, at best %v, %d requests", seats, took, best, s.requests)
			if took > best*6/5 {
				t.Errorf("%d seats: it took %v, at best %v", seats, took, best)
			}
			if s.requests != 600 {
				t.Errorf("%d seats: %d requests", seats, s.requests)
			}
			empty(t, q)
		})
	}
}

// TestBusy checks that the bound falls while the apiserver is slow to answer, once for all that were in flight, and
// that it rises again.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(bounds)
		all := join(t, q, 100)
		time.Sleep(2 * time.Second)
		for _, p := range all[:8] {
			p.Answered(2*time.Second, false)
		}
		if l := q.lines["a"]; l.limit != 4 || !q.Busy("a") || q.Busy("b") {
			t.Errorf("the bound is %v, busy: %t", l.limit, q.Busy("a"))
		}
		for _, p := range all[:8] { // they say nothing of the lower bound
			p.Leave(true)
		}
		if l := q.lines["a"]; l.limit != 4 || l.taken != 4 {
			t.Errorf("the bound is %v, and %d are taken", l.limit, l.taken)
		}
		for _, p := range all[8:] {
			time.Sleep(time.Millisecond)
			if err := p.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.Answered(time.Millisecond, false)
			p.Leave(true)
		}
		if l := q.lines["a"]; l.limit < 12 || l.limit > 16 {
			t.Errorf("the bound is %v after 92 lists", l.limit)
		}
		time.Sleep(busyFor)
		if q.Busy("a") {
			t.Error("it is still busy")
		}
		empty(t, q)
	})
}

// join lets as many users join the queue.
func join(t *testing.T, q *Queue, users int) (all []*Place) {
	t.Helper()
	for i := range users {
		p, err := q.Join("a", fmt.Sprint("user", i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestFair checks that a user with many lists delays nobody by more than one turn, and that each list is told how
// many have their turn before it.
func TestFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Bounds{First: 1, Least: 1, Most: 1, Each: 1})
		var order []string
		var all sync.WaitGroup
		queued := map[*Place]int{}
		ask := func(user string, n int) {
			for i := range n {
				p, err := q.Join("a", user)
				if err != nil {
					t.Fatal(err)
				}
				if ahead, waits := p.Ahead(); waits {
					queued[p] = ahead
				}
				all.Go(func() {
					if err := p.Wait(t.Context()); err != nil {
						t.Error(err)
					}
					order = append(order, fmt.Sprint(user, i)) // one at a time
					time.Sleep(time.Second)
					p.Leave(true)
				})
			}
		}
		ask("mallory", 100)
		ask("ana", 2)
		ask("bob", 1)
		synctest.Wait()
		for p := range queued {
			queued[p], _ = p.Ahead()
		}
		began := time.Now()
		for p, ahead := range queued {
			all.Go(func() {
				if err := p.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				if after := time.Since(began); after != time.Duration(ahead+1)*time.Second {
					t.Errorf("it was told that %d are before it, and waited for %v", ahead, after)
				}
			})
		}
		all.Wait()
		if got, want := order[:6], []string{"mallory0", "mallory1", "ana0", "bob0", "mallory2", "ana1"}; !slices.Equal(got, want) {
			t.Errorf("they had their turns as %v", got)
		}
		empty(t, q)
	})
}

// TestEach checks that no user holds more than half of the places, however many are free.
func TestEach(t *testing.T) {
	q := New(bounds)
	served := func(user string) (n int) {
		for range 20 {
			p, err := q.Join("a", user)
			if err != nil {
				t.Fatal(err)
			}
			if _, waits := p.Ahead(); !waits {
				n++
				p.Park(nil) // lists that nobody reads still count
			}
		}
		return n
	}
	for _, user := range []string{"mallory", "eve", "ana", "bob"} {
		if n := served(user); n != 4 {
			t.Errorf("%s has %d lists in flight", user, n)
		}
	}
	for range waitMost - 16 {
		if _, err := q.Join("a", "mallory"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.Join("a", "mallory"); !errors.Is(err, ErrFull) {
		t.Errorf("one too many: %v", err)
	}
	if n, waiting := q.InFlight(), q.Waiting(); n != 16 || waiting != waitMost+3*16 {
		t.Errorf("%d in flight, %d waiting", n, waiting)
	}
}

// TestWaitAll checks that users who have many lists wait together leave room for those who have few.
func TestWaitAll(t *testing.T) {
	q := New(Bounds{First: 1, Least: 1, Most: 1, Each: 1})
	served := join(t, q, 1)[0]
	fill := func(user string) (n int) {
		for {
			if _, err := q.Join("a", user); err != nil {
				return n
			}
			n++
		}
	}
	for i := range waitAll / waitMost {
		if n := fill(fmt.Sprint("mallory", i)); n != waitMost {
			t.Errorf("%d lists of one user wait", n)
		}
	}
	for i := range 3 {
		if n := fill(fmt.Sprint("ana", i)); n != waitFew {
			t.Errorf("%d lists wait of a user who comes late", n)
		}
	}
	if n := q.Waiting(); n != waitAll+3*waitFew {
		t.Errorf("%d wait", n)
	}
	if served.Leave(true); q.Waiting() != waitAll+3*waitFew-1 {
		t.Errorf("%d wait once one is served", q.Waiting())
	}
}

// TestParked checks that lists which wait for their readers keep nobody waiting.
func TestParked(t *testing.T) {
	q := New(Bounds{First: 2, Least: 2, Most: 2, Each: 1})
	all := join(t, q, 4)
	all[0].Park(nil)
	all[0].Park(nil)
	if _, waits := all[2].Ahead(); waits {
		t.Error("a list waits behind one that nobody reads")
	}
	all[0].Unpark()
	all[2].Leave(true)
	if _, waits := all[3].Ahead(); !waits {
		t.Error("a list that is read again does not count")
	}
	all[0].Leave(true)
	if _, waits := all[3].Ahead(); waits {
		t.Error("it waits for nothing")
	}
	all[1].Leave(false)
	all[3].Park(nil)
	all[3].Leave(false)
	all[3].Leave(true)
	all[3].Unpark()
	empty(t, q)
}

// TestCrowded checks that a list knows whether other users wait.
func TestCrowded(t *testing.T) {
	q := New(Bounds{First: 1, Least: 1, Most: 1, Each: 1})
	first := join(t, q, 1)[0]
	again, err := q.Join("a", first.user)
	if err != nil {
		t.Fatal(err)
	}
	if first.Crowded() {
		t.Error("crowded by a list of the same user")
	}
	other := join(t, q, 2)[1]
	if !first.Crowded() {
		t.Error("not crowded, though another user waits")
	}
	again.Leave(false)
	if first.Leave(true); first.Crowded() || other.Crowded() {
		t.Error("crowded, though nobody waits")
	}
}

// TestParkedMost checks that no more lists are parked than may be in flight, that a list of the user who parks most ends
// first, and that one whose reader cannot read yet does not.
func TestParkedMost(t *testing.T) {
	q := New(Bounds{First: 4, Least: 1, Most: 4, Each: 4})
	var ended []string
	park := func(user, name string) (p *Place) {
		p, err := q.Join("a", user)
		if err != nil {
			t.Fatal(err)
		}
		if _, waits := p.Ahead(); waits {
			t.Fatalf("%s waits", name)
		}
		p.Park(func() { ended = append(ended, name); p.Leave(false) })
		return p
	}
	loading, err := q.Join("a", "tom")
	if err != nil {
		t.Fatal(err)
	}
	loading.Park(nil)
	ana := park("ana", "ana's")
	park("mallory", "the first")
	park("mallory", "the second")
	park("eve", "eve's")
	if len(ended) != 0 {
		t.Errorf("%v ended while four were parked", ended)
	}
	park("bob", "bob's")
	park("bob", "bob's second")
	if want := []string{"the first", "bob's"}; !slices.Equal(ended, want) {
		t.Errorf("%v ended, want %v", ended, want)
	}
	ana.Unpark()
	park("tim", "tim's")
	if len(ended) != 2 {
		t.Errorf("%v ended, though one is read again", ended)
	}
	ana.Answered(time.Hour, false) // the apiserver is slow
	park("zoe", "zoe's")
	if want := []string{"the first", "bob's", "the second", "eve's", "bob's second"}; !slices.Equal(ended, want) {
		t.Errorf("%v ended, want %v", ended, want)
	}
}

// TestLeft checks that tabs that leave the queue take no turn, at the very moment of their turn as well, and that nothing
// is kept of them.
func TestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, gone := New(bounds), errors.New("the tab has left")
		first := join(t, q, 8)
		ctx, cancel := context.WithCancelCause(t.Context())
		var all sync.WaitGroup
		for i := range 400 {
			p, err := q.Join("a", fmt.Sprint("mallory", i%3))
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				switch err := p.Wait(ctx); {
				case err == nil:
					p.Leave(false)
				case !errors.Is(err, gone):
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		all.Go(func() { cancel(gone) })
		for _, p := range first {
			all.Go(func() { p.Leave(true) })
		}
		all.Wait()
		empty(t, q)
	})
}

// TestDead checks that an apiserver that answers nothing is asked for few lists, that this leaks no place, and that all
// get theirs soon after it is back.
func TestDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := New(bounds), newAPIServer(10, 20*time.Millisecond)
		s.deaf = make(chan struct{})
		var back time.Time
		time.AfterFunc(time.Minute, func() { back = time.Now(); close(s.deaf) })
		s.crowd(t, q, 200)
		if took, deaf := time.Since(back), s.requests-600; took > 6*time.Second || deaf > 40 {
			t.Errorf("%d requests were not answered, and then it took %v", deaf, took)
		}
		empty(t, q)
	})
}

// TestNone checks that without a Queue nothing waits.
func TestNone(t *testing.T) {
	var q *Queue
	p, err := q.Join("a", "ana")
	if err != nil || p.Wait(t.Context()) != nil || q.Busy("a") {
		t.Error(err)
	}
	_, waits := p.Ahead()
	p.Answered(time.Hour, true)
	p.Unanswered()
	if p.Crowded() {
		t.Error("it is crowded")
	}
	p.Park(nil)
	if p.Leave(true); waits {
		t.Error("it waits")
	}
}
