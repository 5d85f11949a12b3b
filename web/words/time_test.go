package words

import (
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail/revision"
	"watchglass/internal/port"
)

func TestClockOff(t *testing.T) {
	for ahead, want := range map[int]string{4: "is 4m ahead of the apiserver's. Ages are wrong by 4m,", -90: "is 1h30m behind the apiserver's. Ages are wrong by 1h30m,"} {
		if got := ClockOff(ahead); !strings.Contains(got, want) {
			t.Errorf("%d: %s", ahead, got)
		}
	}
}

// TestRolloutTime checks that a rollout that was after a time is not said to be as old as that.
func TestRolloutTime(t *testing.T) {
	for after, want := range map[bool]string{false: "4m ago", true: "at most 4m ago"} {
		if got := RolloutTime(port.Rollout{At: noon, After: after}, noon.Add(4*time.Minute+30*time.Second)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAudit checks what the badge's details say of audits.
func TestAudit(t *testing.T) {
	now := time.Unix(1000, 0)
	for want, s := range map[string]port.Source{
		"":                             {},
		"matched the apiserver 5m ago": {Audited: now.Add(-5 * time.Minute)},
		"differences found in 1 audit": {Differences: 1},
		"differences found in 1 audit; last checked 5m ago": {Audited: now.Add(-5 * time.Minute), Differences: 1},
	} {
		if got := Audit(s, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRevisionSince checks since when a revision is said to have its number: as the overview says it of a rollback.
func TestRevisionSince(t *testing.T) {
	now := time.Unix(100_000, 0)
	for want, v := range map[string]revision.Revision{
		"27h ago":        {Created: 2800},
		"at most 3h ago": {Created: 2800, After: 89_200},
		"5m ago":         {Created: 2800, After: 89_200, Again: 99_700},
	} {
		if got := RevisionSince(&v, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		r := port.Rollout{At: time.Unix(max(v.Created, v.After, v.Again), 0), After: v.After > 0 && v.Again == 0}
		if got := RolloutTime(r, now); got != want {
			t.Errorf("the overview says %q, want %q", got, want)
		}
	}
}
