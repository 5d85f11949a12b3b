package web

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/wire"
	"watchglass/web/recording"
	"watchglass/web/ui"
)

// recordArgs are the arguments of the recorder's questions.
type recordArgs struct {
	From    time.Time
	Choices struct {
		Kinds, Namespaces, Logs []string

		HideNamespaces, HideObjects, HideNodes, HideAnnotations, HideValues, HideImages, HideHosts bool
	}
	Page string
}

// recordAsk returns the last question of a method, with its arguments.
func (w *tab) recordAsk(method string) (last port.Ask, args recordArgs) {
	w.t.Helper()
	synctest.Wait()
	for _, m := range w.takeSent() {
		if a, ok := m.(port.Ask); ok && a.Method == method {
			last = a
		}
	}
	if last.ID == 0 {
		w.t.Fatalf("%s was not asked", method)
	}
	all := []recordArgs{{}}
	if err := json.Unmarshal(last.Args, &all); err != nil {
		w.t.Fatal(err)
	}
	if len(all) > 0 {
		args = all[0]
	}
	return last, args
}

// reply answers a question.
func (w *tab) reply(ask port.Ask, value string) {
	w.in <- port.Answer{ID: ask.ID, Value: json.RawMessage(value)}
	synctest.Wait()
}

// dialogText returns the text of the open dialog.
func (w *tab) dialogText() string {
	synctest.Wait()
	return find(w.t, draw(w.t, w.page), "id", "recording").text
}

const twoKinds = `{"from":"2026-11-23T14:02:00Z","to":"2026-11-23T14:31:00Z","kinds":[{"name":"pods","objects":10000,"changes":60000},{"name":"events","objects":1,"changes":1,"leftOut":true}],"namespaces":[{"name":"a\u202eb","objects":3,"changes":0}],"bytes":20971520,"logs":[{"id":"a/web/app","namespace":"a","pod":"web","container":"app","lines":1200,"outside":30,"chosen":true},{"id":"a/web/app/previous","namespace":"a","pod":"web","container":"app","previous":true,"lines":1}]}`

// TestRecordTwice checks that the key starts one recording and offers to save it if it is pressed again before the hub
// has answered.
func TestRecordTwice(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Press(ui.Key{Name: "r", InGrid: true})
		w.Press(ui.Key{Name: "r", InGrid: true})
		ask, _ := w.recordAsk("recording.start")
		w.reply(ask, `"2026-11-23T14:02:00Z"`)
		if _, args := w.recordAsk("recording.preview"); !args.From.Equal(time.Date(2026, 11, 23, 14, 2, 0, 0, time.UTC)) {
			t.Errorf("%+v", args)
		}
		if text := w.dialogText(); !strings.Contains(text, "Save recording") {
			t.Error(text)
		}
	})
}

// TestSaveRecording checks what the dialog says and asks for, and that the file is complete and named.
func TestSaveRecording(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		synctest.Wait()
		w.in <- port.State{Source: w.page.state.Source, Proxy: &wire.Welcome{Context: "prod/eu"}}
		w.Act(ui.SaveRecording, "")
		if text := w.dialogText(); !strings.Contains(text, "Counting…") {
			t.Error(text)
		}
		first, args := w.recordAsk("recording.preview")
		if c := args.Choices; !c.HideAnnotations || !c.HideValues || len(c.Logs) > 0 || c.HideObjects || !args.From.IsZero() {
			t.Errorf("%+v", args)
		}
		w.Act(recording.RecordChoice, "images")
		w.Act(recording.RecordLog, "a/web/app")
		w.Act(recording.RecordKind, "events")
		w.Act(recording.RecordIn, "a\u202eb")
		w.Act(recording.RecordFrom, "5m")
		last, args := w.recordAsk("recording.preview")
		if c := args.Choices; !c.HideImages || len(c.Logs) != 1 || len(c.Kinds) != 1 || len(c.Namespaces) != 1 || time.Since(args.From) != 5*time.Minute {
			t.Errorf("%+v", args)
		}
		w.reply(first, `{"kinds":[{"name":"late","objects":1}]}`)
		if text := w.dialogText(); !strings.Contains(text, "Counting…") {
			t.Errorf("an answer to another question shows: %s", text)
		}
		w.reply(last, twoKinds)
		text := w.dialogText()
		for _, want := range []string{"10,000 objects · 60,000 changes · 1,200 log lines · about 4 MB.", "All logs", "a/web · app 1,200 of 1,230 lines", "(previous)", "Log lines can contain secrets.", "Events 1 object", "The values of Secrets are never recorded, but a log line can repeat one."} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in %q", want, text)
			}
		}
		if strings.Contains(text, "\u202e") {
			t.Error("a name reverses text")
		}
		w.Act(recording.RecordLogs, "")
		both, args := w.recordAsk("recording.preview")
		if len(args.Choices.Logs) != 2 {
			t.Errorf("%+v", args)
		}
		w.reply(both, twoKinds)
		w.Act(recording.RecordLogs, "")
		none, args := w.recordAsk("recording.preview")
		if len(args.Choices.Logs) != 0 {
			t.Errorf("%+v", args)
		}
		w.reply(none, twoKinds)
		w.Act(recording.WriteFile, "")
		ask, args := w.recordAsk("recording.save")
		if !args.Choices.HideImages || args.Page != "/pods" {
			t.Errorf("%+v", args)
		}
		for _, chunk := range []string{"one ", "two"} {
			w.in <- port.Chunk{ID: ask.ID, Data: []byte(chunk)}
			synctest.Wait()
			if sent := w.takeSent(); len(sent) != 1 || sent[0].(port.Pull).ID != ask.ID {
				t.Errorf("%v", sent)
			}
		}
		if w.screen.saved != "" {
			t.Error("saved too early")
		}
		w.reply(ask, `{"dropped":0}`)
		want := "prod-eu-" + time.Date(2026, 11, 23, 14, 2, 0, 0, time.UTC).Local().Format("2006-01-02-1504") + ".watchglass\none two"
		if text := w.notice(); w.screen.saved != want || !strings.HasPrefix(text, "Saved prod-eu-") || strings.Contains(text, "left out") {
			t.Errorf("%q, %q", w.screen.saved, text)
		}
	})
}

// TestUnreadable checks that the page says how much a file lacks. The next file says nothing of it.
func TestUnreadable(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		for _, c := range []struct {
			answer string
			want   string
		}{{`{"dropped":3}`, "left out: 3."}, {`{"dropped":1200}`, "left out: 1,200."}, {`{}`, " KB)."}} {
			w.Act(ui.SaveRecording, "")
			ask, _ := w.recordAsk("recording.preview")
			w.reply(ask, twoKinds)
			w.Act(recording.WriteFile, "")
			ask, _ = w.recordAsk("recording.save")
			w.reply(ask, c.answer)
			if text := w.notice(); !strings.HasPrefix(text, "Saved ") || !strings.HasSuffix(text, c.want) {
				t.Errorf("%+v: %q", c, text)
			}
		}
	})
}

// TestRecordingMark checks that the key marks since when to record, that the badge shows it, and that the key then
// offers to save from there; saving ends it.
func TestRecordingMark(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Press(ui.Key{Name: "r", InGrid: true})
		ask, _ := w.recordAsk("recording.start")
		at := time.Now().Truncate(time.Second)
		w.reply(ask, at.UTC().Format(`"`+time.RFC3339+`"`))
		if mark := find(t, draw(t, w.page), "class", "recording"); mark.attrs["aria-label"] != "Recording since "+at.Local().Format(time.TimeOnly) || mark.attrs["hidden"] == "true" {
			t.Errorf("%v", mark.attrs)
		}
		if said := w.notice(); !strings.HasPrefix(said, "Recording.") {
			t.Errorf("the notice is %q", said)
		}
		w.Press(ui.Key{Name: "r", InGrid: true})
		if said := w.notice(); said != "" {
			t.Errorf("%q covers the buttons of the dialog", said)
		}
		look, args := w.recordAsk("recording.preview")
		if !args.From.Equal(at) || !w.screen.unsaved {
			t.Errorf("from %v, want %v; unsaved %v", args.From, at, w.screen.unsaved)
		}
		w.reply(look, twoKinds)
		w.Act(recording.RecordChoice, "objects")
		w.Act(recording.WriteFile, "")
		ask, _ = w.recordAsk("recording.save")
		w.reply(ask, `{}`)
		if w.page.recorder.Running() || !strings.HasPrefix(w.screen.saved, "recording-") || w.screen.unsaved {
			t.Errorf("%v, %q, unsaved %v", w.page.recorder.Running(), w.screen.saved, w.screen.unsaved)
		}
		w.recordAsk("recording.stop")
	})
}

// TestRecordingName checks that the name of a file leaves out the cluster if its name may have what is replaced: many contexts
// are named by a server.
func TestRecordingName(t *testing.T) {
	for choice, want := range map[string]string{"images": "prod-eu-", "hosts": "recording-", "nodes": "recording-", "objects": "recording-", "namespaces": "recording-"} {
		onPage(t, "/pods", func(t *testing.T, w *tab) {
			w.live()
			synctest.Wait()
			w.in <- port.State{Source: w.page.state.Source, Proxy: &wire.Welcome{Context: "prod/eu"}}
			w.Act(ui.SaveRecording, "")
			look, _ := w.recordAsk("recording.preview")
			w.reply(look, twoKinds)
			w.Act(recording.RecordChoice, choice)
			look, _ = w.recordAsk("recording.preview")
			w.reply(look, twoKinds)
			w.Act(recording.WriteFile, "")
			ask, _ := w.recordAsk("recording.save")
			w.reply(ask, `{}`)
			if !strings.HasPrefix(w.screen.saved, want) {
				t.Errorf("%s: %q", choice, w.screen.saved)
			}
		})
	}
}

// TestRecordingFails checks what is said when nothing is saved, and that another file may be then.
func TestRecordingFails(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		begin := func() uint32 {
			w.Act(ui.SaveRecording, "")
			ask, _ := w.recordAsk("recording.preview")
			w.reply(ask, twoKinds)
			w.Act(recording.WriteFile, "")
			ask, _ = w.recordAsk("recording.save")
			return ask.ID
		}
		first := begin()
		w.in <- port.Chunk{ID: first, Data: []byte("x")}
		w.in <- port.Answer{ID: first, Error: "there is no history yet"}
		synctest.Wait()
		if text := w.notice(); text != "Not saved: there is no history yet." {
			t.Error(text)
		}
		second := begin()
		w.takeSent()
		w.Act(recording.StopFile, "")
		if sent := w.takeSent(); len(sent) != 1 || sent[0] != (port.Cancel{ID: second}) || second == first {
			t.Errorf("%v", sent)
		}
		w.in <- port.Answer{ID: second}
		begin()
		w.in <- port.Reset{}
		synctest.Wait()
		if text := w.notice(); !strings.HasPrefix(text, "The background worker stopped") || w.page.recorder.Saving() || w.screen.saved != "" {
			t.Errorf("%q %q", text, w.screen.saved)
		}
		w.screen.blocked = true
		w.Act(ui.SaveRecording, "")
		ask, _ := w.recordAsk("recording.preview")
		w.reply(ask, twoKinds)
		w.Act(recording.WriteFile, "")
		if text := w.dialogText(); !strings.Contains(text, "This browser can't compress files.") {
			t.Error(text)
		}
	})
}

// TestStopTooLate checks that a file which is complete, and about to be downloaded, is not said to have been stopped.
func TestStopTooLate(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.screen.packing = make(chan struct{})
		w.reply(w.saves(), `{}`)
		w.Act(recording.StopFile, "")
		if text := w.notice(); !strings.HasPrefix(text, "Saving") {
			t.Error(text)
		}
		close(w.screen.packing)
		if text := w.notice(); !strings.HasPrefix(text, "Saved ") || w.page.recorder.Saving() {
			t.Error(text)
		}
	})
}

// TestStartGone holds that the dialog offers no start that the worker forgot, and asks the next worker what a file
// would have.
func TestStartGone(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Act(recording.Record, "")
		ask, _ := w.recordAsk("recording.start")
		w.reply(ask, `"2026-11-23T14:02:00Z"`)
		w.Act(ui.SaveRecording, "")
		ask, args := w.recordAsk("recording.preview")
		if args.From.IsZero() {
			t.Fatalf("%+v", args)
		}
		w.reply(ask, twoKinds)
		w.takeSent()
		w.in <- port.Reset{}
		synctest.Wait()
		ask, args = w.recordAsk("recording.preview")
		all := find(t, draw(t, w.page), "data-value", "all")
		if text := w.dialogText(); !args.From.IsZero() || all.attrs["aria-pressed"] != "true" || !strings.Contains(text, "Counting…") {
			t.Errorf("%+v, the span is everything: %s, %s", args, all.attrs["aria-pressed"], text)
		}
		w.reply(ask, twoKinds)
		if text := w.dialogText(); strings.Contains(text, "Since the recording started") || strings.Contains(text, "Counting…") {
			t.Error(text)
		}
	})
}
