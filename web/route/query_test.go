package route

import (
	"fmt"
	"testing"
)

// TestEventsSorted checks that events are sorted newest first by default, and that the address does
// not say so.
func TestEventsSorted(t *testing.T) {
	for query, want := range map[string]string{"": "Last Seen false", "sort=Reason": "Reason false", "sort=-Last+Seen": "Last Seen true"} {
		a := Parse("", "/events", query)
		if q := a.Query(); fmt.Sprint(q.Sort, " ", q.Descending) != want {
			t.Errorf("%q is sorted by %s %t, want %s", query, q.Sort, q.Descending, want)
		}
	}
	if got := Parse("", "/events", "").String(""); got != "/events" {
		t.Error(got)
	}
	if q := Parse("", "/pods", "").Query(); q.Sort != "" {
		t.Errorf("pods are sorted by %s", q.Sort)
	}
}
