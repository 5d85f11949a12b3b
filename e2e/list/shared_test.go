package list

import (
	"testing"

	"watchglass/e2e/stage"
)

// TestSharedPage checks that a test finds the shared page as if it were new, though the one before left the same list paused,
// scrolled and with a marked row.
func TestSharedPage(t *testing.T) {
	t.Run("leaves", func(t *testing.T) {
		e := show(t, "/pods")
		e.Press("G", "p")
		e.Says("#badge", "Paused")
		e.Await(`document.querySelector(".grid .row.active") && document.getElementById("grid").scrollTop > 0`)
	})
	t.Run("finds", func(t *testing.T) {
		e := show(t, "/pods")
		e.Says("#badge", "Live")
		stage.Is(e, `[document.getElementById("grid").scrollTop, document.querySelectorAll(".grid .row.active").length]`, []int{0, 0})
	})
}
