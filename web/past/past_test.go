package past

import (
	"testing"
	"time"

	"watchglass/internal/port"
)

// TestUnknown checks what is said of moments that are not in history.
func TestUnknown(t *testing.T) {
	p := new(Past)
	asked := time.Now().Add(-time.Hour)
	from := asked.Add(time.Minute)
	clock := func(at time.Time) string { return p.Clock(at) }
	for want, m := range map[string]port.Past{
		": this tab has only just started watching.":                           {Error: "nothing"},
		": older changes were dropped. History begins at " + clock(from) + ".": {From: from, Dropped: true, Error: "too old"},
		": this tab started watching at " + clock(from) + ".":                  {From: from, Error: "too old"},
		": no history yet.": {From: asked.Add(-time.Minute), Error: "No history yet."},
		": history ends at " + clock(from.Add(-2*time.Minute)) + ".": {From: from.Add(-time.Hour), To: from.Add(-2 * time.Minute)},
	} {
		if got := p.unknown(asked, m); got != clock(asked)+" is not in history"+want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
