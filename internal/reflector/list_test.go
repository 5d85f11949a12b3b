package reflector

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// items are the items of a list that is large enough for pages.
func items(mark string) string {
	var out strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&out, "%s%0300d@%d ", mark, i, i+1)
	}
	return out.String()
}

// TestPages runs lists that break off on the way. What has come stays, and the rest comes in pages.
func TestPages(t *testing.T) {
	for name, c := range map[string]struct {
		script  []string
		objects int
		gone    int // of those that showed
	}{
		"a watch-list": {
			[]string{"watch-list - → " + items("+") + "refused", "list - → .a@1 .b@2 ?9,c1", "list - c1 → .c@3 ?9", "watch 9 → hang"}, 3, 1000,
		},
		"k9s-4006 a list that breaks off": {
			[]string{"watch-list - → 400", "list 0 → " + items(".") + "refused", "list - → " + items(".") + "?9,c1", "list - c1 → .c@3 ?9", "watch 9 → hang"}, 1001, 0,
		},
		"and a page, and a smaller one": {
			[]string{
				"watch-list - → " + items("+") + "refused", "list - → " + items(".") + "?9,c1", "list - c1 → .b@2 refused", "list - c1 limited to 250 → .b@2 refused",
				"list - c1 limited to 125 → .b@2 ?9,c2", "list - c2 limited to 125 → .c@3 ?9", "watch 9 → hang", "probe - → .x@1 ?9",
			}, 1002, 0,
		},
		"and pages that are refused for now": {
			[]string{
				"watch-list - → " + items("+") + "refused", "list - → .a@1 ?9,c1", "list - c1 → 429:2", "list - c1 → .b@2 ?9,c2",
				"list - c2 → 429", "list - c2 → .c@3 ?9", "watch 9 → hang", "probe - → .x@1 ?9",
			}, 3, 1000,
		},
		"a page refused for now of a list that came in pages anyway": {
			[]string{"watch-list - → 400", "list 0 → .a@1 ?9,c1", "list - c1 → 429:2", "list - c1 → .b@2 ?9", "watch 9 → hang", "probe - → .x@1 ?9"}, 2, 0,
		},
		"and the first page": {
			[]string{"watch-list - → " + items("+") + "refused", "list - → .b@2 refused", "list - limited to 250 → .b@2 ?10", "watch 10 → hang"}, 1, 1000,
		},
		"pages that ran out of time": {
			[]string{"watch-list - → " + items("+") + "refused", "list - → .b@2 ?9,c1", "list - c1 → 410", "list - limited to 2000 → .b@2 ?20", "watch 20 → hang"}, 1, 1000,
		},
		"and again": {
			[]string{
				"watch-list - → " + items("+") + "refused", "list - → .b@2 ?9,c1", "list - c1 → 410", "list - limited to 2000 → .b@2 ?9,c2", "list - c2 limited to 2000 → 410",
				"watch-list - → +b@2 @20! hang",
			}, 1, 1000,
		},
		"a later list": {
			[]string{begin + "410", "watch-list 5 → " + items("+") + "refused", "list - → .b@2 ?9,c1", "list - c1 → .c@3 ?9", "watch 9 → 410", "watch-list 9 → +b@2 @11! hang"}, 1, 2,
		},
		"a server that went back": {
			[]string{begin + "410", "watch-list 5 → " + items("+") + "refused", "list - → .b@2 ?3", "list - → .b@2 ?4", "watch 4 → hang"}, 1, 1,
		},
		"little that broke off": {
			[]string{"watch-list - → +a@1 refused", "watch-list - → +a@1 @5! hang"}, 1, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := run(t, 40*time.Second, c.script)
				if s := g.State(); s.Phase != Watching || !s.Synced || g.sink.len() != c.objects || len(g.sink.deleted) != c.gone {
					t.Errorf("%v, %d objects, %d gone\nasked %q", s.Phase, g.sink.len(), len(g.sink.deleted), g.server.asked)
				}
			})
		})
	}
}

// TestPagesShow shows that pages are shown as they come if the store is empty.
func TestPagesShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{"watch-list - → " + items("+") + "refused", "list - → .x@1 ?9,c1", "list - c1 → hang"})
		stop := g.start(t.Context())
		defer stop()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if g.sink.len() != 1001 || g.State().Synced {
			t.Errorf("%d objects, %+v", g.sink.len(), g.State())
		}
	})
}

// flaky is a server that sends many objects in pages, behind a proxy that limits the rate of lists.
// It interrupts the first watch-list and some pages.
type flaky struct {
	*server
	objects int
	breaks  int // pages that are interrupted
	expires time.Duration

	asked   int
	refused int
	burst   float64 // lists that are granted at once
	left    float64
	at      time.Time
}

const flakyRate = 20

func (f *flaky) Open(_ context.Context, r wire.Request) (Stream, error) {
	switch {
	case r.SendInitialEvents:
		return &stream{server: f.server, words: strings.Fields(items("+") + "refused")}, nil
	case r.Verb == wire.Watch:
		return &stream{server: f.server, words: []string{"hang"}}, nil
	}
	f.asked++
	f.left = min(f.burst, f.left+time.Since(f.at).Seconds()*flakyRate)
	if f.at = time.Now(); f.left < 1 {
		f.refused++
		return nil, &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 1}
	}
	f.left--
	return f.page(r)
}

// page returns a page. Its token says where the next page begins, and when the list began.
func (f *flaky) page(r wire.Request) (Stream, error) {
	from, began := 0, time.Now().UnixNano()
	if r.Continue != "" {
		if _, err := fmt.Sscanf(r.Continue, "%d/%d", &from, &began); err != nil {
			return nil, err
		}
	}
	if time.Since(time.Unix(0, began)) > f.expires {
		return nil, &wire.Status{Origin: wire.FromAPIServer, Code: 410, Reason: wire.ReasonExpired}
	}
	words := []string{fmt.Sprintf(".o%d@1", from)}
	if r.Continue != "" && f.breaks > 0 {
		f.breaks--
		return &stream{server: f.server, words: append(words, "refused")}, nil
	}
	words = words[:0]
	to := min(from+int(r.Limit), f.objects)
	for i := from; i < to; i++ {
		words = append(words, fmt.Sprintf(".o%d@1", i))
	}
	end := "?9"
	if to < f.objects {
		end = fmt.Sprintf("?9,%d/%d", to, began)
	}
	return &stream{server: f.server, words: append(words, "10ms", end)}, nil
}

// TestPagesGrow fetches a large list over a link that resets a few pages. The pages grow again, and
// the list arrives within the proxy's rate and before its pages expire.
func TestPagesGrow(t *testing.T) {
	for name, c := range map[string]struct {
		objects, most int
		burst         float64
		expires       time.Duration
	}{
		"in few pages":               {10_000, 90, 200, 5 * time.Minute},
		"though pages expire":        {10_000, 300, 200, 10 * time.Second},
		"though not all are granted": {20_000, 100, 20, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{server: &server{t: t}, objects: c.objects, breaks: 5, expires: c.expires, burst: c.burst, left: c.burst, at: time.Now()}
				g := newRig(t, nil, func(o *Options[thing]) { o.Source = f })
				stop := g.start(t.Context())
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				stop()
				if s := g.State(); s.Phase != Watching || !s.Synced || g.sink.len() != c.objects || f.asked > c.most || (f.refused > 0) != (c.burst < 200) {
					t.Errorf("%d of %d objects, %d requests, %d refused, %+v", g.sink.len(), c.objects, f.asked, f.refused, s)
				}
			})
		})
	}
}

// TestQueuedState checks that the state says how many are before a list that waits in the proxy, until it is accepted.
func TestQueuedState(t *testing.T) {
	var r *Reflector[thing]
	polled, refused := &wire.Status{Origin: wire.FromAPIServer, Code: 403}, errors.New("refused")
	for name, c := range map[string]struct {
		queued  bool
		ends    error
		before  error
		message string
		after   error
	}{
		"a list that waits":   {queued: true, message: "proxy: waiting for the apiserver, 40 before you"},
		"a poll that waits":   {queued: true, before: polled, message: "proxy: waiting for the apiserver, 40 before you", after: polled},
		"at once":             {before: polled, message: polled.Error(), after: polled},
		"refused in the end":  {queued: true, ends: refused, message: "proxy: waiting for the apiserver, 40 before you", after: wire.QueuedStatus(40)},
		"refused immediately": {ends: refused},
	} {
		r = New(Options[thing]{Source: SourceFunc(func(ctx context.Context, _ wire.Request) (Stream, error) {
			if c.queued {
				wire.ReportQueued(ctx, 40)
			}
			if err := r.State().Err; (err != nil || c.message != "") && (err == nil || err.Error() != c.message) {
				t.Errorf("%s: %v", name, err)
			}
			return nil, c.ends
		})})
		r.change(func(s *State) { s.Err = c.before })
		if _, err := r.requestStream(t.Context(), wire.Watch, wire.ListOptions{}); !errors.Is(err, c.ends) {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.State().Err; (err == nil) != (c.after == nil) || err != nil && err.Error() != c.after.Error() {
			t.Errorf("%s: %v remains", name, err)
		}
	}
}
