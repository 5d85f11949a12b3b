//go:build !js

package relay

import (
	"context"
	"net/http"
	"strings"
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

// pluginWaiting is the error of a request that ended before its credential plugin did.
type pluginWaiting struct{ error }

func (e pluginWaiting) Unwrap() error     { return e.error }
func (pluginWaiting) Credentials() string { return "still running" }

// TestUnansweredPlugin checks that a request that waited for a credential plugin blames neither the
// apiserver nor the network, whether or not the apiserver was heard meanwhile.
func TestUnansweredPlugin(t *testing.T) {
	for _, heard := range []func() time.Time{nil, time.Now} {
		synctest.Test(t, func(t *testing.T) {
			tb := start(t, func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, pluginWaiting{context.Cause(r.Context())}
			}, Options{Upstream: Upstream{Heard: heard}})
			tb.write([]byte(hello))
			tb.next()
			tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
			var end wire.End
			if err := tb.expect(wire.KindEnd, 2, "").JSON(&end); err != nil {
				t.Fatal(err)
			}
			if s := end.Status; s == nil || s.Origin != wire.FromPlugin || s.Reason != wire.ReasonCredentials || s.Message != "still running" {
				t.Errorf("heard: %v: %+v", heard != nil, s)
			}
		})
	}
}

// TestAnswerAtTheLimit checks that answers which come at the very moment when the patience for them ends
// are relayed, or end with a reason. The order is chance, so there are many.
func TestAnswerAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			time.Sleep(watchAnswersWithin)
			return answer(r, 200, "application/json", strings.NewReader("")), nil
		}, Options{})
		tb.write([]byte(hello))
		tb.next()
		for id := range uint32(100) {
			tb.write(wire.JSONFrame(wire.KindOpen, id+2, podsWatch))
		}
		relayed := make(map[uint32]bool)
		for range 100 {
			f := tb.next()
			for ; f.Kind == wire.KindOpened; f = tb.next() {
				relayed[f.Stream] = true
			}
			var end wire.End
			if err := f.JSON(&end); f.Kind != wire.KindEnd || err != nil {
				t.Fatalf("kind %d on %d %s: %v", f.Kind, f.Stream, f.Body, err)
			}
			if late := end.Status != nil && end.Status.Reason == wire.ReasonUnreachable; late == relayed[f.Stream] {
				t.Errorf("stream %d: relayed: %v, then %+v", f.Stream, relayed[f.Stream], end.Status)
			}
		}
		t.Logf("%d of 100 were relayed", len(relayed))
	})
}
