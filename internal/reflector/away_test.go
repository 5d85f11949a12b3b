package reflector

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// traveller is a server that can be reached for ten seconds, and then not until back is called.
type traveller struct {
	*server
	status wire.Status

	mu    sync.Mutex
	begun bool
	here  bool
	asked int // while it was away
}

func (a *traveller) Open(_ context.Context, r wire.Request) (Stream, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !a.begun:
		a.begun = true
		return &stream{server: a.server, words: []string{"+a@1", "@5!", "10s", "EOF"}}, nil
	case !a.here:
		a.asked++
		status := a.status
		return nil, &status
	case r.Verb == wire.Watch:
		return &stream{server: a.server, words: []string{"hang"}}, nil
	}
	return &stream{server: a.server, words: []string{".a@1", "?5"}}, nil
}

func (a *traveller) back() (asked int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.here = true
	return a.asked
}

// TestBackSoon checks that a source is live within five seconds after its server can be reached again,
// however long it could not, and that it did not ask all the time until then.
func TestBackSoon(t *testing.T) {
	for _, status := range []wire.Status{
		{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "connection refused"},
		{Origin: wire.FromNetwork, Reason: wire.ReasonCertificate, Message: "certificate has expired"},
		{Origin: wire.FromNetwork, Code: 502, Reason: wire.ReasonUnreachable},
		{Origin: wire.FromAPIServer, Code: 503, Reason: "ServiceUnavailable"},
	} {
		for _, down := range []time.Duration{9 * time.Second, time.Minute, 10 * time.Minute} {
			t.Run(fmt.Sprint(status.Reason, " ", status.Code, " ", down), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a := &traveller{server: &server{t: t}, status: status}
					g := newRig(t, nil, func(o *Options[thing]) { o.Source = a })
					stop := g.start(t.Context())
					defer stop()
					time.Sleep(10*time.Second + down)
					if asked, most := a.back(), 6+int(down/(2*time.Second)); asked > most {
						t.Errorf("it was asked %d times in %v, want %d at most", asked, down, most)
					}
					time.Sleep(5 * time.Second)
					synctest.Wait()
					if s := g.State(); s.Phase != Watching {
						t.Errorf("not live 5 s later: %+v", s)
					}
				})
			})
		}
	}
}
