package source

import (
	"testing"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/wire"
)

// TestWaiting checks that a list that waits for its turn is not said to fail, and that one that does is.
func TestWaiting(t *testing.T) {
	waits := Status{Fresh: informer.Connecting, Cause: wire.QueuedStatus(3)}
	if waits.Failing() || waits.Why() != "" {
		t.Errorf("a list that waits fails: %v, %q", waits.Failing(), waits.Why())
	}
	fails := Status{Fresh: informer.Connecting, Cause: &wire.Status{Origin: wire.FromProxy, Message: "no route to host"}}
	if !fails.Failing() || fails.Why() != "no route to host" {
		t.Errorf("a list that fails: %v, %q", fails.Failing(), fails.Why())
	}
	if s := (Status{Fresh: informer.Live}); s.Failing() || s.Why() != "" {
		t.Errorf("a list that is live fails: %v, %q", s.Failing(), s.Why())
	}
}

// TestVerdict checks what may be said of a list in each state: nothing is known of one whose objects were given up, or
// that is of the last visit, whatever its state is called.
func TestVerdict(t *testing.T) {
	denied := &wire.Status{Origin: wire.FromAPIServer, Code: 403}
	state := func(change func(*informer.State)) (s informer.State) {
		s.Synced, s.Objects, s.Unwatched = true, 3, denied
		if change != nil {
			change(&s)
		}
		return s
	}
	whole := state(nil)
	unread := state(func(s *informer.State) { s.Unread = 2 })
	saved := state(func(s *informer.State) { s.AsOf = time.Now() })
	for name, c := range map[string]struct {
		status         Status
		want           Verdict
		whole, forbids bool
	}{
		"live":                      {Status{State: whole, Fresh: informer.Live}, Live, true, false},
		"lacks objects":             {Status{State: unread, Fresh: informer.Live}, Unread, false, false},
		"listed at intervals":       {Status{State: whole, Fresh: informer.Stale, Cause: denied}, Polled, true, false},
		"and lacks objects":         {Status{State: unread, Fresh: informer.Stale, Cause: denied}, Unread, false, false},
		"not listed yet":            {Status{State: saved, Fresh: informer.Stale, Cause: denied}, Old, false, false},
		"stale":                     {Status{State: whole, Fresh: informer.Stale}, Old, true, false},
		"stale, lacks objects":      {Status{State: unread, Fresh: informer.Stale}, Old, false, false},
		"of the last visit":         {Status{State: saved, Fresh: informer.Stale}, Old, false, false},
		"coming in anew":            {Status{State: whole, Fresh: informer.Syncing}, Old, true, false},
		"coming in":                 {Status{Fresh: informer.Syncing}, Coming, false, false},
		"offline":                   {Status{Fresh: informer.Offline, Cause: &wire.Status{Origin: wire.FromTab}}, Coming, false, false},
		"no proxy":                  {Status{Fresh: informer.Connecting, Cause: &wire.Status{Origin: wire.FromSocket}}, Coming, false, false},
		"throttled":                 {Status{Fresh: informer.Throttled, Cause: &wire.Status{Origin: wire.FromAPIServer, Code: 429}}, Coming, false, false},
		"fails":                     {Status{Fresh: informer.Connecting, Cause: &wire.Status{Origin: wire.FromNetwork}}, Failing, false, false},
		"given up, being read anew": {Status{State: state(func(s *informer.State) { s.Emptied, s.Objects = true, 0 }), Fresh: informer.Stale}, Coming, false, false},
		"refused, not given up yet": {Status{State: whole, Fresh: informer.Denied, Cause: denied}, Refused, false, false},
		"refused":                   {Status{Fresh: informer.Denied, Cause: denied}, Refused, false, true},
		"signed out":                {Status{Fresh: informer.Denied, Cause: &wire.Status{Code: 401}}, Refused, false, false},
		"no such kind":              {Status{Fresh: informer.Gone, Cause: &wire.Status{Code: 404}}, Refused, false, false},
	} {
		if s := c.status; s.Verdict() != c.want || s.Whole() != c.whole || s.Forbidden() != c.forbids {
			t.Errorf("%s: %d, whole %v, forbidden %v", name, s.Verdict(), s.Whole(), s.Forbidden())
		}
	}
}
