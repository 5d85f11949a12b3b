package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// throng is one tab of each user, with the reflectors of its lists.
type throng struct {
	began   time.Time
	cancel  context.CancelCauseFunc
	ctx     context.Context
	running sync.WaitGroup

	mu    sync.Mutex
	lists []*reflector.Reflector[object.Identity]
	signs sample // seconds to sign in
}

func newThrong(ctx context.Context) *throng {
	t := new(throng)
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return t
}

// gather lets all users sign in and open their lists at once.
func (t *throng) gather(users []cluster.User, p *proxy.Proxy) error {
	t.began = time.Now()
	var coming sync.WaitGroup
	for n, user := range users {
		address := fmt.Sprintf("10.0.%d.%d", n/250, 1+n%250)
		coming.Go(func() {
			if err := t.come(p, user.Token, address); err != nil {
				t.cancel(fmt.Errorf("%s: %w", user.Name, err))
			}
		})
	}
	coming.Wait()
	return context.Cause(t.ctx)
}

// come is one user, who signs in and opens the lists. As behind an ingress, the address is in a header.
func (t *throng) come(p *proxy.Proxy, token, address string) error {
	began := time.Now()
	browser, err := proxy.SignIn(t.ctx, p.Origin(), token, http.Header{"X-Forwarded-For": {address}})
	if err != nil {
		return err
	}
	took := time.Since(began)
	client := socket.New(socket.Options{Dial: browser.Dial})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.signs = append(t.signs, took.Seconds())
	t.running.Go(func() { _ = client.Run(t.ctx) })
	for _, kind := range crowdLists {
		r := reflector.New(reflector.Options[object.Identity]{
			Source: reflector.SourceFunc(func(ctx context.Context, r wire.Request) (reflector.Stream, error) {
				s, err := client.Open(ctx, r)
				if err != nil {
					return nil, err
				}
				return s, nil
			}),
			Decoder: identities{}, Sink: nowhere{},
			Request: wire.Request{Group: kind[0], Version: kind[1], Resource: kind[2]},
			Key:     object.Identity.Key,
			Version: func(o object.Identity) string { return o.Version },
		})
		t.lists = append(t.lists, r)
		t.running.Go(func() { r.Run(t.ctx) })
	}
	return nil
}

// close lets everybody leave.
func (t *throng) close() {
	t.cancel(nil)
	t.running.Wait()
}

// relists returns how many whole lists came after the first ones.
func (t *throng) relists() (n int) {
	for _, r := range t.lists {
		n += r.State().Relists
	}
	return n
}

// current returns how many lists are live.
func (t *throng) current() (n int) {
	for _, r := range t.lists {
		if r.State().Phase == reflector.Watching {
			n++
		}
	}
	return n
}

// course is how many lists were live, by the second, until all were.
type course struct {
	took time.Duration
	live []int
	fell int // by how many at most
}

// await waits until all lists have been live for a second: that a replica was killed is noticed a little later. The course is
// counted from a time.
func (t *throng) await(ctx context.Context, began time.Time, within time.Duration) (c course, err error) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	most, since := 0, time.Time{}
	for i := 0; ; i++ {
		n, now := t.current(), time.Now()
		if i%10 == 0 {
			c.live = append(c.live, n)
		}
		c.fell, most = max(c.fell, most-n), max(most, n)
		switch {
		case n < len(t.lists):
			since = time.Time{}
		case since.IsZero():
			since = now
		case now.Sub(since) > time.Second:
			c.took = since.Sub(began)
			return c, nil
		}
		if now.Sub(began) > within {
			return c, fmt.Errorf("%d of %d lists are live after %v: %v", n, len(t.lists), within, c.live)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return c, context.Cause(ctx)
		}
	}
}

// identities reads no more of an object than what a Reflector needs.
type identities struct{}

func (identities) Decode(payload []byte) (object.Identity, error) {
	return object.ReadIdentity(payload)
}

func (identities) Bookmark(payload []byte) (string, bool, error) { return object.ReadBookmark(payload) }

func (identities) SetColumns([]byte) (bool, error) { return false, nil }

// nowhere keeps nothing.
type nowhere struct{}

func (nowhere) Add(object.Identity)                                   {}
func (nowhere) Update(object.Identity)                                {}
func (nowhere) Delete(object.Identity)                                {}
func (nowhere) Replace([]object.Identity, string, ...object.Identity) {}
func (nowhere) Unread(object.Identity)                                {}
func (nowhere) Populated(string)                                      {}
func (nowhere) Bookmark(string)                                       {}
func (nowhere) Applied(done func())                                   { done() }
