package reflector

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// polling is the beginning of a script for a source that may be listed but not watched.
var polling = []string{"watch-list - → 403", "list 0 → .a@1 ?5", "watch 5 → 403"}

// TestPoll shows the requests of a source that may be listed but not watched.
func TestPoll(t *testing.T) {
	with := func(more ...string) []string { return append(slices.Clone(polling), more...) }
	for name, c := range map[string]script{
		"lens-2209 what may not be watched is listed anew": {
			lines: with("all 5 → .a@1 .b@6 ?6", "all 6 → .b@6 ?7"), store: "b@6", version: "7", relists: 2, replaced: "6 7", deleted: "a", within: 23 * time.Second, state: "403",
		},
		"and watched as soon as it may be": {
			lines: with("all 5 → .a@1 ?5", "all 5 → .a@1 ?5", "all 5 → .a@1 ?5", "all 5 → .a@1 ?5", "all 5 → .a@1 ?5", "all 5 → .a@1 ?6", "watch 6 → +b@7 hang"),
			store: "a@1 b@7", version: "7", relists: 6, replaced: "5 5 5 5 5 6", within: 80 * time.Second,
		},
		"which is asked now and then": {
			lines: with("all 5 → .a@1 ?5", "all 5 → .a@1 ?5", "all 5 → .a@1 ?5", "all 5 → .a@1 ?5", "all 5 → .a@1 ?5", "all 5 → .a@1 ?6", "watch 6 → 403", "all 6 → .a@1 ?6"),
			store: "a@1", version: "6", relists: 7, replaced: "5 5 5 5 5 6 6", within: 78 * time.Second, state: "403",
		},
		"a watch that is no longer granted": {
			lines: []string{begin + "EOF", "watch 5 → 403", "watch 5 → 403", "watch-list 5 → 403", "all 5 → .a@1 .b@2 ?6", "all 6 → .a@1 ?7"},
			store: "a@1", version: "7", relists: 2, replaced: "6 7", deleted: "b", within: 23 * time.Second, state: "403",
		},
		"nor is the list": {
			lines: with("all 5 → .a@1 ?5", "all 5 → 403", "watch-list 5 → 403", "all 5 → 403"), relists: 1, replaced: "5 ", deleted: "a", within: 25 * time.Second, state: "403",
		},
		"a server that went back": {
			lines: with("all 5 → 504L", "list - → .b@2 ?3"), store: "b@2", version: "3", relists: 1, rewinds: 1, replaced: "3", deleted: "a", within: 15 * time.Second, state: "403",
		},
		"a server that is away": {
			lines: with("all 5 → refused", "all 5 → .a@1 ?6"), store: "a@1", version: "6", relists: 1, replaced: "6", within: 15 * time.Second, state: "403",
		},
	} {
		t.Run(name, c.run)
	}
}

// TestPolled checks the state of a polled source.
func TestPolled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, append(slices.Clone(polling), "all 5 → .a@1 ?5", "watch 5 → hang"))
		stop := g.start(t.Context())
		defer stop()
		synctest.Wait()
		began := time.Now()
		if s := g.State(); s.Polled != pollEvery || s.Phase != Waiting || !s.Synced || s.Watched || !s.Listed.Equal(began) {
			t.Fatalf("%+v", s)
		}
		time.Sleep(time.Second)
		g.Wake() // somebody looks
		synctest.Wait()
		if s := g.State(); s.Polled != 0 || s.Phase != Watching || s.Err != nil || !s.Watched || !s.Listed.Equal(began.Add(time.Second)) {
			t.Errorf("%+v", s)
		}
	})
}

// TestPollWait shows that a large list is fetched less often.
func TestPollWait(t *testing.T) {
	for objects, want := range map[int]time.Duration{0: pollEvery, 1999: pollEvery, 2000: 2 * pollEvery, 10_000: time.Minute, 100_000: maxPollWait} {
		if got := pollWait(objects); got != want {
			t.Errorf("%d objects: %v", objects, got)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{"watch-list - → 403", "list 0 → " + strings.Repeat(".x@1 ", 4500) + "?5", "watch 5 → 403"})
		stop := g.start(t.Context())
		defer stop()
		synctest.Wait()
		if s := g.State(); s.Polled != 3*pollEvery {
			t.Errorf("%+v", s)
		}
	})
}
