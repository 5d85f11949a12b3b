package reflector

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

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
		"nothing of its kind has changed":         {[]string{"watch 5 → after:16s hang", "probe - → .x@1 ?8"}, 0, "5", pauseLeast},
		"nothing more comes":                      {[]string{"watch 5 → after:16s ~a@6 50ms ~a@7 1s ~a@9 hang", "probe - → .x@1 ?8"}, 0, "7", 50*ms + pauseLeast},
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
				silent = b.silent(wait, pauseLeast)
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
