package reflector

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestBuffered runs sources whose watches are buffered on the way. It checks at certain times what
// the store has, and whether the source is called live, polled or neither.
func TestBuffered(t *testing.T) {
	const live, late, neither = "live", "late", "neither"
	for name, c := range map[string]struct {
		script []string
		want   map[time.Duration]string
	}{
		"a list that never shows": {
			[]string{"watch-list - → hang", "list 0 → .a@1 ?5", "short watch 5 → 6s +b@6 @6 EOF", "short watch 6 → 6s @7 EOF", "short watch 7 → hang"},
			map[time.Duration]string{4 * time.Second: neither, 6 * time.Second: late + " a@1", 12 * time.Second: late + " a@1 b@6", 18 * time.Second: late + " a@1 b@6"},
		},
		"nor does the head of an answer": {
			[]string{"watch-list - → after:5s mute", "short watch-list - → after:6s +a@1 @5! EOF", "short watch 5 → after:6s +b@6 @6 EOF", "short watch 6 → after:6s @6 EOF", "short watch 6 → 6s EOF", "watch 6 → hang"},
			map[time.Duration]string{12 * time.Second: late + " a@1", 18 * time.Second: late + " a@1 b@6", 22 * time.Second: late + " a@1 b@6", 24 * time.Second: live + " a@1 b@6"},
		},
		"nor does it with the end": {
			[]string{"watch-list - → after:5s mute", "short watch-list - → after:11s mute", "list 0 → .a@1 ?5", "short watch 5 → after:6s +b@6 @6 EOF", "short watch 6 → after:6s hang"},
			map[time.Duration]string{15 * time.Second: neither, 17 * time.Second: late + " a@1", 23 * time.Second: late + " a@1 b@6"},
		},
		"and is answered later": {
			[]string{"watch-list - → after:5s mute", "short watch-list - → after:11s mute", "list 0 → .a@1 ?5", "short watch 5 → 3s 410", "watch-list 5 → +a@1 @9! hang"},
			map[time.Duration]string{17 * time.Second: live + " a@1", 22 * time.Second: live + " a@1"},
		},
		"one slow answer": {
			[]string{"watch-list - → after:5s mute", "short watch-list - → after:2s +a@1 @5! 4s EOF", "watch 5 → hang"},
			map[time.Duration]string{6 * time.Second: neither, 7 * time.Second: neither + " a@1", 7500 * time.Millisecond: live + " a@1", 20 * time.Second: live + " a@1"},
		},
		"one slow answer, then a refusal for now": {
			[]string{"watch-list - → after:5s mute", "short watch-list - → 429:1", "watch-list - → +a@1 @5! hang"},
			map[time.Duration]string{5500 * time.Millisecond: neither, 8 * time.Second: live + " a@1"},
		},
		"one slow answer to a long list": {
			[]string{"watch-list - → after:5s mute", "short watch-list - → after:2s +a@1 4s EOF", "list 0 → .a@1 .b@2 ?5", "short watch 5 → hang"},
			map[time.Duration]string{10 * time.Second: neither + " a@1", 12 * time.Second: live + " a@1 b@2"},
		},
		"the end of a long list": {
			[]string{"watch-list - → +a@1 +b@2 hang", "list 0 → .a@1 .b@2 .c@3 ?5", "short watch 5 → hang"},
			map[time.Duration]string{time.Second: neither + " a@1 b@2", 6 * time.Second: late + " a@1 b@2 c@3"},
		},
		"a bookmark proves that nothing is held back": {
			[]string{"watch-list - → hang", "list 0 → .a@1 ?5", "short watch 5 → 4s @6 2s EOF", "watch 6 → hang"},
			map[time.Duration]string{8 * time.Second: late + " a@1", 9500 * time.Millisecond: live + " a@1", 20 * time.Second: live + " a@1"},
		},
		"and so does an event": {
			[]string{"watch-list - → hang", "list 0 → .a@1 ?5", "short watch 5 → 2s +b@6 4s EOF", "watch 6 → hang"},
			map[time.Duration]string{8 * time.Second: live + " a@1 b@6", 20 * time.Second: live + " a@1 b@6"},
		},
		"but not what made a buffer run over": {
			[]string{"watch-list - → hang", "list 0 → .a@1 ?5", "short watch 5 → 2s +" + strings.Repeat("b", 2000) + "@6 -" + strings.Repeat("b", 2000) + "@7 4s EOF", "short watch 7 → hang"},
			map[time.Duration]string{8 * time.Second: late + " a@1", 20 * time.Second: late + " a@1"},
		},
		"a server that sends no bookmarks": {
			[]string{"watch-list - → hang", "list 0 → ?5", "short watch 5 → 6s EOF", "short watch 5 → 2s +" + strings.Repeat("b", 2000) + "@6 -" + strings.Repeat("b", 2000) + "@7 4s EOF", "short watch 7 → 6s EOF", "watch 7 → hang"},
			map[time.Duration]string{22 * time.Second: late, 24 * time.Second: live, 60 * time.Second: live},
		},
		"nor anything before the end": {
			[]string{"watch-list - → hang", "list 0 → ?5", "short watch 5 → 6s +b@6 EOF", "short watch 6 → 6s ~b@7 EOF", "short watch 7 → 6s ~b@8 EOF", "short watch 8 → hang"},
			map[time.Duration]string{22 * time.Second: late + " b@7", 24 * time.Second: late + " b@8"},
		},
		"a watch that is not answered any more": {
			[]string{begin + "2s EOF", "watch 5 → after:5s mute", "short watch 5 → after:6s +c@6 @6 EOF", "short watch 6 → after:6s hang"},
			map[time.Duration]string{time.Second: live + " a@1 b@2", 10 * time.Second: neither + " a@1 b@2", 14 * time.Second: late + " a@1 b@2 c@6"},
		},
		"an apiserver that is away": {
			[]string{begin + "2s EOF", "watch 5 → after:5s mute", "short watch 5 → after:11s mute", "short watch 5 → 4s @6 2s EOF", "probe - → .x@1 ?6", "audit 6 → .a@1 .b@2 ?6", "watch 6 → hang"},
			map[time.Duration]string{10 * time.Second: neither + " a@1 b@2", 17 * time.Second: neither + " a@1 b@2", 30 * time.Second: live + " a@1 b@2"},
		},
		"whose server is back": {
			[]string{begin + "2s EOF", "watch 5 → after:5s mute", "short watch 5 → 6s EOF", "watch 5 → hang"},
			map[time.Duration]string{6 * time.Second: neither + " a@1 b@2", 7500 * time.Millisecond: live + " a@1 b@2", 20 * time.Second: live + " a@1 b@2"},
		},
		"a head that a full buffer brought along": {
			[]string{begin + "2s EOF", "watch 5 → after:5s mute", "short watch 5 → ~" + strings.Repeat("b", 2000) + "@6 -" + strings.Repeat("b", 2000) + "@7 6s EOF", "short watch 7 → after:6s hang"},
			map[time.Duration]string{8 * time.Second: late + " a@1 b@2", 18 * time.Second: late + " a@1 b@2"},
		},
		"a bookmark that something drops": {
			[]string{"watch-list - → +a@1 +b@2 hang", "list 0 → .a@1 .b@2 ?5", "watch 5 → hang"},
			map[time.Duration]string{6 * time.Second: live + " a@1 b@2"},
		},
		"a new list as long as a watch-list that was given up once": {
			[]string{"watch-list - → +a@1 +b@2 hang", "list 0 → .a@1 .b@2 ?5", "watch 5 → hang", "short watch 5 → 410", "all 5 → .a@1 .b@2 ?6", "short watch 6 → hang"},
			map[time.Duration]string{6 * time.Second: live + " a@1 b@2", 11*time.Minute + 30*time.Second: late + " a@1 b@2"},
		},
		"a new list": {
			[]string{"watch-list - → hang", "list 0 → .a@1 ?5", "short watch 5 → 410", "all 5 → .b@6 ?6", "short watch 6 → hang"},
			map[time.Duration]string{6 * time.Second: late + " b@6"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, c.script)
				g.server.loose = strings.Contains(name, "away") // the audit begins some time
				stop := g.start(t.Context())
				defer stop()
				for at := time.Duration(0); at <= slices.Max(slices.Collect(maps.Keys(c.want))); at += 500 * time.Millisecond {
					if want, ok := c.want[at]; ok {
						synctest.Wait()
						s, is := g.State(), neither
						switch {
						case s.Phase == Watching && s.Polled == 0 && s.Unwatched == nil:
							is = live
						case s.Phase != Watching && s.Polled == wire.ShortWatch && s.Unwatched == errBuffered:
							is = late
						}
						if got := strings.TrimSpace(is + " " + g.sink.String()); got != want {
							t.Errorf("after %v: want %q, got %q\n%+v\nasked %q", at, want, got, s, g.server.asked)
						}
					}
					time.Sleep(500 * time.Millisecond)
				}
			})
		})
	}
}

// TestBufferedSince shows that the data counts as old as the end of the last watch.
func TestBufferedSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{"watch-list - → hang", "list 0 → .a@1 ?5", "short watch 5 → 6s EOF", "short watch 5 → 6s EOF", "short watch 5 → hang"})
		stop := g.start(t.Context())
		defer stop()
		began := time.Now()
		for _, want := range []time.Duration{5 * time.Second, 11 * time.Second, 17 * time.Second} {
			time.Sleep(time.Until(began.Add(want + time.Second)))
			synctest.Wait()
			if got := g.State().Listed.Sub(began); got != want {
				t.Errorf("it is said to be of %v, want %v", got, want)
			}
		}
		if s := g.State(); s.Relists != 0 || wire.StatusOf(s.Err) != errBuffered {
			t.Errorf("%+v", s)
		}
	})
}

// TestBufferedEnd shows that a long buffered watch is recognised at its end: the bookmark that is sent
// before it arrives with it.
func TestBufferedEnd(t *testing.T) {
	for pause, want := range map[string]string{"": "short watch 6", "2s ": "watch 6"} {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t, []string{begin, want + " → hang"})
			open := g.options.Source.Open
			g.options.Source = SourceFunc(func(ctx context.Context, r wire.Request) (Stream, error) {
				s, err := open(ctx, r)
				if r.SendInitialEvents {
					lasts := time.Duration(r.TimeoutSeconds) * time.Second
					s.(*stream).words = append(s.(*stream).words, strings.Fields(lasts.String()+" @6 "+pause+"EOF")...)
				}
				return s, err
			})
			stop := g.start(t.Context())
			time.Sleep(11 * time.Minute)
			stop()
			if asked := g.server.asked; len(asked) < 2 || asked[1] != want {
				t.Errorf("%q: asked %q", pause, asked)
			}
		})
	}
}

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
			if down > startupGrace { // before that it is a server that starts, and the watch is what tells
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

// TestUnserved runs sources whose lists get through and whose watches do not: they are polled, and
// watched as soon as a watch gets through. If lists do not get through either, the watch resumes.
func TestUnserved(t *testing.T) {
	four := slices.Repeat([]string{"watch 5 → gateway"}, 4)
	begun := func(more ...string) []string { return slices.Concat([]string{begin + "2s EOF"}, four, more) }
	for name, c := range map[string]script{
		"a gateway that refuses watches": {
			lines: begun("probe - → .x@1 ?5", "all 5 → .a@1 ?6", "all 6 → .a@1 .c@7 ?7"), store: "a@1 c@7", version: "7", relists: 2, replaced: "6 7", deleted: "b", within: 26 * time.Second, state: errBuffered.Message,
		},
		"from the beginning": {
			lines: []string{"watch-list - → gateway", "watch-list - → gateway", "list 0 → .a@1 ?5", "watch 5 → gateway", "watch 5 → gateway", "probe - → .x@1 ?5", "all 5 → .b@6 ?6"},
			store: "b@6", version: "6", relists: 1, replaced: "6", deleted: "a", within: 24 * time.Second, state: errBuffered.Message,
		},
		"watches that are never answered": {
			lines: []string{
				"watch-list - → after:5s mute", "short watch-list - → after:11s mute", "list 0 → .a@1 ?5", "short watch 5 → after:11s mute", "short watch 5 → after:11s mute",
				"probe - → .x@1 ?5", "all 5 → .b@6 ?6",
			},
			store: "b@6", version: "6", relists: 1, replaced: "6", deleted: "a", within: 55 * time.Second, state: errBuffered.Message,
		},
		"an apiserver that is away behind a gateway": {
			lines: begun("probe - → gateway", "watch 5 → gateway", "watch 5 → gateway", "watch 5 → gateway", "watch 5 → gateway", "probe - → gateway", "watch 5 → +c@7 hang", "probe - → .x@1 ?7", "audit 7 → .a@1 .b@2 .c@7 ?7"),
			store: "a@1 b@2 c@7", version: "7", resumes: 1, within: time.Minute,
		},
		"and lists neither": {
			lines: []string{"watch-list - → gateway", "watch-list - → gateway", "list 0 → gateway", "watch-list - → gateway", "watch-list - → +a@1 @5! hang"}, store: "a@1", version: "5", within: 25 * time.Second,
		},
	} {
		t.Run(name, c.run)
	}
}

// TestUnservedState shows that the state of such a source is polled.
func TestUnservedState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, slices.Concat([]string{begin + "2s EOF"}, slices.Repeat([]string{"watch 5 → gateway"}, 4), []string{"probe - → .x@1 ?5", "all 5 → .a@1 ?6", "all 6 → .a@1 ?6", "watch 6 → hang"}))
		stop := g.start(t.Context())
		defer stop()
		for i := 0; i < 600 && g.State().Polled == 0; i++ {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		if s := g.State(); s.Polled != pollEvery || s.Unwatched != errBuffered || s.Phase != Waiting {
			t.Errorf("%+v, asked %q", s, g.server.asked)
		}
		g.Wake()
		time.Sleep(time.Second)
		synctest.Wait()
		if s := g.State(); s.Polled != 0 || s.Unwatched != nil || s.Phase != Watching {
			t.Errorf("%+v, asked %q", s, g.server.asked)
		}
	})
}

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
