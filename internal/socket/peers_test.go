package socket

import (
	"fmt"
	"testing"
	"testing/synctest"

	"watchglass/internal/wire"
)

// TestPeers runs what broke the connections of other views of a cluster. Each name begins with the
// issue, as e2e/PEERS.md lists it.
func TestPeers(t *testing.T) {
	t.Run("podman-desktop-9156 it reconnects, however often that fails", testBackoff)
	t.Run("headlamp-3813 sixty watches share one connection", testOneConnection)
}

// testOneConnection opens many watches and reads an event of each.
func testOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		var streams []*Stream
		for i := range 60 {
			s, id := p.opened(c, conn, wire.Request{Verb: wire.Watch, Version: "v1", Resource: fmt.Sprintf("kind%d", i)})
			p.write(conn, data(id, 1, fmt.Sprint(i)))
			streams = append(streams, s)
		}
		for i, s := range streams {
			if b, err := s.Next(t.Context()); err != nil || texts(b) != fmt.Sprint(i) {
				t.Errorf("watch %d: %q %v", i, texts(b), err)
			}
		}
		if len(p.dials) != 1 {
			t.Errorf("%d connections", len(p.dials))
		}
	})
}
