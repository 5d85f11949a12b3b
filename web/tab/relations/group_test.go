package relations

import (
	"testing"

	"watchglass/web/grid"
)

// TestAbbreviate checks that the worst state keeps its words.
func TestAbbreviate(t *testing.T) {
	all := []grid.State{{Text: "2 CrashLoopBackOff", Tone: grid.Failed}, {Text: "10 Running", Tone: grid.OK}}
	if got := abbreviate(all, 100); got[1].Text != "10 Running" {
		t.Error(got)
	}
	if got := abbreviate(all, 25); got[0].Text != "2 CrashLoopBackOff" || got[1].Text != "10" || got[1].Tone != grid.OK || all[1].Text != "10 Running" {
		t.Error(got, all)
	}
}
