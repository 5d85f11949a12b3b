package route

import (
	"slices"
	"testing"
)

// TestInvalid checks that parameters that mean nothing are returned in a fixed order, with their
// values as they were meant.
func TestInvalid(t *testing.T) {
	if got := Invalid("?q=web&at=&tab=logs&since=all&from=2026-11-23T14:02:00Z"); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	want := []Parameter{{"at", "\x1b"}, {"tab", "log"}, {"since", "10m"}, {"tto", "now"}}
	if got := Invalid("?tto=now&since=10m&tab=log&at=%1b"); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
