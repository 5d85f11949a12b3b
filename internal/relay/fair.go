//go:build !js

package relay

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// fair is a weighted semaphore that is fair between users: whoever waits is served in
// turn, one request of each user after the other, and one user holds at most half of the
// capacity. Somebody who asks once does not wait behind somebody who asked a hundred
// times, and a user who gives nothing back does not stop the others.
//
// Nobody may acquire more while holding some: two who did could wait for each other.
type fair struct {
	capacity int

	mu    sync.Mutex
	free  int
	users map[string]*share // who hold something, or wait
	queue []*share          // who wait, the next first
}

// share is what one user holds and waits for.
type share struct {
	held    int
	waiting []*ticket
}

// ticket is one request that waits.
type ticket struct {
	amount int
	served chan struct{} // closed once the amount is held
}

// errCrowded refuses a request behind too many of the same user.
var errCrowded = errors.New("too many requests are waiting")

func newFair(capacity int) *fair {
	return &fair{capacity: capacity, free: capacity, users: make(map[string]*share)}
}

// acquire waits for an amount, which may be the whole capacity. It refuses to wait behind
// so many requests of the same user; 0 is any number.
func (f *fair) acquire(ctx context.Context, user string, amount, crowd int) error {
	f.mu.Lock()
	s := f.users[user]
	if s == nil {
		s = new(share)
		f.users[user] = s
	}
	if crowd > 0 && len(s.waiting) >= crowd {
		f.mu.Unlock()
		return errCrowded
	}
	t := &ticket{amount: amount, served: make(chan struct{})}
	if s.waiting = append(s.waiting, t); len(s.waiting) == 1 {
		f.queue = append(f.queue, s)
	}
	f.serveLocked()
	f.mu.Unlock()
	select {
	case <-t.served:
		return nil
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if at := slices.Index(s.waiting, t); at < 0 {
		f.releaseLocked(user, amount)
	} else {
		if s.waiting = slices.Delete(s.waiting, at, at+1); len(s.waiting) == 0 {
			f.queue = slices.DeleteFunc(f.queue, func(q *share) bool { return q == s })
		}
		f.releaseLocked(user, 0)
	}
	return context.Cause(ctx)
}

// release gives an amount back.
func (f *fair) release(user string, amount int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.releaseLocked(user, amount)
}

func (f *fair) releaseLocked(user string, amount int) {
	s := f.users[user]
	s.held -= amount
	f.free += amount
	if s.held == 0 && len(s.waiting) == 0 {
		delete(f.users, user)
	}
	f.serveLocked()
}

// serveLocked serves users in turn. It passes by those who would hold more than their
// half, and stops at the first for whom not enough is free: smaller requests that
// overtook a large one could keep it waiting forever.
func (f *fair) serveLocked() {
	for i := 0; i < len(f.queue); {
		s := f.queue[i]
		t := s.waiting[0]
		switch {
		case s.held > 0 && s.held+t.amount > f.capacity/2:
			i++
			continue
		case t.amount > f.free:
			return
		}
		f.queue = slices.Delete(f.queue, i, i+1)
		if s.waiting = slices.Delete(s.waiting, 0, 1); len(s.waiting) > 0 {
			f.queue = append(f.queue, s)
		}
		s.held += t.amount
		f.free -= t.amount
		close(t.served)
	}
}
