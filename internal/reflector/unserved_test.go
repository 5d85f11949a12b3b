package reflector

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

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
