package socket

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestDrainSpread shows that the tabs of a stopping proxy reconnect at random times, spread
// over all the time that it gave them, and none later.
func TestDrainSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tabs, within = 200, 8 * time.Second
		back := make(chan time.Time, tabs)
		for range tabs {
			p := newProxy(t)
			p.run()
			p.write(p.accept(wire.Welcome{}), wire.DrainFrame(within))
			go func() {
				<-p.conns
				back <- time.Now()
			}()
		}
		began := time.Now()
		var quarters [4]int
		times := make(map[time.Duration]bool)
		for range tabs {
			after := (<-back).Sub(began)
			if after > within {
				t.Errorf("a tab came back after %v", after)
			}
			quarters[min(int(after*4/within), 3)]++
			times[after.Truncate(time.Millisecond)] = true
		}
		for _, n := range quarters {
			if n < tabs/8 {
				t.Errorf("in the quarters of the time come %v", quarters)
			}
		}
		if len(times) < tabs*9/10 {
			t.Errorf("%d tabs come at %d times", tabs, len(times))
		}
	})
}

// TestDrainResumes shows that what arrived before a tab leaves is read, that its streams then
// end as when a connection breaks, and that it opens new ones on the next.
func TestDrainResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		s, id := p.opened(c, conn, watch)
		p.write(conn, wire.DrainFrame(10*time.Second))
		p.write(conn, wire.DrainFrame(time.Millisecond)) // only the first one counts
		p.write(conn, data(id, 1, "a", "b"))
		next := p.accept(wire.Welcome{})
		if b, err := s.Next(t.Context()); err != nil || texts(b) != "a b" {
			t.Fatal(texts(b), err)
		}
		_, err := s.Next(t.Context())
		if status := wire.StatusOf(err); status == nil || !status.Transient() || status.Origin != wire.FromSocket {
			t.Fatal(err)
		}
		synctest.Wait()
		if l := c.Link(); !l.Connected {
			t.Fatalf("%+v", l)
		}
		p.opened(c, next, watch)
	})
}

// TestDrainElsewhere shows that a tab that finds no other proxy retries at the usual pace,
// also if a proxy turns it away every time.
func TestDrainElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		p.run()
		conn := p.accept(wire.Welcome{})
		p.fails(errors.New("refused"))
		p.write(conn, wire.DrainFrame(time.Second))
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n := len(p.dials); n < 9 || n > 18 {
			t.Fatalf("%d attempts in half a minute", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		p.run()
		for began := time.Now(); time.Since(began) < 10*time.Second; {
			p.write(p.accept(wire.Welcome{}), wire.DrainFrame(0))
		}
		if n := len(p.dials); n > 10*8 {
			t.Fatalf("%d connections in ten seconds", n)
		}
	})
}

// TestDrainEnds shows that nothing is left of a tab that ends before it leaves.
func TestDrainEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := New(Options{Dial: p.dial})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx) }()
		p.write(p.accept(wire.Welcome{}), wire.DrainFrame(time.Hour))
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}
