package socket

import (
	"slices"
	"testing"
	"testing/synctest"

	"watchglass/internal/wire"
)

// TestQueued checks that a request that waits in the proxy reports its place whenever it hears one, and nothing once it is
// accepted.
func TestQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		var heard []int
		opened := make(chan *Stream)
		go func() {
			s, err := c.Open(wire.OnQueued(t.Context(), func(ahead int) { heard = append(heard, ahead) }), watch)
			if err != nil {
				t.Error(err)
			}
			opened <- s
		}()
		id := p.next(conn).Stream
		for _, ahead := range []int{40, 40, 3, 0} {
			p.write(conn, wire.QueuedFrame([]wire.QueuePosition{{Stream: id, Ahead: ahead}, {Stream: id + 100, Ahead: 7}}))
			synctest.Wait()
		}
		p.write(conn, wire.JSONFrame(wire.KindOpened, id, wire.Opened{}))
		s := <-opened
		p.write(conn, wire.QueuedFrame([]wire.QueuePosition{{Stream: id, Ahead: 9}}))
		p.write(conn, data(id, 1, "a"))
		if b, err := s.Next(t.Context()); err != nil || texts(b) != "a" {
			t.Error(texts(b), err)
		}
		if !slices.Equal(heard, []int{40, 40, 3, 0}) {
			t.Errorf("it heard of %v", heard)
		}
	})
}
