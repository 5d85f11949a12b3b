package reflector

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestBacklog checks when a source whose watch is resumed is called live, and at which version.
func TestBacklog(t *testing.T) {
	const pause = 50 * time.Millisecond
	for name, c := range map[string]struct {
		lines   []string
		version string
		after   time.Duration // since the server was asked
	}{
		"at the version of the server":            {[]string{"watch 5 → after:16s ~a@6 50ms ~a@7 50ms ~b@8 50ms ~b@9 hang", "probe - → .x@1 ?8"}, "8", 2 * pause},
		"at once if that was reached":             {[]string{"watch 5 → after:16s 1s ~a@6 hang", "probe - → .x@1 ?5"}, "5", 0},
		"at a later one":                          {[]string{"watch 5 → after:16s ~a@6 50ms ~a@7 50ms ~b@10 hang", "probe - → .x@1 ?8"}, "10", 2 * pause},
		"a bookmark says that nothing is missing": {[]string{"watch 5 → after:16s ~a@6 50ms @8 hang", "probe - → .x@1 ?8"}, "8", pause},
		"nothing of its kind has changed":         {[]string{"watch 5 → after:16s hang", "probe - → .x@1 ?8"}, "5", backlogPause},
		"nothing more comes":                      {[]string{"watch 5 → after:16s ~a@6 50ms ~a@7 1s ~a@9 hang", "probe - → .x@1 ?8"}, "7", pause + backlogPause},
		"if nobody may ask, the watch has to do":  {[]string{"watch 5 → after:16s 1s ~a@6 hang", "probe - → 403"}, "5", 0},
		"versions without order have no backlog":  {[]string{"watch 5 → after:16s 1s ~a@6 hang", "probe - → .x@1 ?new"}, "5", 0},
		"it ends with its watch":                  {[]string{"watch 5 → after:16s ~a@6 50ms EOF", "probe - → .x@1 ?8", "watch 6 → hang"}, "6", pause},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var g *rig
				var mu sync.Mutex // Changed is called beside the watch, too
				var asked, live time.Time
				var version string
				g = newRig(t, append([]string{begin + "drop"}, c.lines...), func(o *Options[thing]) {
					o.Changed = func() {
						mu.Lock()
						defer mu.Unlock()
						switch s := g.State(); {
						case s.Probes > 0 && asked.IsZero():
							asked = time.Now()
						case !asked.IsZero() && live.IsZero() && s.Phase == Watching:
							live, version = time.Now(), s.Version
						}
					}
				})
				stop := g.start(t.Context())
				time.Sleep(40 * time.Second)
				synctest.Wait()
				stop()
				if after := live.Sub(asked); live.IsZero() || after != c.after || version != c.version {
					t.Errorf("live after %v, at version %q", after, version)
				}
				if s := g.State(); s.Err != nil {
					t.Error(s.Err)
				}
			})
		})
	}
}
