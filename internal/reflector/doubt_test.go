package reflector

import (
	"context"
	"errors"
	"fmt"
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
