package source

import (
	"errors"
	"testing"
	"time"

	"watchglass/internal/wire"
)

// TestRestoring checks that attempts come less and less often, and often again after it went well for a while.
func TestRestoring(t *testing.T) {
	var r Restoring
	now := time.Unix(1000, 0)
	for n, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		if !r.May(now) {
			t.Fatalf("attempt %d may not begin", n)
		}
		if r.Begin(now); r.May(now) || !r.Busy() {
			t.Errorf("attempt %d may begin twice", n)
		}
		r.End(now, nil)
		if got := r.Next.Sub(now); got != want*time.Second {
			t.Errorf("after attempt %d the wait is %v", n, got)
		}
		if r.May(r.Next.Add(-1)) {
			t.Errorf("attempt %d may begin early", n+1)
		}
		now = r.Next
	}
	now = now.Add(2 * time.Minute)
	r.Begin(now)
	if r.End(now, nil); r.Next.Sub(now) != time.Second {
		t.Errorf("after it went well the wait is %v", r.Next.Sub(now))
	}
}

// TestRestoringFailed checks that the last failure is told, whoever it came from.
func TestRestoringFailed(t *testing.T) {
	var r Restoring
	denied := &wire.Status{Origin: wire.FromAPIServer, Code: 403, Message: "denied"}
	if r.End(time.Now(), denied); r.Failed != denied {
		t.Errorf("%+v", r.Failed)
	}
	if r.End(time.Now(), errors.New("away")); r.Failed == nil || r.Failed.Message != "away" || r.Failed.Origin != wire.FromTab {
		t.Errorf("%+v", r.Failed)
	}
	if r.End(time.Now(), nil); r.Failed != nil {
		t.Errorf("%+v", r.Failed)
	}
}
