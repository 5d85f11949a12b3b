package reflector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"watchglass/internal/wire"
)

// TestVerify shows how a server is verified to be the same as before, and what happens if it is not.
func TestVerify(t *testing.T) {
	away := []string{begin + "EOF", "watch 5 → refused"}
	with := func(lines ...string) []string { return append(append([]string{}, away...), lines...) }
	again := "watch-list - → +b@2 @3! hang"
	for name, c := range map[string]script{
		"nothing is asked after an ordinary end": {
			lines: []string{begin + "2s EOF", "watch 5 → 2s EOF", "watch 5 → hang"}, store: "a@1 b@2", version: "5", resumes: 2, within: 5 * time.Second,
		},
		"nor after the proxy was away for a moment": {
			lines: []string{begin + "drop", "watch 5 → after:14s hang"}, store: "a@1 b@2", version: "5", resumes: 1, within: 40 * time.Second,
		},
		"one question after a longer one": {
			lines: []string{begin + "drop", "watch 5 → after:16s hang", "probe - → .x@1 ?5"}, store: "a@1 b@2", version: "5", resumes: 1, within: 40 * time.Second,
		},
		"and a comparison after a long one": {
			lines: []string{begin + "drop", "watch 5 → after:61s hang", "probe - → .x@1 ?5", "audit 5 → .a@1 .b@2 ?5"}, store: "a@1 b@2", version: "5", resumes: 1, within: 80 * time.Second,
		},
		"the probe is refused for now": {
			lines: with("watch 5 → ok", "probe - → 429:2", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 .b@2 ?5"), store: "a@1 b@2", version: "5", resumes: 1, within: 40 * time.Second,
		},
		"the watch says that the version is gone": {
			lines: with("watch 5 → 410", "watch-list 5 → 504L", again), store: "b@2", version: "3", relists: 1, rewinds: 1, replaced: "3", deleted: "a", within: 40 * time.Second,
		},
		"the probe may not be made": {
			lines: with("watch 5 → ok", "probe - → 403", "audit 5 → 403"), store: "a@1 b@2", version: "5", resumes: 1, within: 40 * time.Second,
		},
		"the probe is not answered": {
			lines: with("watch 5 → ok", "probe - → hangopen", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 .b@2 ?5"), store: "a@1 b@2", version: "5", resumes: 1, within: 60 * time.Second,
		},
		"one object is another": {
			lines: with("watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 .b@3 ?5", again), store: "b@2", version: "3", relists: 1, resumes: 1, rewinds: 1, replaced: "3", deleted: "a", within: 40 * time.Second,
		},
		"one object is missing": {
			lines: with("watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 .b@2 .c@3 ?5", again), store: "b@2", version: "3", relists: 1, resumes: 1, rewinds: 1, replaced: "3", deleted: "a", within: 40 * time.Second,
		},
		"one object is too many": {
			lines: with("watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 ?5", again), store: "b@2", version: "3", relists: 1, resumes: 1, rewinds: 1, replaced: "3", deleted: "a", within: 40 * time.Second,
		},
		"one that could not be read is no difference": {
			lines: []string{"watch-list - → +a@1 +broken @5! EOF", "watch 5 → refused", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 .x@2 ?5"}, store: "a@1", version: "5", resumes: 1, rejected: 1, within: 40 * time.Second,
		},
		"a comparison is tried again": {
			lines: with("watch 5 → ~a@9 hang", "probe - → .x@1 ?5", "audit 9 → 410", "audit 9 → .a@9 503", "audit 9 → .a@9 .b@2 ?9"), store: "a@9 b@2", version: "9", resumes: 1, within: 40 * time.Second,
		},
		"the comparison breaks off with the watch": {
			lines: with("watch 5 → 3s EOF", "probe - → .x@1 ?5", "audit 5 → .a@1 hang", "watch 5 → ok", "audit 5 → .a@1 .b@2 ?5"), store: "a@1 b@2", version: "5", resumes: 2, within: 40 * time.Second,
		},
		"a list is as good as a comparison": {
			lines: with("watch 5 → 503", "watch 5 → ok", "probe - → .x@1 ?3", "watch-list - → 503", "list - → 503", again), store: "b@2", version: "3", relists: 1, rewinds: 1, replaced: "3", deleted: "a", within: 60 * time.Second,
		},
	} {
		t.Run(name, c.run)
	}
}

// TestCluster shows that another cluster is recognised by its name, whatever its versions, and what
// State says then.
func TestCluster(t *testing.T) {
	forbidden := &wire.Status{Origin: wire.FromAPIServer, Code: 403, Message: "forbidden"}
	unready := &wire.Status{Origin: wire.FromAPIServer, Code: 503, Message: "unready"}
	resume := []string{begin + "2s refused", "watch 5 → ok", "probe - → .x@1 ?5"}
	other := append(append([]string{}, resume...), "watch-list - → +z@1 @3! hang")
	for name, c := range map[string]struct {
		script  []string
		answers []any
		rewinds int
		state   string
	}{
		"the same":              {resume, []any{"A", "A"}, 0, "A <nil>"},
		"another":               {other, []any{"A", "B", "B"}, 1, "B <nil>"},
		"may not be asked":      {resume, []any{forbidden}, 0, " forbidden"},
		"may no longer":         {resume, []any{"A", forbidden}, 0, " forbidden"},
		"not yet":               {append(append([]string{}, resume[:2]...), "probe - → .x@1 ?5", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 .b@2 ?5"), []any{"A", unready, "A"}, 0, "A <nil>"},
		"learnt with the watch": {resume, []any{unready, "A"}, 0, "A <nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := c.answers
				g := run(t, 30*time.Second, c.script, func(o *Options[thing]) {
					o.Checks.Cluster = func(context.Context) (string, error) {
						if len(answers) == 0 {
							t.Error("asked once more")
							return "", errors.New("asked once more")
						}
						answer := answers[0]
						answers = answers[1:]
						if err, ok := answer.(error); ok {
							return "", err
						}
						return answer.(string), nil
					}
				})
				s := g.State()
				if got := fmt.Sprint(s.Cluster, " ", s.Unchecked); got != c.state || s.Rewinds != c.rewinds || g.renewed != c.rewinds || len(answers) != 0 {
					t.Errorf("%s, %d rewinds, %d renewed, %v not asked for", got, s.Rewinds, g.renewed, answers)
				}
			})
		})
	}
}

// TestUnaudited shows that State reports the result of a comparison.
func TestUnaudited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := []string{begin + "EOF", "watch 5 → refused", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → 406"}
		if s := run(t, 20*time.Second, lines).State(); s.Audits != 0 || s.Probes != 1 || s.Unaudited == nil {
			t.Errorf("%+v", s)
		}
		lines[4] = "audit 5 → .a@1 .b@2 ?5"
		if s := run(t, 20*time.Second, lines).State(); s.Audits != 1 || s.Unaudited != nil || s.Err != nil {
			t.Errorf("%+v", s)
		}
	})
}

// clocks returns a time whose wall clock and whose monotonic clock are ahead of t's by different durations.
func clocks(t time.Time, wall, monotonic time.Duration) time.Time {
	t = t.Add(wall)
	(*struct {
		wall uint64
		ext  int64 // monotonic, in nanoseconds
		loc  *time.Location
	})(unsafe.Pointer(&t)).ext += int64(monotonic - wall)
	return t
}

// TestAway shows that the clock with the longer time counts.
func TestAway(t *testing.T) {
	now := time.Now()
	if away(time.Time{}, now) != 0 || away(now, now.Add(time.Minute)) != time.Minute {
		t.Error("the clock that cannot be set")
	}
	if slept := clocks(now, time.Hour, 0); away(now, slept) != time.Hour {
		t.Error("the clock on the wall")
	}
	if back := clocks(now, -time.Hour, time.Minute); away(now, back) != time.Minute {
		t.Error("a clock that was set back")
	}
}

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

// TestPeers runs what broke other clients of the apiserver. Each name begins with the issue, as
// e2e/PEERS.md lists it. Issues that a script of the conformance set covers are named there.
func TestPeers(t *testing.T) {
	for name, c := range map[string]script{
		"headlamp-7447 an event does not end its watch": {
			lines: []string{begin + "+c@6 1s ~c@7 1s -c@8 1s +d@9 hang"}, store: "a@1 b@2 d@9", version: "9", within: 10 * time.Second,
		},
		"headlamp-7340 an error in the stream keeps the version": {
			lines: []string{begin + "~a@6 429:1", "watch 6 → +c@7 hang"}, store: "a@6 b@2 c@7", version: "7", resumes: 1, within: 10 * time.Second,
		},
		"headlamp-6745 a version beyond 2^53 is kept to the digit": {
			lines: []string{begin + "+c@9007199254740993 EOF", "watch 9007199254740993 → -c@9007199254740995 hang"}, store: "a@1 b@2", version: "9007199254740995", resumes: 1,
		},
		"headlamp-2805 a deletion removes the object": {
			lines: []string{begin + "-a@6 hang"}, store: "b@2", version: "6",
		},
		"lens-6635 a watch that cannot be opened is tried again": {
			lines: []string{begin + "EOF", "watch 5 → drop", "watch 5 → torn", "watch 5 → refused", "watch 5 → +c@9 hang", "probe - → .x@1 ?5", "audit 9 → .a@1 .b@2 .c@9 ?9"},
			store: "a@1 b@2 c@9", version: "9", resumes: 1, within: time.Minute,
		},
		"lens-1110 a watch that is aborted goes on where it was": {
			lines: []string{begin + "~a@6 refused", "watch 6 → -b@7 refused", "probe - → .x@1 ?7", "watch 7 → +c@8 hang", "probe - → .x@1 ?8"},
			store: "a@6 c@8", version: "8", resumes: 2, within: 20 * time.Second,
		},
		"client-node-958 an hour of watches that end quietly": {
			lines: append([]string{begin + "4m EOF"}, append(slices.Repeat([]string{"watch 5 → 5m EOF"}, 12), "watch 5 → +c@6 hang")...), store: "a@1 b@2 c@6", version: "6", resumes: 13, within: 65 * time.Minute,
		},
		"client-node-3020 a healthy watch is not ended after half a minute": {
			lines: []string{begin + "4m +c@6 90s @7 hang"}, store: "a@1 b@2 c@6", version: "7", within: 7 * time.Minute,
		},
		"client-node-291 a refusal is not the end of a stream": {
			lines: []string{begin + "EOF", "watch 5 → 500", "watch-list 5 → +a@6 @7! hang"}, store: "a@6", version: "7", relists: 1, replaced: "7", deleted: "b", within: 10 * time.Second,
		},
		"kube-rs-1042 a dead version is left, whatever comes after": {
			lines: []string{begin + "EOF", "watch 5 → 410", "watch-list 5 → 410", "watch-list - → 503", "list - → refused", "watch-list - → +a@1 @20! hang"},
			store: "a@1", version: "20", relists: 1, replaced: "20", deleted: "b", within: 20 * time.Second,
		},
		"client-python-819 a list is as new as it says, not as its last item": {
			lines: []string{"watch-list - → 400", "list 0 → .b@9 .a@2 ?10", "watch 10 → -b@11 hang"}, store: "a@2", version: "11",
		},
		"client-python-819 nor is a watch-list as new as its last object": {
			lines: []string{"watch-list - → +b@9 +a@2 @10! 2s EOF", "watch 10 → -b@11 hang"}, store: "a@2", version: "11", resumes: 1, within: 5 * time.Second,
		},
		"cozystack-3096 a list of the same version is followed by a watch": {
			lines: []string{begin + "410", "watch-list 5 → +a@1 +b@2 @5! ~a@6 EOF", "watch 6 → 410", "watch-list 6 → +a@6 +b@2 @6! +c@7 hang"},
			store: "a@6 b@2 c@7", version: "7", relists: 2, replaced: "5 6", within: 10 * time.Second,
		},
		"porch-1101 a server that accepts any version is not believed after an absence": {
			lines: []string{begin + "drop", "watch 5 → after:2h +c@9 hang", "probe - → .x@1 ?9", "audit 9 → .a@1 .c@9 ?9", "watch-list - → +a@1 +c@9 @9! hang"},
			store: "a@1 c@9", version: "9", resumes: 1, relists: 1, rewinds: 1, replaced: "9", deleted: "b", within: 2*time.Hour + 10*time.Second,
		},
		"odh-dashboard-8703 a gateway that cuts idle watches after 30 s": {
			lines: []string{begin + "30s refused", "watch 5 → 30s refused", "probe - → .x@1 ?5", "watch 5 → 30s refused", "probe - → .x@1 ?5", "watch 5 → +c@6 hang", "probe - → .x@1 ?6"},
			store: "a@1 b@2 c@6", version: "6", resumes: 3, within: 2 * time.Minute,
		},
		"k9s-4186 a server that ignores the wish for initial events": {
			lines: []string{"watch-list - → 3s +c@6 hang", "list 0 → .a@1 .c@6 ?6", "short watch 6 → 1s +d@7 hang"}, store: "a@1 c@6 d@7", version: "7", replaced: "6", within: 15 * time.Second,
		},
		"cozystack-2786 a filter that drops every bookmark": {
			lines: []string{"watch-list - → +a@1 hang", "list 0 → .a@1 ?5", "watch 5 → 3m +b@6 2m EOF", "watch 6 → 3m +c@7 1m -a@8 hang"}, store: "b@6 c@7", version: "8", replaced: "5", resumes: 1, within: 10 * time.Minute,
		},
	} {
		t.Run(name, c.run)
	}
	t.Run("client-node-1933 no storm of watches after an outage", testNoStorm)
	t.Run("kube-state-metrics-694 live again after an outage of an hour", testLongOutage)
}

// testNoStorm counts the watches of ten minutes, while each one is accepted and ends at once.
func testNoStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{begin + "refused", "watch 5 → refused", "watch 5 → refused"})
		g.server.loose = true
		script, watches := g.options.Source, 0
		g.options.Source = SourceFunc(func(ctx context.Context, r wire.Request) (Stream, error) {
			switch {
			case len(g.server.script) > 0:
				return script.Open(ctx, r)
			case r.Limit == 1:
				return &stream{server: g.server, words: []string{".x@1", "?5"}}, nil
			case r.Encoding == wire.EncodingMetadata:
				return &stream{server: g.server, words: []string{".a@1", ".b@2", "?5"}}, nil
			case r.SendInitialEvents:
				return &stream{server: g.server, words: strings.Fields("+a@1 +b@2 @5! EOF")}, nil
			}
			if watches++; watches > 1000 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return &stream{server: g.server, words: []string{"EOF"}}, nil
		})
		stop := g.start(t.Context())
		time.Sleep(10 * time.Minute)
		stop()
		if watches < 60 || watches > 300 {
			t.Errorf("%d watches in ten minutes", watches)
		}
	})
}

// testLongOutage checks that a source is not live while the apiserver is away, however long, and is
// live within seconds of its return.
func testLongOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{begin + "refused"})
		script, opened := g.options.Source, false
		var back atomic.Bool
		g.options.Source = SourceFunc(func(ctx context.Context, r wire.Request) (Stream, error) {
			switch {
			case len(g.server.script) > 0:
				return script.Open(ctx, r)
			case !back.Load():
				return nil, statusWord("refused")
			case r.Limit == 1:
				return &stream{server: g.server, words: []string{".x@1", "?9"}}, nil
			case r.Encoding == wire.EncodingMetadata:
				return &stream{server: g.server, words: []string{".a@1", ".c@9", "?9"}}, nil
			}
			opened = true
			return &stream{server: g.server, words: []string{"-b@8", "+c@9", "hang"}}, nil
		})
		stop := g.start(t.Context())
		defer stop()
		time.Sleep(time.Hour)
		if s := g.State(); s.Phase == Watching || s.Err == nil || g.sink.String() != "a@1 b@2" {
			t.Errorf("away: %+v %v", s, g.sink)
		}
		back.Store(true)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if s := g.State(); s.Phase != Watching || s.Relists != 0 || !opened || g.sink.String() != "a@1 c@9" {
			t.Errorf("back: %+v %v", s, g.sink)
		}
	})
}
