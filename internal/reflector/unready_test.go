package reflector

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// webhook is a server whose conversion webhook is down until mend is called. It has lost its cache,
// and has one again two seconds after that.
type webhook struct {
	*server
	objects int

	mu     sync.Mutex
	broke  time.Time
	mended time.Time
	asked  int // since it broke
	listed int
}

func (h *webhook) Open(_ context.Context, r wire.Request) (Stream, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if !h.broke.IsZero() {
		h.asked++
	}
	filled := h.broke.IsZero() || !h.mended.IsZero() && now.Sub(h.mended) > 2*time.Second
	switch {
	case r.Verb == wire.Watch && !filled:
		s := &wire.Status{Origin: wire.FromAPIServer, Code: 429, Reason: wire.ReasonTooManyRequests, Message: "no cache"}
		s.RetryAfter = min(30, 1+int(now.Sub(h.broke).Seconds())/4)
		return nil, s
	case r.Verb == wire.Watch && r.SendInitialEvents:
		words := append(slices.Repeat([]string{"+a@1"}, h.objects), "@5!", "30s", "EOF")
		h.broke = now.Add(30 * time.Second)
		return &stream{server: h.server, words: words}, nil
	case r.Verb == wire.Watch:
		return &stream{server: h.server, words: []string{"hang"}}, nil
	case h.mended.IsZero():
		return nil, &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: wire.ReasonInternalError, Message: "conversion webhook failed"}
	case r.Limit == 0 && !filled: // it reads no more than pages past its cache
		return nil, &wire.Status{Origin: wire.FromAPIServer, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 30}
	}
	if r.Limit != 1 {
		h.listed++
	}
	return &stream{server: h.server, words: []string{".a@9", "?9"}}, nil
}

// mend repairs the webhook, and returns how many requests came since it broke.
func (h *webhook) mend() (asked int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mended = time.Now()
	return h.asked
}

// TestWebhook repairs a conversion webhook after a while. Its objects are complete within seconds and
// live soon after, and the server was not asked all the time meanwhile.
func TestWebhook(t *testing.T) {
	for _, down := range []time.Duration{time.Second, 20 * time.Second, time.Minute, 5 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			h := &webhook{server: &server{t: t}, objects: 3}
			g := newRig(t, nil, func(o *Options[thing]) { o.Source = h })
			stop := g.start(t.Context())
			defer stop()
			time.Sleep(30*time.Second + down)
			if asked, most := h.mend(), 3+int(down/(2500*time.Millisecond)); asked > most {
				t.Errorf("it was asked %d times in %v, %d at most", asked, down, most)
			}
			mended := time.Now()
			wait := func(what string, most time.Duration, ok func() bool) {
				t.Helper()
				for synctest.Wait(); !ok(); synctest.Wait() {
					if time.Since(mended) > 5*time.Minute {
						t.Fatalf("%s never, after %v", what, down)
					}
					time.Sleep(10 * time.Millisecond)
				}
				if took := time.Since(mended); took > most {
					t.Errorf("%s after %v, of %v that it was down", what, took, down)
				}
			}
			if down > settles { // before that it is a server that starts, and the watch is what tells
				wait("there", 6*time.Second, func() bool { return g.sink.String() == "a@9" })
			}
			wait("live", 10*time.Second, func() bool { return g.State().Phase == Watching })
			if s := g.State(); s.Polled != 0 || s.Unwatched != nil {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestUnreadyLarge shows that a long list waits for the server's cache.
func TestUnreadyLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &webhook{server: &server{t: t}, objects: pollObjects}
		g := newRig(t, nil, func(o *Options[thing]) { o.Source = h })
		stop := g.start(t.Context())
		time.Sleep(2 * time.Minute)
		h.mend()
		time.Sleep(time.Minute)
		synctest.Wait()
		stop()
		if s := g.State(); s.Phase != Watching || h.listed != 0 {
			t.Errorf("%d lists, %+v", h.listed, s)
		}
	})
}
