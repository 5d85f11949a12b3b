package hub

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/view"
)

// TestAlone checks that a hub without a proxy connects to nobody, tells of no failed attempts and asks
// for no session, and that it ends.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := New(ctx, Options{})
		ended := make(chan struct{})
		go func() { h.Run(); close(ended) }()
		p := &page{in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}
		disconnect := h.Connect(Connection{Port: p})
		v := &fixture{t: t, hub: h, page: p, disconnect: disconnect}
		v.showList("pods", view.Query{Seq: 1})
		v.wait(5 * time.Minute)
		synctest.Wait()
		link := h.clusters[0].Client.Link()
		if link.Connected || link.Attempts > 0 || link.Err != nil {
			t.Errorf("%+v", link)
		}
		cancel()
		<-ended
	})
}
