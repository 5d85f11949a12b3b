package reflector

import (
	"fmt"
	"testing"
)

// TestCauseOf checks the causes of errors that wrap others.
func TestCauseOf(t *testing.T) {
	for want, err := range map[Cause]error{
		CauseDifference: listAgain(difference{version: "5", deleted: 1}),
		CauseHistory:    listAgain(fmt.Errorf("%w: %w", errOtherHistory, difference{version: "5", deleted: 1})),
		CauseColumns:    listAgain(errColumns),
		CauseUnreadable: fmt.Errorf("unreadable event: %w", errNoVersion),
		CauseOutrun:     listAgain(errBacklogTooLong),
	} {
		if got := causeOf(err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}
