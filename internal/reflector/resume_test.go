package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"watchglass/internal/wire"
)

// agedPairs are pairs of which the first is older, or not.
var agedPairs = []struct {
	a, b string
	want bool
}{
	{"9", "10", true}, {"10", "9", false}, {"10", "10", false}, {"19", "20", true},
	{"", "1", false}, {"1", "", false}, {"a", "b", false}, {"0", "1", false}, {"1", "01", false}, {"-2", "1", false}, {"+1", "2", false}, {"1", "٢", false},
	{"99999999999999999999", "100000000000000000000", true},
}

func TestOlder(t *testing.T) {
	for _, c := range agedPairs {
		if older(c.a, c.b) != c.want {
			t.Error(c)
		}
	}
}

// FuzzOlder compares the order of versions with that of numbers of any length, and with
// apimachinery's.
func FuzzOlder(f *testing.F) {
	for _, c := range agedPairs {
		f.Add(c.a, c.b)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := number(a), number(b)
		want := x != nil && y != nil && x.Cmp(y) < 0
		if older(a, b) != want {
			t.Errorf("%q is older than %q: %v", a, b, !want)
		}
		if theirs, err := resourceversion.CompareResourceVersion(a, b); (err == nil && theirs < 0) != want {
			t.Errorf("%q and %q: apimachinery says %d, %v", a, b, theirs, err)
		}
	})
}

// number returns a version as a number, or nil.
func number(version string) *big.Int {
	n, ok := new(big.Int).SetString(version, 10)
	if !ok || n.Sign() <= 0 || n.String() != version {
		return nil
	}
	return n
}

// slowSink is a sink whose store has a batch only after a while.
type slowSink struct {
	*sink
	takes time.Duration
}

func (s slowSink) Applied(done func()) {
	if s.takes == 0 {
		s.sink.Applied(done)
		return
	}
	time.AfterFunc(s.takes, done)
}

// TestBacklog checks when a source whose watch is resumed is called live, and at which version.
func TestBacklog(t *testing.T) {
	const ms = time.Millisecond
	long := "watch 5 → after:16s ~a@6" + strings.Repeat(" 100ms ~a@7", 8) + " 350ms ~a@11 hang"
	for name, c := range map[string]struct {
		lines   []string
		takes   time.Duration // until a batch is in the store
		version string
		after   time.Duration // since the server was asked
	}{
		"at the version of the server":            {[]string{"watch 5 → after:16s ~a@6 50ms ~a@7 50ms ~b@8 50ms ~b@9 hang", "probe - → .x@1 ?8"}, 0, "8", 100 * ms},
		"once the store has it":                   {[]string{"watch 5 → after:16s ~a@6 50ms ~a@7 50ms ~b@8 50ms ~b@9 50ms ~b@10 50ms ~b@11 hang", "probe - → .x@1 ?8"}, 77 * ms, "9", 180 * ms},
		"at once if that was reached":             {[]string{"watch 5 → after:16s 1s ~a@6 hang", "probe - → .x@1 ?5"}, 0, "5", 0},
		"at a later one":                          {[]string{"watch 5 → after:16s ~a@6 50ms ~a@7 50ms ~b@10 hang", "probe - → .x@1 ?8"}, 0, "10", 100 * ms},
		"a bookmark says that nothing is missing": {[]string{"watch 5 → after:16s ~a@6 50ms @8 hang", "probe - → .x@1 ?8"}, 0, "8", 50 * ms},
		"nothing of its kind has changed":         {[]string{"watch 5 → after:16s hang", "probe - → .x@1 ?8"}, 0, "5", minPause},
		"nothing more comes":                      {[]string{"watch 5 → after:16s ~a@6 50ms ~a@7 1s ~a@9 hang", "probe - → .x@1 ?8"}, 0, "7", 50*ms + minPause},
		"nothing comes, as the store is behind":   {[]string{"watch 5 → after:16s ~a@6 350ms ~a@7 hang", "probe - → .x@1 ?8"}, 310 * ms, "7", 850 * ms},
		"the longer it comes, the longer a pause": {[]string{long, "probe - → .x@1 ?12"}, 0, "11", 1150*ms + 600*ms},
		"if nobody may ask, the watch has to do":  {[]string{"watch 5 → after:16s 1s ~a@6 hang", "probe - → 403"}, 0, "5", 0},
		"versions without order have no backlog":  {[]string{"watch 5 → after:16s 1s ~a@6 hang", "probe - → .x@1 ?new"}, 0, "5", 0},
		"the next watch goes on with it":          {[]string{"watch 5 → after:16s ~a@6 40ms EOF", "probe - → .x@1 ?8", "watch 6 → ~a@7 50ms ~a@8 hang"}, 0, "8", 90 * ms},
		"and waits for what that handed over":     {[]string{"watch 5 → after:16s ~a@6 ~b@8 42ms EOF", "probe - → .x@1 ?8", "watch 8 → hang"}, 303 * ms, "8", 347 * ms},
		"a comparison follows it":                 {[]string{"watch 5 → after:61s ~a@6" + strings.Repeat(" 140ms ~a@7", 20) + " 140ms ~b@8 hang", "probe - → .x@1 ?8", "audit 8 → .a@7 .b@8 ?8"}, 0, "8", 21 * 140 * ms},
		"and only that one":                       {[]string{"watch 5 → after:16s ~a@6 40ms @8 40ms EOF", "probe - → .x@1 ?8", "watch 8 → hang"}, 0, "8", 40 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var g *rig
				var mu sync.Mutex // Changed is called beside the watch, too
				var asked, live time.Time
				var version string
				var behind bool // and nothing is wrong
				g = newRig(t, append([]string{begin + "drop"}, c.lines...), func(o *Options[thing]) {
					o.Sink = slowSink{o.Sink.(*sink), c.takes}
					o.Changed = func() {
						mu.Lock()
						defer mu.Unlock()
						switch s := g.State(); {
						case s.Probes > 0 && asked.IsZero():
							asked = time.Now()
						case s.Probes > 0 && s.Phase == Resuming && s.Err == nil:
							behind = true
						case !asked.IsZero() && live.IsZero() && s.Phase == Watching:
							live, version = time.Now(), s.Version
						}
					}
				})
				stop := g.start(t.Context())
				time.Sleep(80 * time.Second)
				synctest.Wait()
				stop()
				if after := live.Sub(asked); live.IsZero() || after != c.after || version != c.version {
					t.Errorf("live after %v, at version %q", after, version)
				}
				if c.after > 0 && !behind {
					t.Error("what failed before is still shown")
				}
				if s := g.State(); s.Err != nil {
					t.Error(s.Err)
				}
			})
		})
	}
}

// TestBacklogSilent checks which waits in which nothing comes count.
func TestBacklogSilent(t *testing.T) {
	const long = 10 * pauseStep
	for name, c := range map[string]struct {
		waits []time.Duration // 0 is a batch that is soon in the store
		want  bool
	}{
		"in time":               {[]time.Duration{pauseStep, pauseStep, pauseStep}, true},
		"too few":               {[]time.Duration{pauseStep, pauseStep}, false},
		"a batch between":       {[]time.Duration{pauseStep, pauseStep, 0, pauseStep}, false},
		"one that was too long": {[]time.Duration{pauseStep, pauseStep, long}, false},
		"begun again after it":  {[]time.Duration{pauseStep, pauseStep, long, pauseStep, pauseStep}, false},
		"a machine so slow":     {slices.Repeat([]time.Duration{long}, 61), true}, // that every wait is too long
		"not yet so slow":       {slices.Repeat([]time.Duration{long}, 60), false},
	} {
		t.Run(name, func(t *testing.T) {
			b, silent := newBacklog("8"), false
			for _, wait := range c.waits {
				if wait == 0 {
					b.handOver()()
					continue
				}
				silent = b.silent(wait, minPause)
			}
			if silent != c.want {
				t.Errorf("silent: %v", silent)
			}
			b.handOver() // which the store never has
			if b.silent(pauseStep, 0) {
				t.Error("silent while the store lacks a batch")
			}
		})
	}
}

// TestBacklogOfList shows that what happens while a long list in pages is read is a backlog of the watch that follows.
func TestBacklogOfList(t *testing.T) {
	for name, c := range map[string]struct {
		lines  []string
		probes int
		live   string // the version at which it is
	}{
		"no answer":    {[]string{"list 0 → .a@1 3s .b@2 ?5", "watch 5 → ~a@6 hang", "probe - → 429:60"}, 1, "5"},
		"a long list":  {[]string{"list 0 → .a@1 3s .b@2 ?5", "watch 5 → ~a@6 50ms ~a@7 50ms ~b@8 hang", "probe - → .x@1 ?8"}, 1, "8"},
		"a short list": {[]string{"list 0 → .a@1 1s .b@2 ?5", "watch 5 → ~a@6 50ms ~a@7 50ms ~b@8 hang"}, 0, "5"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var g *rig
				var mu sync.Mutex
				var live string
				g = newRig(t, append([]string{"watch-list - → 400"}, c.lines...), func(o *Options[thing]) {
					o.Changed = func() {
						mu.Lock()
						defer mu.Unlock()
						switch s := g.State(); {
						case s.Phase == Resuming:
							t.Error("nothing is resumed on the first list")
						case s.Phase == Watching && live == "":
							live = s.Version
						}
					}
				})
				stop := g.start(t.Context())
				time.Sleep(time.Minute)
				stop()
				if s := g.State(); live != c.live || s.Probes != c.probes || len(g.server.script) > 0 {
					t.Errorf("live at version %s after %d probes; not asked: %q", live, s.Probes, g.server.script)
				}
			})
		})
	}
}

// stalling is a stream that has to wait for credit once, with its nth batch.
type stalling struct {
	Stream
	n    int32
	came atomic.Int32
}

func (s *stalling) Next(ctx context.Context) (wire.Batch, error) {
	s.came.Add(1)
	return s.Stream.Next(ctx)
}

func (s *stalling) Stalls() int {
	if s.came.Load() >= s.n {
		return 1
	}
	return 0
}

// TestOutpaced shows that a watch which ended while it was read too slowly is followed by one with a backlog, and that
// the stalls of a list are counted once.
func TestOutpaced(t *testing.T) {
	for name, c := range map[string]struct {
		n      int32
		script []string
		probes int
	}{
		"in the watch": {2, []string{begin + "1s ~a@6 EOF", "watch 6 → ~a@7 50ms ~a@8 hang", "probe - → .x@1 ?8"}, 1},
		"in the list":  {1, []string{begin + "1s ~a@6 EOF", "watch 6 → hang"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := true
				g := newRig(t, c.script, func(o *Options[thing]) {
					served := o.Source
					o.Source = SourceFunc(func(ctx context.Context, r wire.Request) (Stream, error) {
						s, err := served.Open(ctx, r)
						if err == nil && first {
							first = false
							return &stalling{Stream: s, n: c.n}, nil
						}
						return s, err
					})
				})
				stop := g.start(t.Context())
				time.Sleep(time.Minute)
				stop()
				if s := g.State(); s.Probes != c.probes || s.Stalls != 1 || s.Phase != Watching {
					t.Errorf("%d probes, %d stalls, %v", s.Probes, s.Stalls, s.Phase)
				}
			})
		})
	}
}

// TestListEndsOutage shows that a list in pages leaves no doubt about how long its server was out of sight before.
func TestListEndsOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := run(t, 2*time.Minute, []string{"watch-list - → 400", "list 0 → .a@1 ?5", "watch 5 → 2s EOF", "watch 5 → after:70s 410", "all 5 → .a@1 ?9", "watch 9 → hang"})
		if s := g.State(); s.Probes != 0 || s.Version != "9" || s.Phase != Watching {
			t.Errorf("%d probes, version %s, %v", s.Probes, s.Version, s.Phase)
		}
	})
}

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
	if !r.listIsFaster() {
		t.Error("not outrun")
	}
	r.server.buffering = bodyBuffered
	if r.listIsFaster() {
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
				if c.relists > 0 && s.Relistings[0].Cause != causeOutrun {
					t.Errorf("listed again because of %s", s.Relistings[0].Cause)
				}
			})
		})
	}
}

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
