package hub

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// TestIdentityMismatch checks that a page is not served from a cluster whose proxy session belongs
// to another user, even if another page named the same identity. The browser's session may change
// users between the page's sign-in and the hub's connection.
func TestIdentityMismatch(t *testing.T) {
	ofBob := three()
	ofBob.welcome.User = "bob"
	onPages(t, map[string]*proxy{"": ofBob}, func(t *testing.T, c *pagesFixture) {
		stale := c.connect("", "ana") // bob signs in before the hub has connected
		stale.showList("pods", view.Query{Seq: 1})
		stale.wait(time.Minute)
		ofAna := &proxy{version: 1}
		ofAna.welcome.User = "ana"
		c.proxies[""] = ofAna
		ana := c.connect("", "ana")
		ana.showList("pods", view.Query{Seq: 1})
		if s := ana.now(); s.Proxy == nil || s.Proxy.User != "ana" {
			t.Errorf("a page of ana is served as %+v", s.Proxy)
		}
		if got := ana.page.keys(); got != "" {
			t.Errorf("a page of ana shows %s, which are bob's", got)
		}
	})
}

// TestEarlySocketOfAnother checks that a connection that was opened in another user's session
// is not used: worker.js opens it before anybody has signed in.
func TestEarlySocketOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ofAna, ofBob := three(), &proxy{version: 1}
		ofAna.welcome.User, ofBob.welcome.User = "ana", "bob"
		dialed := []*proxy{ofAna, ofBob}
		ctx, cancel := context.WithCancel(t.Context())
		h := New(ctx, Options{Dial: func(ctx context.Context, _ string) (socket.Connection, error) {
			next := dialed[0]
			dialed = dialed[len(dialed)-1:]
			return next.dial(ctx)
		}})
		ended := make(chan struct{})
		go func() { h.Run(); close(ended) }()
		defer func() { cancel(); <-ended }()
		p := &page{in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}
		v := &fixture{t: t, hub: h, page: p, proxy: ofBob}
		v.disconnect = h.Connect(Connection{Port: p, Identity: "bob"})
		v.showList("pods", view.Query{Seq: 1})
		if s := v.now(); s.Proxy == nil || s.Proxy.User != "bob" {
			t.Errorf("a page of bob is served as %+v", s.Proxy)
		}
		if got := v.page.keys(); got != "" {
			t.Errorf("a page of bob shows %s, which are ana's", got)
		}
	})
}

// TestUserChangedWhileLoading checks that a paused page which is still loading gets no rows of a user who has signed in
// since. A pause begins once the list is complete, and all of it is sent then.
func TestUserChangedWhileLoading(t *testing.T) {
	p := three()
	p.welcome.User, p.holdLists = "ana", true
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1, Paused: true})
		v.wantRows("syncing", "a/web1 a/web2 b/db1")
		p.setAway(true)
		p.mu.Lock()
		p.welcome.User = "bob"
		p.mu.Unlock()
		p.change(wire.Added, pod("b", "bobs", "Running"))
		p.setAway(false)
		v.wait(time.Minute)
		p.finish()
		v.wait(time.Minute)
		v.wantRows("connecting", "a/web1 a/web2 b/db1")
	})
}
