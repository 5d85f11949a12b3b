package reflector

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestWatchList has the scenarios of client-go's test of that name, and further ones.
func TestWatchList(t *testing.T) {
	for name, c := range map[string]script{
		"the reflector is not synced without the bookmark": {
			lines: []string{"watch-list - → +a@1 hang"}, store: "a@1",
		},
		"any other error than Invalid forces fallback": {
			lines: []string{"watch-list - → 500", "list 0 → .a@1 ?1", "watch 1 → +b@2 hang"}, store: "a@1 b@2", version: "2",
		},
		"fallback when a server doesn't support streaming": {
			lines: []string{"watch-list - → 422", "list 0 → .a@1 ?1", "watch 1 → +b@2 hang"}, store: "a@1 b@2", version: "2",
		},
		"openyurt-2745 a 400 falls back, and that is remembered": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?5", "watch 5 → 410", "all 5 → .a@1 ?9", "watch 9 → hang"}, store: "a@1", version: "9", relists: 1, replaced: "9",
		},
		"and tried again after a while": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?5", "watch 5 → @6 " + strings.Repeat("1m @7 ", 11) + "410", "watch-list 7 → +a@1 @9! hang"}, store: "a@1", version: "9", relists: 1, replaced: "9", within: 12 * time.Minute,
		},
		"synced after receiving a bookmark": {
			lines: []string{"watch-list - → +a@1 +b@2 @2! hang"}, store: "a@1 b@2", version: "2",
		},
		"updates and deletes before the bookmark": {
			lines: []string{"watch-list - → +a@1 +b@2 ~a@3 +c@4 -c@5 @5! hang"}, store: "a@3 b@2", version: "5",
		},
		"updates and deletes before the bookmark of a later list": {
			lines: []string{begin + "410", "watch-list 5 → +a@1 +b@2 ~a@7 +c@8 -b@9 -z@9 @9! hang"}, store: "a@7 c@8", version: "9", relists: 1, replaced: "9", deleted: "b",
		},
		"429 is retried": {
			lines: []string{"watch-list - → 429:1", "watch-list - → +a@1 @2! hang"}, store: "a@1", version: "2", within: 10 * time.Second,
		},
		// client-go asks for watch-lists as long as the cache is behind.
		"429 again results in a list": {
			lines: []string{"watch-list - → 429:1", "watch-list - → 429:1", "list 0 → .a@1 ?2", "watch 2 → hang"}, store: "a@1", version: "2", within: 10 * time.Second,
		},
		"429 again results in a later list": {
			lines: []string{begin + "410", "watch-list 5 → 429:1S", "watch-list 5 → 429:1S", "list 5 → .a@1 ?7", "watch 7 → 410", "watch-list 7 → +a@1 @9! hang"},
			store: "a@1", version: "9", relists: 2, replaced: "7 9", deleted: "b", within: 10 * time.Second,
		},
		"429 to the list too": {
			lines: []string{"watch-list - → 429:1", "watch-list - → 429:1", "list 0 → 429:1", "watch-list - → 429:1", "watch-list - → +a@1 @2! hang"}, store: "a@1", version: "2", within: 40 * time.Second,
		},
		// client-go tries another watch-list, and in a busy cluster another, and so on.
		"stopping before sync results in a list": {
			lines: []string{"watch-list - → +a@1 EOF", "list 0 → .a@1 ?5", "watch 5 → ~a@6 hang"}, store: "a@6", version: "6", replaced: "5",
		},
		"stopping before a later sync results in a list as new": {
			lines: []string{"watch-list - → +a@1 @2! 410", "watch-list 2 → +b@3 EOF", "all 2 → .b@3 ?4", "watch 4 → 410", "watch-list 4 → +b@3 @5! hang"},
			store: "b@3", version: "5", relists: 2, replaced: "4 5", deleted: "a",
		},
		"breaking before sync results in a new watch-list": {
			lines: []string{"watch-list - → +a@1 drop", "watch-list - → +a@1 @1! hang"}, store: "a@1", version: "1", replaced: "1", within: 3 * time.Second,
		},
		"stopping after sync results in a new watch": {
			lines: []string{"watch-list - → +a@1 +b@2 @2! +c@3 EOF", "watch 3 → +d@4 hang"}, store: "a@1 b@2 c@3 d@4", version: "4", resumes: 1,
		},
		"expiring an established watch results in a new list": {
			lines: []string{"watch-list - → +a@1 @2! +c@3 EOF", "watch 3 → 410", "watch-list 3 → +c@3 @4! hang"}, store: "c@3", version: "4", relists: 1, replaced: "4", deleted: "a",
		},
		"an error in the stream of the list": {
			lines: []string{"watch-list - → +a@1 500", "list 0 → .a@1 ?5", "watch 5 → hang"}, store: "a@1", version: "5", replaced: "5",
		},
		"410 to any version": {
			lines: []string{"watch-list - → 410", "watch-list - → 410", "list - → 410", "watch-list - → +a@1 @5! hang"}, store: "a@1", version: "5", within: 10 * time.Second,
		},
	} {
		t.Run(name, c.run)
	}
}

// TestReflector has the scenarios of client-go's tests of the same names.
func TestReflector(t *testing.T) {
	for name, c := range map[string]script{
		"CloseWatchChannelOnError": {
			lines: []string{begin + "+broken +c@9", "watch-list 5 → +a@1 +c@9 @9! hang"}, store: "a@1 c@9", version: "9", relists: 1, replaced: "9", deleted: "b", rejected: 1, within: 3 * time.Second,
		},
		"WatchHandler": {
			lines: []string{"watch-list - → 400", "list 0 → .foo@1 .bar@2 ?2", "watch 2 → -foo@3 ~bar@55 +baz@32 hang"}, store: "bar@55 baz@32", version: "32",
		},
		"ListAndWatch, with a watch-list": {
			lines: []string{"watch-list - → +foo@1 @1! ~foo@2 +bar@3 +baz@4 +qux@5 +zoo@6 hang"}, store: "bar@3 baz@4 foo@2 qux@5 zoo@6", version: "6",
		},
		"ListAndWatch, without": {
			lines: []string{"watch-list - → 422", "list 0 → .foo@1 ?1", "watch 1 → ~foo@2 +bar@3 +baz@4 +qux@5 +zoo@6 hang"}, store: "bar@3 baz@4 foo@2 qux@5 zoo@6", version: "6",
		},
		"ListAndWatchWithErrors, the list": {
			lines: []string{"watch-list - → 500", "list 0 → 500", "list 0 → .a@1 ?5", "watch 5 → hang"}, store: "a@1", version: "5", within: 5 * time.Second,
		},
		"ListAndWatchWithErrors, the watch": {
			lines: []string{"watch-list - → 422", "list 0 → .a@1 ?5", "watch 5 → 500", "all 5 → .a@1 .b@6 ?6", "watch 6 → hang"}, store: "a@1 b@6", version: "6", relists: 1, replaced: "6", within: 5 * time.Second,
		},
		"NoRelistOnTooManyRequests": {
			lines: []string{begin + "EOF", "watch 5 → 429:1", "watch 5 → 429:1", "watch 5 → hang"}, store: "a@1 b@2", version: "5", resumes: 1, within: 40 * time.Second,
		},
		"RetryInternalError": { // client-go may be told to open the watch again; here a list mends it
			lines: []string{begin + "~a@6 500", "watch-list 6 → +a@6 @9! 500", "watch-list 9 → +a@6 @9! hang"}, store: "a@6", version: "9", relists: 2, replaced: "9 9", deleted: "b", within: 10 * time.Second,
		},
		"WatchListPageSize": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?5,c1", "list - c1 → .b@2 ?5,c2", "list - c2 → .c@3 ?5", "watch 5 → hang"}, store: "a@1 b@2 c@3", version: "5",
		},
		"NotPaginatingNotConsistentReads": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?10", "watch 10 → 410", "all 10 → .a@1 ?11", "watch 11 → hang"}, store: "a@1", version: "11", relists: 1, replaced: "11",
		},
		"PaginatingNonConsistentReadsIfWatchCacheDisabled": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?10,c", "list - c → .b@2 ?10", "watch 10 → 410", "list 10 → .a@1 ?11,d", "list - d → .b@2 ?11", "watch 11 → hang"}, store: "a@1 b@2", version: "11", relists: 1, replaced: "11",
		},
		"ResyncWithResourceVersion": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?10", "watch 10 → 410", "all 10 → .b@2 ?10", "watch 10 → hang"}, store: "b@2", version: "10", relists: 1, replaced: "10", deleted: "a",
		},
		"a list that stops": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 10s .b@2 10s .c@3 hang", "list 0 → .a@1 ?5,c1", "list - c1 → hang", "list 0 → .a@1 ?9", "watch 9 → hang"},
			store: "a@1", replaced: "9", deleted: "b c", version: "9", within: 80 * time.Second,
		},
		"a list without a version": { // no server that can be watched has one
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?", "watch - → +b@7 +a@3 ~b@9 hang"}, store: "a@3 b@9", version: "9",
		},
		"a watch from no version begins with what there is": {
			lines: []string{"watch-list - → 400", "list 0 → .a@1 ?", "watch - → +b@7 +a@3 EOF", "watch - → +b@7 @8 EOF", "watch 8 → hang"}, store: "a@3 b@7", version: "8", resumes: 2,
		},
		"watches that end at once": {
			lines: []string{begin + "EOF", "watch 5 → EOF", "watch 5 → EOF", "watch 5 → EOF", "watch 5 → EOF", "watch-list 5 → +a@1 @9! hang"},
			store: "a@1", version: "9", relists: 1, replaced: "9", deleted: "b", resumes: 4, within: 3 * time.Minute,
		},
		"a refusal that passes": {
			lines: []string{begin + "EOF", "watch 5 → 403", "watch 5 → +c@9 hang"}, store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 10 * time.Second,
		},
		"resume after the proxy went": {
			lines: []string{begin + "~a@11 drop", "watch 11 → -b@12 hang"}, store: "a@11", version: "12", resumes: 1,
		},
		"resume after the connection broke": {
			lines: []string{begin + "2s ~a@11 refused", "watch 11 → -b@12 hang", "probe - → .x@1 ?11"}, store: "a@11", version: "12", resumes: 1, within: 3 * time.Second,
		},
		"frames that are missing": {
			lines: []string{begin + "~a@11 torn", "watch 11 → -b@12 hang"}, store: "a@11", version: "12", resumes: 1, within: 3 * time.Second,
		},
		"columns": {
			lines: []string{"watch-list - → #x +a@1 @5! 2s EOF", "watch 5 → #x ~a@6 hang"}, store: "a@6", version: "6", resumes: 1, within: 5 * time.Second,
		},
		"other columns": {
			lines: []string{"watch-list - → #x +a@1 +b@2 @5! 2s EOF", "watch 5 → #y ~a@6 hang", "watch-list 5 → #y +a@6 +b@2 @7! ~b@8 hang"},
			store: "a@6 b@8", version: "8", resumes: 1, relists: 1, replaced: "7", within: 5 * time.Second,
		},
		"other columns in a new list": {
			lines: []string{"watch-list - → #x +a@1 @5! 410", "watch-list 5 → #y +a@1 @7! hang"}, store: "a@1", version: "7", relists: 1, replaced: "7",
		},
		"other columns on a page": {
			lines: []string{"watch-list - → 400", "list 0 → #x .a@1 ?5,c1", "list - c1 → #y .b@2 ?5", "list 0 → #y .a@1 .b@2 ?6", "watch 6 → hang"}, store: "a@1 b@2", replaced: "6", version: "6",
		},
		"columns of what was empty": {
			lines: []string{"watch-list - → @5! #x +a@6 hang"}, store: "a@6", version: "6",
		},
	} {
		t.Run(name, c.run)
	}
}

// TestReflectorStopped stops it wherever it may be: it ends at once, with all that
// it had opened. (client-go: WatchStopped, HandleWatchStopped and
// HandleWatchResultChanClosed, before and after; StopWatch; RunUntil.)
func TestReflectorStopped(t *testing.T) {
	for name, script := range map[string][]string{
		"before the list is accepted":  {"watch-list - → hangopen"},
		"in the list":                  {"watch-list - → +a@1 hang"},
		"in a page":                    {"watch-list - → 400", "list 0 → .a@1 hang"},
		"in the watch":                 {begin + "+c@6 hang"},
		"before the watch is accepted": {begin + "EOF", "watch 5 → hangopen"},
		"while it waits":               {begin + "429:3600"},
		"while it probes":              {begin + "EOF", "watch 5 → refused", "watch 5 → ok", "probe - → hangopen"},
		"while a replica is behind":    {begin + "EOF", "watch 5 → refused", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → 504L"},
		"while it compares":            {begin + "EOF", "watch 5 → refused", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 hang"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, script)
				stop := g.start(t.Context())
				time.Sleep(time.Minute)
				g.server.mu.Lock()
				if len(g.server.script) > 0 {
					t.Errorf("never asked for: %q", g.server.script)
				}
				g.server.mu.Unlock()
				now := time.Now()
				stop()
				if time.Since(now) != 0 || g.server.open != 0 {
					t.Errorf("it took %v, and %d streams stay open", time.Since(now), g.server.open)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		g.Run(ctx)
		if len(g.server.asked) != 0 {
			t.Error(g.server.asked)
		}
	})
}

// TestReflectorListAndWatchInitConnBackoff shows that each refusal makes the next wait longer, up to
// the maximum.
func TestReflectorListAndWatchInitConnBackoff(t *testing.T) {
	for refusals, least := range []time.Duration{0, 800 * time.Millisecond, 2400 * time.Millisecond, 4400 * time.Millisecond, 6400 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			script := slices.Repeat([]string{"watch-list - → refused"}, refusals)
			g := run(t, time.Minute, append(script, begin+"hang"))
			at := g.server.at
			if took := at[len(at)-1].Sub(at[0]); took < least || took > 2*least {
				t.Errorf("%d refusals: %v, at least %v", refusals, took, least)
			}
			if len(g.failed) != refusals {
				t.Errorf("the hook was told of %v", g.failed)
			}
		})
	}
}

// TestBackoffOnTooManyRequests shows that a wait is as long as the server asks for, or as the backoff
// if that is longer.
func TestBackoffOnTooManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := run(t, time.Minute, []string{begin + "429:7", "watch 5 → 429:7", "watch 5 → 429", "watch 5 → hang"})
		for i, least := range []time.Duration{7 * time.Second, 7 * time.Second, 3200 * time.Millisecond} {
			if wait := g.server.at[i+1].Sub(g.server.at[i]); wait < least || wait > 2*least {
				t.Errorf("%d: waited %v", i, wait)
			}
		}
	})
}

// TestWake shows that a wait may be cut short, but not the one the server asks for, within bounds.
func TestWake(t *testing.T) {
	for status, least := range map[string]time.Duration{"refused": 0, "429:7": 7 * time.Second, "429:86400": firmWait, "limit:86400": maxGatewayWait, "limit:7": 7 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t, []string{"watch-list - → " + status, begin + "hang"})
			stop := g.start(t.Context())
			synctest.Wait()
			g.Wake()
			time.Sleep(5 * time.Minute)
			stop()
			if wait := g.server.at[1].Sub(g.server.at[0]); wait != least {
				t.Errorf("%s: waited %v", status, wait)
			}
		})
	}
}

// TestExpired shows that a watch of objects that expire, which ended between two deletions of one version, is followed by
// one that brings the others, and that those which are repeated are no news. Other objects have a version each.
func TestExpired(t *testing.T) {
	for name, c := range map[string]script{
		"apart":                     {lines: []string{begin + "~a@7 -a@9 EOF", "watch 7 → -a@9 -b@9 ~c@10 EOF", "watch 10 → hang"}, store: "c@10", version: "10", resumes: 2},
		"a bookmark between them":   {lines: []string{begin + "-a@9 @9 EOF", "watch 5 → -a@9 -b@9 @10 EOF", "watch 10 → hang"}, version: "10", resumes: 2},
		"from a replica behind":     {lines: []string{begin + "~a@7 +c@8 -a@9 EOF", "watch 8 → @8 hang"}, store: "b@2 c@8", version: "9", resumes: 1},
		"what else has one version": {lines: []string{begin + "~a@7 ~b@9 EOF", "watch 9 → hang"}, store: "a@7 b@9", version: "9", resumes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := run(t, time.Second, c.lines, func(o *Options[thing]) { o.Request.Resource = "events" })
				if s := g.State(); g.sink.String() != c.store || s.Version != c.version || s.Resumes != c.resumes {
					t.Errorf("%s at %s after %d resumes", g.sink, s.Version, s.Resumes)
				}
			})
		})
	}
}

// TestWakeBefore shows that a Wake while the watch works does not shorten a later wait.
func TestWakeBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{begin + "1m EOF", "watch 5 → refused", "watch 5 → hang"})
		stop := g.start(t.Context())
		time.Sleep(30 * time.Second)
		g.Wake()
		time.Sleep(time.Minute)
		stop()
		if wait := g.server.at[2].Sub(g.server.at[1]); wait < 800*time.Millisecond {
			t.Errorf("waited %v", wait)
		}
	})
}

// TestRetryAfter shows who may ask for how long a wait, and that those who were asked for the same do not return together.
func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		status wire.Status
		least  time.Duration
	}{
		"the apiserver":                 {wire.Status{Origin: wire.FromAPIServer, Code: 429, RetryAfter: 80}, 80 * time.Second},
		"a gateway that speaks like it": {wire.Status{Origin: wire.FromAPIServer, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 86400}, 2 * time.Minute},
		"a gateway that limits":         {wire.Status{Origin: wire.FromNetwork, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 80}, 80 * time.Second},
		"a gateway that limits a lot":   {wire.Status{Origin: wire.FromNetwork, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 86400}, 2 * time.Minute},
		"a gateway's maintenance page":  {wire.Status{Origin: wire.FromNetwork, Code: 503, Reason: wire.ReasonUnreachable, RetryAfter: 3600}, maxGatewayWait},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, waits := time.Now(), map[time.Duration]bool{}
				for range 5 {
					first := true
					g := newRig(t, nil, func(o *Options[thing]) {
						o.Source = SourceFunc(func(ctx context.Context, _ wire.Request) (Stream, error) {
							if first {
								first, asked = false, time.Now()
								return nil, &c.status
							}
							if waited := time.Since(asked); waits[waited] || waited < c.least || waited > c.least+c.least/8+time.Second {
								t.Errorf("waited %v", waited)
							} else {
								waits[waited] = true
							}
							<-ctx.Done()
							return nil, ctx.Err()
						})
					})
					stop := g.start(t.Context())
					time.Sleep(3 * time.Minute)
					stop()
				}
				if len(waits) != 5 {
					t.Errorf("%d tabs returned, each at its time", len(waits))
				}
			})
		})
	}
}

// TestWatchTimeout shows that watches are requested for a random time of five to ten minutes.
func TestWatchTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []int64
		g := newRig(t, append([]string{begin + "2s EOF"}, slices.Repeat([]string{"watch 5 → 2s EOF"}, 20)...))
		g.options.Source = SourceFunc(func(ctx context.Context, r wire.Request) (Stream, error) {
			asked = append(asked, r.TimeoutSeconds)
			return g.server.Open(ctx, r)
		})
		stop := g.start(t.Context())
		time.Sleep(time.Minute)
		stop()
		slices.Sort(asked)
		if len(asked) < 20 || asked[0] < 300 || asked[len(asked)-1] >= 600 || len(slices.Compact(asked)) < 15 {
			t.Error(asked)
		}
	})
}

// versions is a sink that records the versions that were reached.
type versions struct {
	*sink
	reached []string
}

func (v *versions) Bookmark(version string) {
	v.reached = append(v.reached, version)
	v.sink.Bookmark(version)
}

// TestReflectorResourceVersionUpdate shows that the sink learns of each version, including those of
// bookmarks, when everything up to it has been handed over.
func TestReflectorResourceVersionUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v *versions
		run(t, time.Second, []string{"watch-list - → 400", "list 0 → ?10", "watch 10 → +a@10 1ms ~a@20 1ms @30 1ms -a@40 hang"}, func(o *Options[thing]) {
			v = &versions{sink: o.Sink.(*sink)}
			o.Sink = v
		})
		if got := strings.Join(v.reached, " "); got != "10 20 30 40" || v.populated != "10" {
			t.Error(v.populated, got)
		}
	})
}

// TestHurry shows that a server whose versions expire at once is not asked as fast as it answers.
func TestHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := newRig(t, nil)
		g.options.Source = SourceFunc(func(_ context.Context, r wire.Request) (Stream, error) {
			asked++
			return &stream{server: g.server, words: []string{"+a@1", "@5!", "410"}}, nil
		})
		stop := g.start(t.Context())
		time.Sleep(10 * time.Minute)
		stop()
		if asked < 20 || asked > 300 {
			t.Errorf("%d lists in ten minutes", asked)
		}
	})
}

// TestIdle shows that a watch is abandoned only if it is silent for much longer than the time between
// bookmarks.
func TestIdle(t *testing.T) {
	for name, c := range map[string]struct {
		script []string
		after  time.Duration
	}{
		"client-node-596 bookmarks have come": {[]string{begin + "1m @6 1m @7 hang", "short watch 7 → 4s @8 hang", "probe - → .x@1 ?7"}, 4 * time.Minute},
		"client-node-364 none ever came":      {[]string{begin + "hang", "short watch 5 → 4s ~a@6 2s EOF", "probe - → .x@1 ?5", "watch 6 → hang"}, 10*time.Minute + 35*time.Second},
		"it outlives what was asked":          {[]string{begin + strings.Repeat("3m ~a@6 ", 10) + "hang", "short watch 6 → 4s ~a@7 2s EOF", "probe - → .x@1 ?6", "watch 7 → hang"}, 34*time.Minute + 10*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := run(t, c.after, c.script)
				if s := g.State(); s.Idles != 1 || s.Resumes < 1 || s.Relists != 0 || len(g.failed) != 1 || !errors.Is(g.failed[0], errIdle) {
					t.Errorf("%+v %v", s, g.failed)
				}
			})
		})
	}
}

// TestSleepIsNoSilence shows that a watch survives a sleep that is longer than it may be silent, although its timer fires
// before what came is read, and that silence counts in full once the machine is awake.
func TestSleepIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := run(t, 2*time.Hour+3*time.Minute, []string{begin + "1m @6 sleep:2h ~a@7 hang", "short watch 7 → hang"})
		if s := g.State(); s.Idles != 1 || s.Relists != 0 || g.sink.String() != "a@7 b@2" {
			t.Fatalf("%+v %s", s, g.sink)
		}
		if silent := g.server.at[1].Sub(g.server.at[0]) - 2*time.Hour - time.Minute; silent != idleAfter {
			t.Errorf("it was given up %s after the last event", silent)
		}
	})
}

// TestSleepInList shows that a list survives a sleep: that the bookmark at its end is late says nothing of the server.
func TestSleepInList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := run(t, time.Hour+time.Minute, []string{"watch-list - → +a@1 1s sleep:1h +b@2 @5! hang"})
		if s := g.State(); g.sink.populated != "5" || s.Relists != 0 || len(g.failed) != 0 || len(g.server.asked) != 1 {
			t.Errorf("%+v %v %q", s, g.failed, g.server.asked)
		}
	})
}

// TestGone shows that State reports a missing kind at once, but not while an apiserver is starting.
func TestGone(t *testing.T) {
	for name, c := range map[string]struct {
		script []string
		after  time.Duration
		gone   bool
	}{
		"at once":                {[]string{begin + "2s EOF", "watch 5 → 404"}, 2001 * time.Millisecond, true},
		"never there":            {[]string{"watch-list - → 404"}, time.Millisecond, true},
		"while it starts":        {[]string{begin + "EOF", "watch 5 → refused", "watch 5 → 404", "watch 5 → 404"}, 9 * time.Second, false},
		"and when it has":        {[]string{begin + "EOF", "watch 5 → refused", "watch 5 → 404", "watch 5 → 404", "watch 5 → 404", "watch 5 → 404"}, 29 * time.Second, true},
		"and it is there again":  {[]string{begin + "EOF", "watch 5 → 404", "watch 5 → hang"}, 5 * time.Second, false},
		"or is another question": {[]string{"watch-list - → 404", "watch-list - → 403", "list 0 → 403"}, 3 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, append(c.script, slices.Repeat([]string{c.script[len(c.script)-1]}, 20)...))
				g.server.loose = true
				stop := g.start(t.Context())
				defer stop()
				time.Sleep(c.after)
				synctest.Wait()
				if s := g.State(); s.Gone != c.gone {
					t.Errorf("%+v\nasked %q", s, g.server.asked)
				}
			})
		})
	}
}

// TestShortSoon checks that a watch that ended at once is retried soon, however long earlier waits
// were.
func TestShortSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := append([]string{begin + "2s EOF"}, slices.Repeat([]string{"watch 5 → 401"}, 6)...)
		g := newRig(t, append(lines, "watch 5 → EOF", "probe - → .x@1 ?5", "watch 5 → hang", "probe - → .x@1 ?5"))
		g.server.loose = true
		stop := g.start(t.Context())
		defer stop()
		for !errors.Is(g.State().Err, errShort) {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(8 * time.Second)
		synctest.Wait()
		if s := g.State(); s.Phase != Watching {
			t.Errorf("%+v\nasked %q", s, g.server.asked)
		}
	})
}
