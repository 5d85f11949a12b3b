package drawer

import (
	"testing"

	"watchglass/web/route"
)

// TestTabsHaveAddresses checks that an address may name each tab of the drawer.
func TestTabsHaveAddresses(t *testing.T) {
	for _, tab := range tabs {
		if wrong := route.Invalid("tab=" + tab.ID); len(wrong) > 0 {
			t.Error(wrong)
		}
	}
}
