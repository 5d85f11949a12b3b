package summary

import (
	"testing"
	"time"

	"watchglass/internal/detail"
)

// TestSummaryMoment checks that the summary is drawn every second only if something in it is young.
func TestSummaryMoment(t *testing.T) {
	now := time.Unix(1_000_030, 0)
	for ago, want := range map[int64]int64{30: 1_000_030, 3600: 1_000_020} {
		v := &view{summary: detail.Summary{Sections: []detail.Section{{Sections: []detail.Section{{Tables: []detail.Table{{Rows: [][]detail.Line{{{{At: now.Unix() - ago}}}}}}}}}}}}
		if got := v.moment(now); got != want {
			t.Errorf("%d s ago: %d, want %d", ago, got, want)
		}
	}
}
