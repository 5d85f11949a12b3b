package dom

import (
	"testing"
	"time"
)

// TestMoment checks which moments scripts can name.
func TestMoment(t *testing.T) {
	for args, want := range map[string]time.Time{`[]`: {}, `[null]`: {}, `["2026-05-04T12:00:00.5Z"]`: time.Date(2026, 5, 4, 12, 0, 0, 5e8, time.UTC), `[1500]`: time.UnixMilli(1500)} {
		if got, failed := momentOf([]byte(args)); failed != "" || !got.Equal(want) {
			t.Error(args, got, failed)
		}
	}
	if _, failed := momentOf([]byte(`["yesterday"]`)); failed == "" {
		t.Error("any text is a moment")
	}
}
