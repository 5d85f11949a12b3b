//go:build !js

package relay

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// fair is a weighted semaphore that is fair between users. Waiting users are served in turn,
// one request each, and a user holds at most a part of the capacity (half, if not said otherwise). So a single request does not
// wait behind another user's hundred, and a user who releases nothing does not stop the others.
//
// A goroutine must not acquire more while it holds some: two of them could deadlock.
type fair struct {
	capacity, each int

	mu    sync.Mutex
	free  int
	users map[string]*share // users who hold something, or wait
	queue []*share          // users who wait, the next first
}

// share is what one user holds, and the requests that wait.
type share struct {
	held    int
	waiting []*ticket
}

// ticket is one waiting request.
type ticket struct {
	amount int
	served chan struct{} // closed when the amount is held
}

// errTooManyWaiting refuses a request because too many of the same user are waiting.
var errTooManyWaiting = errors.New("too many requests are waiting")

func newFair(capacity int) *fair {
	return &fair{capacity: capacity, each: capacity / 2, free: capacity, users: make(map[string]*share)}
}

// acquire waits for an amount, which may be the whole capacity. It returns errTooManyWaiting if crowd
// requests of the same user are already waiting; 0 means no limit.
func (f *fair) acquire(ctx context.Context, user string, amount, crowd int) error {
	f.mu.Lock()
	s := f.users[user]
	if s == nil {
		s = new(share)
		f.users[user] = s
	}
	if crowd > 0 && len(s.waiting) >= crowd {
		f.mu.Unlock()
		return errTooManyWaiting
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

// release returns an amount.
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

// serveLocked serves users in turn. It skips users who would hold more than their part. It stops at
// the first request that needs more than is free: smaller ones that overtook it could keep it
// waiting forever.
func (f *fair) serveLocked() {
	for i := 0; i < len(f.queue); {
		s := f.queue[i]
		t := s.waiting[0]
		switch {
		case s.held > 0 && s.held+t.amount > f.each:
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
