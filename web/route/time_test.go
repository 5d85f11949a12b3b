package route

import "testing"

// TestTime checks that a time that cannot be shown is none.
func TestTime(t *testing.T) {
	for _, wrong := range []string{"from=x", "from=9999-01-01T00:00:00Z", "to=1950-01-01T00:00:00Z"} {
		if a := Parse("", "/pods", "sel=a/b&tab=logs&"+wrong); a.Log.From != 0 || a.Log.To != 0 {
			t.Errorf("%s: %+v", wrong, a.Log)
		}
	}
}
