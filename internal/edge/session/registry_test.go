//go:build !js

package session

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlow checks that all connections of a user together get few refusals a second.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, began := NewRegistry(Limits{Lists: 2}), time.Now()
		var all sync.WaitGroup
		for i := range 10 {
			_, c, err := o.Enter(t.Context(), Session{ID: fmt.Sprint(i), User: "ana"})
			if err != nil {
				t.Fatal(err)
			}
			defer o.Leave(c)
			all.Go(func() {
				for range (refusalBurst + 10*refusalRate) / 10 {
					c.Slow(t.Context())
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("%d refusals took %v", refusalBurst+10*refusalRate, took)
		}
	})
}

// TestRegistry checks that limits are per user, and how connections end.
func TestRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewRegistry(Limits{Connections: 2, Lists: 2})
		enter := func(user, id string) (context.Context, *Connection, error) {
			ctx, c, err := o.Enter(t.Context(), Session{ID: id, User: user, Expires: time.Now().Add(time.Minute)})
			if err == nil {
				if err = o.Prove(c); err != nil {
					o.Leave(c)
				}
			}
			return ctx, c, err
		}
		first, a, err := enter("ana", "1")
		if err != nil {
			t.Fatal(err)
		}
		second, b, err := enter("ana", "2")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := enter("ana", "3"); err == nil || !strings.Contains(err.Error(), "close other tabs") {
			t.Errorf("a third: %v", err)
		}
		_, c, err := enter("bob", "4")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for a.MayList() || b.MayList() { // they share what they may
			n++
		}
		if n != 21 || !c.MayList() {
			t.Errorf("%d lists at once", n)
		}
		for n = 0; a.MayReview() || b.MayReview(); n++ {
		}
		if n != 41 || !c.MayReview() {
			t.Errorf("%d reviews at once", n)
		}
		time.Sleep(time.Second)
		for n = 0; a.MayList(); {
			n++
		}
		if n != 2 {
			t.Errorf("%d lists a second", n)
		}
		o.End(Session{ID: "1"}, time.Now().Add(time.Minute), SignedOut)
		if _, _, err := enter("ana", "1"); err != error(SignedOut) {
			t.Errorf("who signed out comes back: %v", err)
		}
		if <-first.Done(); context.Cause(first) != error(SignedOut) {
			t.Error(context.Cause(first))
		}
		if second.Err() != nil {
			t.Error("another session ended with it")
		}
		time.Sleep(time.Minute)
		if <-second.Done(); context.Cause(second) != error(Over) {
			t.Error(context.Cause(second))
		}
		o.Leave(a)
		o.Leave(b)
		o.Leave(c)
		time.Sleep(burstSeconds*time.Second + 1)
		_, last, err := enter("zoe", "6")
		if err != nil || len(o.users) != 1 || len(o.ended) != 0 {
			t.Errorf("%d users and %d sessions are kept, %v", len(o.users), len(o.ended), err)
		}
		o.Leave(last)
	})
}

// TestUnproven checks that unproven connections, which a copied cookie can open, do not count
// against the user's limit, and have a limit of their own.
func TestUnproven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewRegistry(Limits{Connections: 2})
		enter := func(id string) (context.Context, *Connection) {
			time.Sleep(time.Millisecond)
			ctx, c, err := o.Enter(t.Context(), Session{ID: id, User: "ana"})
			if err != nil {
				t.Fatal(err)
			}
			return ctx, c
		}
		first, c := enter("1")
		for range maxUnproven - 1 {
			enter("1")
		}
		other, _ := enter("2")
		if first.Err() != nil {
			t.Error("one ended too soon")
		}
		second, mine := enter("1")
		if context.Cause(first) != error(Unproven) || other.Err() != nil || len(o.users["ana"].connections) != maxUnproven+1 {
			t.Errorf("the oldest ended: %v; another session's: %v", context.Cause(first), context.Cause(other))
		}
		if err := o.Prove(c); err != error(Unproven) {
			t.Errorf("one that ended is proven: %v", err)
		}
		o.Leave(c)
		if err := o.Prove(mine); err != nil {
			t.Errorf("the user is kept out: %v", err)
		}
		for range maxUnproven + 1 {
			enter("1")
		}
		if second.Err() != nil {
			t.Error("one that is proven ended")
		}
	})
}
