package reflector

import (
	"fmt"
	"testing"
)

// TestCauseOf checks the causes of errors that wrap others.
func TestCauseOf(t *testing.T) {
	for want, err := range map[Cause]error{
		causeDifference: listAgain(difference{version: "5", deleted: 1}),
		causeHistory:    listAgain(fmt.Errorf("%w: %w", errOtherHistory, difference{version: "5", deleted: 1})),
		causeColumns:    listAgain(errColumns),
		causeUnreadable: fmt.Errorf("unreadable event: %w", errNoVersion),
		causeOutrun:     listAgain(errBacklogTooLong),
	} {
		if got := causeOf(err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}
