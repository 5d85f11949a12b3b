//go:build !js

package relay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// asking makes users acquire amounts one after the other, and records who is served.
type asking struct {
	t      *testing.T
	f      *fair
	mu     sync.Mutex
	served []string
}

// ask acquires an amount, and returns when it is served or waiting.
func (a *asking) ask(user string, amount int) {
	go func() {
		if a.f.acquire(a.t.Context(), user, amount, 0) == nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.served = append(a.served, user)
		}
	}()
	synctest.Wait()
}

func (a *asking) give(user string, amount int) {
	a.f.release(user, amount)
	synctest.Wait()
}

// idle fails the test if a user holds something or is still known.
func (f *fair) idle(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.free != f.capacity || len(f.users) > 0 || len(f.queue) > 0 {
		t.Errorf("%d of %d are free, %d users are known, %d wait", f.free, f.capacity, len(f.users), len(f.queue))
	}
}

// TestFairTurns shows that users are served in turn, however many requests each has.
func TestFairTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asking{t: t, f: newFair(1)}
		for range 50 {
			a.ask("mallory", 1)
		}
		a.ask("ana", 1)
		a.ask("bob", 1)
		a.ask("bob", 1)
		for at := range 53 {
			if len(a.served) != at+1 {
				t.Fatal(a.served)
			}
			a.give(a.served[at], 1)
		}
		if first := a.served[:6]; !slices.Equal(first, []string{"mallory", "mallory", "ana", "bob", "mallory", "bob"}) {
			t.Errorf("served are %v", first)
		}
		a.f.idle(t)
	})
}

// TestFairHalf shows that one user holds at most half, and that others do not wait for it.
func TestFairHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asking{t: t, f: newFair(10)}
		for range 3 {
			a.ask("mallory", 2)
		}
		if a.f.free != 6 {
			t.Fatalf("%d of 10 are free", a.f.free)
		}
		a.ask("ana", 6)
		if !slices.Equal(a.served, []string{"mallory", "mallory", "ana"}) {
			t.Fatal(a.served)
		}
		a.give("mallory", 2)
		if len(a.served) != 4 {
			t.Fatal(a.served)
		}
		a.give("mallory", 4)
		a.give("ana", 6)
		a.ask("ana", 10) // all there is
		a.give("ana", 10)
		a.f.idle(t)
	})
}

// TestFairLarge shows that small requests do not overtake a large one.
func TestFairLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asking{t: t, f: newFair(10)}
		a.ask("ana", 4)
		a.ask("carol", 8)
		for range 5 {
			a.ask("dan", 1)
		}
		if len(a.served) != 1 {
			t.Fatal(a.served)
		}
		a.give("ana", 4)
		if slices.Sort(a.served); !slices.Equal(a.served, []string{"ana", "carol", "dan", "dan"}) { // at once
			t.Error(a.served)
		}
	})
}

// TestFairCancelled shows that a cancelled request leaves nothing behind and delays nobody.
func TestFairCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFair(10)
		if err := f.acquire(t.Context(), "ana", 4, 0); err != nil {
			t.Fatal(err)
		}
		left := errors.New("left")
		ctx, cancel := context.WithCancelCause(t.Context())
		var waiting sync.WaitGroup
		for _, user := range []string{"ana", "bob", "bob", "carol"} {
			waiting.Go(func() {
				if err := f.acquire(ctx, user, 7, 0); !errors.Is(err, left) {
					t.Errorf("%s: %v", user, err)
				}
			})
		}
		synctest.Wait()
		waiting.Go(func() {
			if err := f.acquire(t.Context(), "dan", 1, 0); err != nil { // behind them
				t.Error(err)
			}
		})
		synctest.Wait()
		cancel(left)
		waiting.Wait()
		f.release("ana", 4)
		f.release("dan", 1)
		f.idle(t)
	})
}

// TestFairCrowd shows that a request is refused if too many of the same user wait, and that other
// users are not affected.
func TestFairCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asking{t: t, f: newFair(1)}
		for range 3 {
			a.ask("mallory", 1)
		}
		if err := a.f.acquire(t.Context(), "mallory", 1, 2); !errors.Is(err, errTooManyWaiting) {
			t.Error(err)
		}
		a.ask("ana", 1)
		for at := range 4 {
			a.give(a.served[at], 1)
		}
		a.f.idle(t)
	})
}

// TestFairAtRandom has many users acquire, release and leave, all at once.
func TestFairAtRandom(t *testing.T) {
	f := newFair(100)
	var users sync.WaitGroup
	for n := range 40 {
		users.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 1))
			user := fmt.Sprint(n % 7)
			for range 300 {
				ctx, cancel := context.WithCancel(t.Context())
				if random.IntN(4) == 0 {
					go cancel()
				}
				if amount := 1 + random.IntN(60); f.acquire(ctx, user, amount, random.IntN(9)) == nil {
					f.mu.Lock()
					if f.free < 0 {
						t.Error("more is held than there is")
					}
					f.mu.Unlock()
					f.release(user, amount)
				}
				cancel()
			}
		})
	}
	users.Wait()
	f.idle(t)
}
