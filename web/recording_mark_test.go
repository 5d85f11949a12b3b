package web

import (
	"testing"
	"testing/synctest"

	"watchglass/internal/port"
	"watchglass/web/recording"
	"watchglass/web/ui"
	"watchglass/web/views"
)

// TestMarkStays checks that a saved file ends only the recording that it has all of.
func TestMarkStays(t *testing.T) {
	t.Run("started while another file is saved", func(t *testing.T) {
		onPage(t, "/pods", func(t *testing.T, w *tab) {
			w.live()
			ask := w.saves()
			w.Press(ui.Key{Name: "r", InGrid: true})
			start, _ := w.recordAsk("recording.start")
			w.reply(start, `"2026-11-23T14:02:00Z"`)
			w.reply(ask, `{}`)
			if !w.page.recorder.Running() {
				t.Error("the recording has ended")
			}
		})
	})
	t.Run("of another cluster's recording", func(t *testing.T) {
		onPage(t, "/pods", func(t *testing.T, w *tab) {
			w.live()
			w.Press(ui.Key{Name: "r", InGrid: true})
			start, _ := w.recordAsk("recording.start")
			w.reply(start, `"2026-11-23T14:02:00Z"`)
			of := hour()
			of.recorded = &port.RecordingInfo{Cluster: "x"}
			w.sendPast(of, port.Past{At: of.to})
			ask := w.saves()
			w.reply(ask, `{}`)
			if !w.page.recorder.Running() {
				t.Error("the recording has ended")
			}
		})
	})
}

// TestSavedBehindDialog checks that a dialog which is opened while a file is saved stays open when the file
// ends the recording.
func TestSavedBehindDialog(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Press(ui.Key{Name: "r", InGrid: true})
		start, _ := w.recordAsk("recording.start")
		w.reply(start, `"2026-11-23T14:02:00Z"`)
		ask := w.saves()
		w.Act(views.SaveAs, "")
		w.reply(ask, `{}`)
		if w.page.recorder.Running() {
			t.Error("the recording goes on")
		}
		if _, _, open := nameField(t, w); !open {
			t.Errorf("%+v", w.page.dialogs.Open())
		}
		w.Act(ui.Leave, "")
		w.Press(ui.Key{Name: "r", InGrid: true})
		start, _ = w.recordAsk("recording.start")
		w.reply(start, `"2026-11-23T14:02:00Z"`)
		w.Act(ui.SaveRecording, "")
		w.Act(recording.DiscardMark, "")
		if w.page.recorder.Running() || w.page.dialogs.Open() != nil {
			t.Error("Discard leaves the recording or its dialog")
		}
	})
}

// saves opens the dialog and saves a file. It returns the request.
func (w *tab) saves() port.Ask {
	w.Act(ui.SaveRecording, "")
	look, _ := w.recordAsk("recording.preview")
	w.reply(look, twoKinds)
	w.Act(recording.WriteFile, "")
	ask, _ := w.recordAsk("recording.save")
	return ask
}

// TestSaveRefused checks that a file which the hub refuses to save is no longer shown as being saved.
func TestSaveRefused(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		ask := w.saves()
		w.in <- port.Answer{ID: ask.ID, Error: "there is no history yet"}
		synctest.Wait()
		if text := w.notice(); text != "Not saved: there is no history yet." || w.page.recorder.Saving() {
			t.Errorf("%q, still being saved: %v", text, w.page.recorder.Saving())
		}
	})
}
