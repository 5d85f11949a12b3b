package reflector

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestStates shows the state at each step.
func TestStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, []string{"watch-list - → 1s +a@1 1s @5! 1s ~a@6 1s drop", "watch 6 → refused", "watch 6 → hang", "probe - → .x@1 ?6"})
		stop := r.start(t.Context())
		defer stop()
		at := func(d time.Duration, want string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			s := r.State()
			_, alive := r.Age(time.Now())
			if got := fmt.Sprint(s.Phase, " ", s.Synced, " ", s.Version, " ", alive, " ", s.Err != nil); got != want {
				t.Errorf("want %s, got %s", want, got)
			}
		}
		at(0, "listing false  true false")
		at(1500*time.Millisecond, "listing false  true false")
		at(time.Second, "watching true 5 true false")
		at(time.Second, "watching true 6 true false")
		at(time.Second, "waiting true 6 false true")
		at(5*time.Second, "watching true 6 true false")
		if s := r.State(); s.Events != 3 || s.Bytes == 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestStalled shows that a list that stops arriving is reported as stalled, not as coming in.
func TestStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 15*time.Second+time.Millisecond, []string{"watch-list - → 400", "list 0 → .a@1 hang"})
		if s := r.State(); s.Phase != Waiting || !errors.Is(s.Err, errStalled) {
			t.Errorf("%+v", s)
		}
	})
}

// TestCredit shows that every byte is credited after it was applied.
func TestCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, script := range [][]string{
			{"watch-list - → +a@1 +b@2 @5! +c@6 1ms ~c@7 hang"},
			{"watch-list - → 400", "list 0 → .a@1 1ms .b@2 ?5,c", "list - c → .d@1 ?5", "watch 5 → +c@6 1ms ~c@7 hang"},
			{"watch-list - → +a@1 drop", "watch-list - → +a@1 1ms +b@2 @5! +c@6 hang"},
			{"watch-list - → +a@1 @5! EOF", "watch 5 → refused", "watch 5 → hang", "probe - → .x@1 ?5", "audit 5 → .a@1 1ms ?5"},
		} {
			want := 0
			for _, line := range script {
				_, answer, _ := strings.Cut(line, " → ")
				for word := range strings.FieldsSeq(answer) {
					if strings.ContainsRune("+-~@?.", rune(word[0])) {
						want += len(word)
					}
				}
			}
			if r := run(t, 20*time.Second, script); r.server.credit != want {
				t.Errorf("%q: %d bytes credited, %d came", script, r.server.credit, want)
			}
		}
	})
}

// TestKnown shows that a new list reuses unchanged objects of the store.
func TestKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := []string{}
		r := run(t, time.Second, []string{"watch-list - → +a@1 +b@2 @5! 410", "watch-list 5 → +a@1 +b@3 @9! hang"}, func(o *Options[thing]) {
			o.Known = func(o thing) (thing, bool) {
				asked = append(asked, o.key)
				return o, false
			}
		})
		if r.sink.String() != "a@1 b@3" || fmt.Sprint(asked) != "[a b]" {
			t.Fatal(r.sink, asked)
		}
	})
}

// TestBackoff shows the pace of retries while a server stays away, and that Wake ends a wait.
func TestBackoff(t *testing.T) {
	for _, c := range []struct {
		code        int
		least, most int
	}{{0, 150, 300}, {500, 120, 240}, {429, 12, 30}} { // of the last, each other one is a list
		synctest.Test(t, func(t *testing.T) {
			var asked []time.Time
			fail := &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable}
			if c.code != 0 {
				fail = &wire.Status{Origin: wire.FromAPIServer, Code: c.code}
			}
			r := newRig(t, nil, func(o *Options[thing]) {
				o.Source = SourceFunc(func(_ context.Context, r wire.Request) (Stream, error) {
					if r.Verb == wire.Watch && c.code == 500 { // a list follows at once
						return nil, fail
					}
					asked = append(asked, time.Now())
					return nil, fail
				})
			})
			stop := r.start(t.Context())
			defer stop()
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if n := len(asked); n < c.least || n > c.most {
				t.Errorf("%d attempts in ten minutes", n)
			}
			if first := asked[1].Sub(asked[0]); first < 800*time.Millisecond || first > 1600*time.Millisecond {
				t.Errorf("the second after %v", first)
			}
			if !errors.Is(r.State().Err, fail) || r.State().Phase != Waiting {
				t.Errorf("%+v", r.State())
			}
			n := len(asked)
			r.Wake()
			synctest.Wait()
			if len(asked) != n+1 {
				t.Error("Wake did not end the wait")
			}
		})
	}
}
