package recording

import (
	"strings"
	"testing"
	"time"
)

// TestRecordingGaps checks that the dialog says when changes may be missing.
func TestRecordingGaps(t *testing.T) {
	clock := func(seconds int) time.Time { return time.Date(2026, 11, 26, 14, 2, seconds, 0, time.Local) }
	for _, c := range []struct {
		gaps int
		want string
	}{
		{0, " · about 0 KB."},
		{1, ". Changes may be missing (14:02:00–14:02:01)."},
		{3, ". Changes may be missing (14:02:00–14:02:01 and 2 more gaps)."},
	} {
		p := &preview{}
		for i := range c.gaps {
			p.Gaps = append(p.Gaps, struct{ From, To time.Time }{clock(3 * i), clock(3*i + 1)})
		}
		r := &Recorder{preview: p}
		if got := r.summary(); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q does not end with %q", got, c.want)
		}
	}
}
