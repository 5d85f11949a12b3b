package reflector

import (
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestThrottledRefusal checks that a throttled request takes back no refusal, nor makes one: it says nothing of what
// the user may list. Any other answer does.
func TestThrottledRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		then   string
		denied bool
		code   int
	}{
		"by the proxy":                    {"throttled", true, 403},
		"by a filter":                     {"429:1", true, 403},
		"a server that is not ready":      {"429:1S", false, 429},
		"a server that fails":             {"500", false, 500},
		"a server that cannot be reached": {"refused", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, []string{"watch-list - → 403", "list 0 → 403", "watch-list - → 403", "list 0 → 403", "watch-list - → after:1m " + c.then, "list 0 → " + c.then})
				g.server.loose = true
				stop := g.start(t.Context())
				defer stop()
				time.Sleep(20 * time.Second)
				if s := g.State(); !s.Denied {
					t.Fatalf("%+v", s)
				}
				time.Sleep(3 * time.Minute)
				if s := g.State(); s.Denied != c.denied || wire.StatusOf(s.Err).Code != c.code {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}
