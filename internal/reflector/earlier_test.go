package reflector

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// leave sets Options.Earlier to what a text says: how long ago it was, the objects, and their version.
// The word "broken" is an object that cannot be read.
func leave(text string) func(*Options[thing]) {
	return func(o *Options[thing]) {
		if text == "" {
			return
		}
		o.Earlier = func(context.Context) (Earlier[thing], bool) {
			words := strings.Fields(text)
			ago, err := time.ParseDuration(words[0])
			if err != nil {
				return Earlier[thing]{}, false
			}
			e := Earlier[thing]{At: time.Now().Add(-ago), Version: strings.TrimPrefix(words[len(words)-1], "@"), Cluster: "A"}
			e.Objects = func(yield func(thing, error) bool) {
				for _, word := range words[1 : len(words)-1] {
					obj, err := (&decoder{}).Decode([]byte(word))
					if !yield(obj, err) {
						return
					}
				}
			}
			return e, true
		}
	}
}

// earliers are runs that begin with what an earlier one left behind.
func earliers() map[string]script {
	return map[string]script{
		"it resumes": {
			earlier: "10s a@1 b@2 @5", lines: []string{"watch 5 → ~a@6 hang", "probe - → .x@1 ?6"}, store: "a@6 b@2", version: "6", resumes: 1,
		},
		"after a long time, it is also compared": {
			earlier: "10m a@1 b@2 @5", lines: []string{"watch 5 → ~a@6 hang", "probe - → .x@1 ?6", "audit 6 → .a@6 .b@2 ?6"}, store: "a@6 b@2", version: "6", resumes: 1,
		},
		"what the server has forgotten is listed, and replaced at once": {
			earlier: "10s a@1 b@2 @5", lines: []string{"watch 5 → 410", "watch-list 5 → +b@2 +c@7 @9! hang"}, store: "b@2 c@7", version: "9", relists: 1, replaced: "9", deleted: "a",
		},
		"a server that was rewound is listed": {
			earlier: "10m a@1 b@7 @9", lines: []string{"watch 9 → ok", "probe - → .x@1 ?5", "watch-list - → +a@1 @5! hang"}, store: "a@1", version: "5", relists: 1, rewinds: 1, replaced: "5", deleted: "b",
		},
		"without what was left, it lists": {
			earlier: "nothing", lines: []string{"watch-list - → +a@1 @5! hang"}, store: "a@1", version: "5",
		},
		"what is broken is listed": {
			earlier: "10s a@1 b@2 broken c@3 @5", lines: []string{"watch-list - → +b@2 +d@4 @6! hang"}, store: "b@2 d@4", version: "6", replaced: "6", deleted: "a",
		},
		"what is broken goes with the first refusal": {
			earlier: "10s a@1 broken @5", lines: []string{"watch-list - → 403", "list 0 → 403"}, deleted: "a", state: "403",
		},
		"a server that does not answer is asked again": {
			earlier: "10s a@1 @5", lines: []string{"watch 5 → refused", "watch 5 → ok", "probe - → .x@1 ?5", "audit 5 → .a@1 ?5"}, store: "a@1", version: "5", resumes: 1, within: 10 * time.Second,
		},
		"a right that was taken away takes the objects at once": {
			earlier: "10s a@1 @5", lines: []string{"watch 5 → 403", "watch-list 5 → 403", "all 5 → 403"}, deleted: "a", state: "403",
		},
		"so it does after an outage": {
			earlier: "10m a@1 @5", lines: []string{"watch 5 → 403", "watch-list 5 → 403", "all 5 → 403"}, deleted: "a", state: "403",
		},
		"a kind that is gone takes its objects": {
			earlier: "10s a@1 @5", lines: []string{"watch 5 → 404", "watch-list 5 → 404"}, deleted: "a", within: 5 * time.Second, state: "404",
		},
		"a right to list without the one to watch keeps them": {
			earlier: "10s a@1 @5", lines: []string{"watch 5 → 403", "watch-list 5 → 403", "all 5 → .a@1 ?7", "watch 7 → 403"}, store: "a@1", version: "7", relists: 1, replaced: "7", state: "403",
		},
	}
}

func TestEarlier(t *testing.T) {
	for name, c := range earliers() {
		t.Run(name, c.run)
	}
}

// TestEarlierCluster shows that what another cluster of the same address left behind is not followed.
func TestEarlierCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, time.Second, []string{"watch 5 → ok", "probe - → .x@1 ?8", "watch-list - → +z@1 @8! hang"}, leave("10m a@1 @5"), func(o *Options[thing]) {
			o.Checks.Cluster = func(context.Context) (string, error) { return "B", nil }
		})
		if r.sink.String() != "z@1" || r.State().Rewinds != 1 || r.renewed != 1 {
			t.Fatal(r.sink, r.State())
		}
	})
}

// TestEarlierReplaced shows that State keeps when the objects of an earlier run were saved after a list was handed over
// in their place: they are what readers see until that is in the store.
func TestEarlierReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saved := time.Now().Add(-10 * time.Second)
		r := run(t, time.Second, []string{"watch 5 → 410", "watch-list 5 → +a@7 @9! hang"}, leave("10s a@1 b@2 @5"))
		if s := r.State(); !s.AsOf.IsZero() || !s.WasOf.Equal(saved) {
			t.Errorf("as of %v, before as of %v, want none and %v", s.AsOf, s.WasOf, saved)
		}
	})
}

// TestEarlierStates shows that objects of an earlier run are never called current before a watch is
// open, and that State says as of when they are until then.
func TestEarlierStates(t *testing.T) {
	for name, lines := range map[string][]string{
		"resumed": {"watch 5 → after:2s hang", "probe - → .x@1 ?5"},
		"listed":  {"watch 5 → after:1s 410", "watch-list 5 → 1s +a@7 @9! hang"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var wrong error
				shown := 0
				var g *rig
				g = newRig(t, lines, leave("10s a@1 b@2 @5"), func(o *Options[thing]) {
					o.Changed = func() {
						switch s := g.State(); {
						case s.Synced && time.Since(begun) < 2*time.Second && (s.Phase == Watching || !s.AsOf.Equal(begun.Add(-10*time.Second))):
							wrong = errors.Join(wrong, fmt.Errorf("%s as of %s", s.Phase, s.AsOf))
						case s.Synced && time.Since(begun) < 2*time.Second:
							shown++
						}
					}
				})
				stop := g.start(t.Context())
				defer stop()
				time.Sleep(2500 * time.Millisecond)
				synctest.Wait()
				if s := g.State(); wrong != nil || shown == 0 || s.Phase != Watching || !s.AsOf.IsZero() || s.Err != nil {
					t.Errorf("%v; shown %d times; %+v", wrong, shown, s)
				}
			})
		})
	}
}

// TestEarlierBehind shows that the objects of an earlier run are as of then while it is known that changes since
// are missing, even if the watch that brings them ends.
func TestEarlierBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{"watch 5 → ~a@6 EOF", "probe - → .x@1 ?8", "watch 6 → after:2s ~b@8 hang"}, leave("10s a@1 b@2 @5"))
		defer g.start(t.Context())()
		time.Sleep(time.Second)
		synctest.Wait()
		if s := g.State(); s.AsOf.IsZero() || s.Phase == Watching || s.Version != "6" {
			t.Errorf("in between: %s as of %v at %s", s.Phase, s.AsOf, s.Version)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s := g.State(); !s.AsOf.IsZero() || s.Phase != Watching || s.Version != "8" {
			t.Errorf("in the end: %s as of %v at %s", s.Phase, s.AsOf, s.Version)
		}
	})
}

// TestEarlierEnds shows that a run which ends while it restores hands over nothing more.
func TestEarlierEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := newRig(t, nil, func(o *Options[thing]) {
			o.Earlier = func(context.Context) (Earlier[thing], bool) {
				return Earlier[thing]{Version: "5", Objects: func(yield func(thing, error) bool) {
					for i := 0; yield(thing{fmt.Sprint(i), "1"}, nil); i++ {
						if i == 10 {
							cancel()
						}
					}
				}}, true
			}
		})
		g.Run(ctx)
		if g.sink.len() != 11 || g.State().Synced || len(g.server.asked) > 0 {
			t.Error(g.sink, g.State())
		}
	})
}
