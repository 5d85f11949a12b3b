//go:build !js

package recorded

import "testing"

// TestReadRow checks that a list without some of the columns has rows, with empty cells there.
func TestReadRow(t *testing.T) {
	if got, want := ReadRow([]string{"Name", "Count"}, []string{"web-1", "2"}), (Row{Name: "web-1", Count: "2"}); got != want {
		t.Errorf("%+v", got)
	}
}
