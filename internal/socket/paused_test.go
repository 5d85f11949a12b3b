package socket

import (
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestPaused checks that a stream is paused if the last frame names it, and not any more if the next does not.
func TestPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		var streams []*Stream
		var ids []uint32
		for range 2 {
			opened := make(chan *Stream)
			go func() {
				s, err := c.Open(t.Context(), watch)
				if err != nil {
					t.Error(err)
				}
				opened <- s
			}()
			id := p.next(conn).Stream
			p.write(conn, wire.JSONFrame(wire.KindOpened, id, wire.Opened{}))
			streams, ids = append(streams, <-opened), append(ids, id)
		}
		for _, named := range [][]bool{{false, true}, {true, true}, {true, false}, {false, false}} {
			paused := []wire.Age{{Stream: 300, Age: time.Second}} // which was closed
			for i, id := range ids {
				if named[i] {
					paused = append(paused, wire.Age{Stream: id, Age: 7 * time.Second})
				}
			}
			p.write(conn, wire.PausedFrame(paused))
			synctest.Wait()
			for i, s := range streams {
				if s.Paused() != named[i] {
					t.Errorf("%v: stream %d is paused: %t", named, i, s.Paused())
				}
			}
		}
	})
}
