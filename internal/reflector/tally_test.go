package reflector

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestTallyExpect checks what a tally expects of a backlog.
func TestTallyExpect(t *testing.T) {
	for _, c := range []struct {
		tally           Tally
		version, newest string
		want            float64
	}{
		{Tally{"5000", 500}, "6000", "8000", 1000},
		{Tally{"5000", 500}, "5999", "8000", 0}, // too short to tell
		{Tally{"5000", 0}, "7000", "8000", 0},
		{Tally{"5000", 500}, "6000", "6000", 0},
		{Tally{"5000", 500}, "6000", "5500", 0},
		{Tally{"5000", 500}, "6000", "new", 0},
		{Tally{"", 500}, "6000", "8000", 0},
		{Tally{"5000", 500}, "6000", "99999999999999999999999", 0},
	} {
		if got := c.tally.expect(c.version, c.newest); got != c.want {
			t.Errorf("%+v expects %v changes from %s to %s, not %v", c.tally, got, c.version, c.newest, c.want)
		}
	}
}

// TestTally checks that a tally counts what changes since the list, and no bookmarks.
func TestTally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{begin + "~a@6 +b@7 @9 -a@10 EOF", "watch 10 → +c@11 hang"})
		stop := g.start(t.Context())
		synctest.Wait()
		stop()
		if got, want := g.State().Tally, (Tally{"5", 4}); got != want {
			t.Errorf("%+v, not %+v", got, want)
		}
	})
}

// TestTallyObjects checks that what comes and goes counts as objects that a list would have.
func TestTallyObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{begin + "+c@6 +d@7 -a@8 ~b@9 hang"})
		stop := g.start(t.Context())
		synctest.Wait()
		stop()
		if g.lastList.objects != 3 {
			t.Errorf("%d objects", g.lastList.objects)
		}
	})
}

// TestOvertake checks that objects count as known in a list instead of a backlog, except after an outage that would
// lead to a comparison.
func TestOvertake(t *testing.T) {
	for away, renewed := range map[string]int{"10s": 0, "10m": 1} {
		t.Run(away, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lines := []string{"watch 5000 → hang", "probe - → .x@1 ?8000", "watch-list 8000 → +a@1 @8000! hang"}
				r := run(t, time.Second, lines, leave(away+" a@1 @5000"), tallied(Tally{"1000", 2000}))
				if r.renewed != renewed {
					t.Errorf("renewed %d times, not %d", r.renewed, renewed)
				}
			})
		})
	}
}

// TestOutrunHeld checks that nothing is expected where what comes may be held back on the way.
func TestOutrunHeld(t *testing.T) {
	r := newRig(t, nil).Reflector
	r.tally, r.position = Tally{"1000", 2000}, position{version: "5000", newest: "8000"}
	if !r.outrun() {
		t.Error("not outrun")
	}
	r.learned.held = bodies
	if r.outrun() {
		t.Error("outrun")
	}
}

// tallied adds a tally to the earlier run.
func tallied(tally Tally) func(*Options[thing]) {
	return func(o *Options[thing]) {
		earlier := o.Earlier
		o.Earlier = func(ctx context.Context) (Earlier[thing], bool) {
			e, ok := earlier(ctx)
			e.Tally = tally
			return e, ok
		}
	}
}

// TestOutrun checks that a watch is not resumed if it would bring so many changes that a list is faster. What is
// known of an earlier run counts, too.
func TestOutrun(t *testing.T) {
	half := Tally{"1000", 2000} // of what was written
	var some, more string
	for i := range 2300 {
		if i == 2000 {
			some = more
		}
		more += fmt.Sprintf(" c%04d@3", i)
	}
	for name, c := range map[string]struct {
		more    string // objects
		tally   Tally
		lines   []string
		store   string
		relists int
	}{
		"more changes than objects":   {"", half, []string{"watch 5000 → hang", "probe - → .x@1 ?8000", "watch-list 8000 → +b@2 +c@8000 @8000! hang"}, "b@2 c@8000", 1},
		"a list is faster":            {some, half, []string{"watch 5000 → hang", "probe - → .x@1 ?8000", "watch-list 8000 → +b@2 @8000! hang"}, "b@2", 1},
		"changes of other kinds":      {"", Tally{"1000", 20}, []string{"watch 5000 → hang", "probe - → .x@1 ?8000"}, "a@1 b@2", 0},
		"few changes, of few objects": {"", half, []string{"watch 5000 → ~a@5001 hang", "probe - → .x@1 ?6900"}, "a@5001 b@2", 0},
		"fewer changes than objects":  {more, half, []string{"watch 5000 → hang", "probe - → .x@1 ?8000"}, "a@1 b@2" + more, 0},
		"an earlier run told nothing": {"", Tally{}, []string{"watch 5000 → hang", "probe - → .x@1 ?8000"}, "a@1 b@2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := run(t, time.Second, c.lines, leave("10s a@1 b@2"+c.more+" @5000"), tallied(c.tally))
				s := r.State()
				if r.sink.String() != c.store || s.Relists != c.relists || s.Phase != Watching || s.Err != nil {
					t.Errorf("%s, %+v", r.sink, s)
				}
				if c.relists > 0 && s.Relistings[0].Cause != CauseOutrun {
					t.Errorf("listed again because of %s", s.Relistings[0].Cause)
				}
			})
		})
	}
}
