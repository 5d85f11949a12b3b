package web

import (
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/web/past"
)

// TestBackWhilePlaying checks that Back leaves the past while it plays, and that an entry with the same moment does not.
func TestBackWhilePlaying(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		w.Act(past.MovePast, "-600")
		w.arrive(of)
		w.Act(past.PlayPast, "")
		all := w.travels()
		w.sendPast(of, port.Past{At: of.to.Add(-590 * time.Second), Playing: true, Speed: 1, Seq: all[0].Seq})
		w.Moved("/pods", "") // Back
		synctest.Wait()
		if left := w.travels(); len(left) != 1 || !left[0].At.IsZero() {
			t.Errorf("Back asks for %+v", left)
		}
		w.sendPast(of, port.Past{At: of.to.Add(-580 * time.Second), Playing: true, Speed: 1, Seq: all[0].Seq}) // sent before
		if w.page.past.On() {
			t.Error("still in the past")
		}
	})
}
