//go:build !js

package relay

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestUnanswered shows how long an answer may take, and the status if none comes. A watch that is held
// back on the way is distinguished from an apiserver that is away.
func TestUnanswered(t *testing.T) {
	short := podsWatch
	short.TimeoutSeconds = int64(wire.ShortWatch.Seconds())
	list := podsWatch
	list.Verb = wire.List
	for name, c := range map[string]struct {
		request wire.Request
		alive   bool
		after   time.Duration
		reason  string
	}{
		"a watch":           {podsWatch, true, 5 * time.Second, wire.ReasonUnanswered},
		"of a server away":  {podsWatch, false, 5 * time.Second, wire.ReasonUnreachable},
		"a short watch":     {short, true, 11 * time.Second, wire.ReasonUnanswered},
		"a list":            {list, true, 70 * time.Second, wire.ReasonUnreachable},
		"a list, and alone": {list, false, 70 * time.Second, wire.ReasonUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				heard := func() time.Time {
					if c.alive {
						return time.Now()
					}
					return began
				}
				tb := start(t, func(r *http.Request) (*http.Response, error) {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}, Options{Upstream: Upstream{Heard: heard}})
				tb.write([]byte(hello))
				tb.next()
				tb.write(wire.JSONFrame(wire.KindOpen, 2, c.request))
				var end wire.End
				if err := tb.expect(wire.KindEnd, 2, "").JSON(&end); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != c.after || end.Status == nil || end.Status.Reason != c.reason || end.Status.Origin != wire.FromNetwork {
					t.Errorf("after %v: %+v", took, end.Status)
				}
			})
		})
	}
}
