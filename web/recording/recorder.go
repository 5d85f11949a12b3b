package recording

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/dialog"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Actions of recording.
const (
	Record       ui.Action = "record"         // starts a recording, or offers to save the current one
	RecordFrom   ui.Action = "recording-from" // value: one of the spans
	RecordChoice ui.Action = "recording-choice"
	RecordKind   ui.Action = "recording-kind"      // value: its ID
	RecordIn     ui.Action = "recording-namespace" // value: its name
	RecordLog    ui.Action = "recording-log"       // value: its ID
	RecordLogs   ui.Action = "recording-logs"      // all of them, or none
	DiscardMark  ui.Action = "recording-discard"
	WriteFile    ui.Action = "recording-write"
	StopFile     ui.Action = "recording-stop"
)

// choices mirrors Choices of internal/history/recording: what a file leaves out or replaces.
type choices struct {
	Kinds           []string `json:"kinds,omitempty"`
	Namespaces      []string `json:"namespaces,omitempty"`
	HideNamespaces  bool     `json:"hideNamespaces,omitempty"`
	HideObjects     bool     `json:"hideObjects,omitempty"`
	HideNodes       bool     `json:"hideNodes,omitempty"`
	HideAnnotations bool     `json:"hideAnnotations,omitempty"`
	HideValues      bool     `json:"hideValues,omitempty"`
	HideImages      bool     `json:"hideImages,omitempty"`
	HideHosts       bool     `json:"hideHosts,omitempty"`
	Logs            []string `json:"logs,omitempty"` // the IDs of the logs in the file
}

// preview mirrors Preview of internal/history/recording: what a file would contain.
type preview struct {
	From, To, Dropped time.Time
	Kinds, Namespaces []contents
	Logs              []logLines
	Bytes             int
	Gaps              []struct{ From, To time.Time }
}

// logLines is the log of a container. Lines counts the lines within the file's time, and Outside the
// others.
type logLines struct {
	ID, Namespace, Pod, Container string
	Previous, Chosen              bool
	Lines, Outside                int
}

type contents struct {
	Name             string
	Objects, Changes int
	LeftOut          bool
}

// Recorder is the part that marks the start of a recording, and saves recordings.
type Recorder struct {
	dialog.Base
	host     Host
	browser  Browser
	past     Past
	dialogs  *dialog.Dialogs
	since    time.Time // start of the recording; zero: there is none
	starting bool      // the hub is asked to start one
	again    bool      // the key was pressed again meanwhile
	from     string    // a span
	choices  choices
	preview  *preview  // nil until it arrives
	failed   string    // why there is no preview
	asked    int       // number of the last preview request
	file     uint32    // the transfer of the file being saved; 0: all of it has come
	packer   ui.Packer // of that file; nil if none is being saved
	got      int       // bytes of that file so far
	covers   time.Time // the start of the recording, if that file has all of it
	name     string
}

// Spans that are not a fixed duration.
const (
	sinceMark     = "mark"
	allRemembered = "all"
)

var spans = []struct {
	value, words string
	last         time.Duration
}{
	{sinceMark, "Since the recording started", 0}, {"1m", "Last minute", time.Minute}, {"5m", "Last 5 minutes", 5 * time.Minute}, {"15m", "Last 15 minutes", 15 * time.Minute}, {allRemembered, "Everything", 0},
}

// New returns a recorder. By default it hides what a colleague rarely needs and nobody checks before sending.
func New(h Host, b Browser, p Past, d *dialog.Dialogs) *Recorder {
	return &Recorder{host: h, browser: b, past: p, dialogs: d, from: allRemembered, choices: choices{HideAnnotations: true, HideValues: true}}
}

// Running reports whether a recording is running. Saving reports whether a file is being saved.
func (r *Recorder) Running() bool { return !r.since.IsZero() }
func (r *Recorder) Saving() bool  { return r.packer != nil }

// Commands returns the commands of the recorder.
func (r *Recorder) Commands() []ui.Command {
	return []ui.Command{
		{ID: Record, Keys: []string{"r"}, Title: "Start or save a recording", Do: r.start, Offer: func(o *ui.Offer) bool {
			o.Text = r.Label()
			return !r.Running() && !r.past.On()
		}},
		{ID: ui.SaveRecording, Title: "Save recording…", Names: []string{"record", "export history"}, Do: r.show, Offer: func(o *ui.Offer) bool {
			if r.Running() && !r.past.On() {
				o.Hint = r.host.KeyOf(Record)
			}
			return true
		}},
		{ID: DiscardMark, Title: "Discard recording", Do: r.discard, Offer: func(*ui.Offer) bool { return r.Running() && !r.past.On() }},
		{ID: WriteFile, Do: r.save, KeepsDialog: true},
		{ID: StopFile, Do: r.stop, KeepsDialog: true},
		{ID: RecordFrom, Run: func(value string) { r.from = value; r.requestPreview() }, KeepsDialog: true},
		{ID: RecordKind, Run: func(id string) { r.choices.Kinds = flip(r.choices.Kinds, id); r.requestPreview() }, KeepsDialog: true},
		{ID: RecordIn, Run: func(name string) { r.choices.Namespaces = flip(r.choices.Namespaces, name); r.requestPreview() }, KeepsDialog: true},
		{ID: RecordLog, Run: func(id string) { r.choices.Logs = flip(r.choices.Logs, id); r.requestPreview() }, KeepsDialog: true},
		{ID: RecordLogs, Do: r.toggleLogs, KeepsDialog: true},
		{ID: RecordChoice, Run: r.toggle, KeepsDialog: true},
	}
}

// flip adds a name, or removes it.
func flip(all []string, name string) []string {
	if i := slices.Index(all, name); i >= 0 {
		return slices.Delete(slices.Clone(all), i, i+1)
	}
	return append(slices.Clone(all), name)
}

// start marks the start of a recording, or offers to save the current one.
func (r *Recorder) start() {
	if r.past.Empty() { // there is nothing to record
		return
	}
	if r.Running() || r.past.On() {
		r.show()
		return
	}
	if r.starting {
		r.again = true
		return
	}
	r.starting = true
	r.host.Ask("recording.start", json.RawMessage(`[]`), func(a port.Answer) {
		again := r.again
		r.starting, r.again = false, false
		var at time.Time
		if a.Error == "" && json.Unmarshal(a.Value, &at) == nil {
			r.begin(at)
			r.from = sinceMark
			if again {
				r.show()
				return
			}
			r.host.NotifyWith("Recording. Press "+r.host.KeyOf(Record)+" again to stop and save.", DiscardMark, "", "Discard")
		}
	})
}

// begin sets when the recording started; zero: there is none. The browser asks before it leaves a page with one, since
// the hub forgets it with the page.
func (r *Recorder) begin(at time.Time) {
	r.since = at
	r.browser.Unsaved(!at.IsZero())
}

// discard forgets the mark, and closes the dialog that offers to.
func (r *Recorder) discard() {
	r.forget()
	r.dialogs.Hide()
}

// forget forgets the mark.
func (r *Recorder) forget() {
	r.begin(time.Time{})
	r.from = allRemembered
	r.host.Ask("recording.stop", json.RawMessage(`[]`), func(port.Answer) {})
	r.host.Redraw()
}

// show opens the dialog.
func (r *Recorder) show() {
	if r.Saving() {
		return
	}
	r.choices.Logs = nil // each file starts without logs
	r.dialogs.Show(r, "recording-write")
	r.requestPreview()
}

// toggle changes one of the choices.
func (r *Recorder) toggle(name string) {
	if c := r.choice(name); c != nil {
		*c = !*c
		r.requestPreview()
	}
}

func (r *Recorder) choice(name string) *bool {
	c := &r.choices
	return map[string]*bool{
		"annotations": &c.HideAnnotations, "values": &c.HideValues, "images": &c.HideImages, "hosts": &c.HideHosts,
		"namespaces": &c.HideNamespaces, "objects": &c.HideObjects, "nodes": &c.HideNodes,
	}[name]
}

// request are the arguments of the hub's questions.
type request struct {
	From    time.Time `json:"from"`
	Choices choices   `json:"choices"`
	Page    string    `json:"page,omitempty"`
}

// request returns the arguments, with the start of the chosen span.
func (r *Recorder) request() (args json.RawMessage) {
	req := request{Choices: r.choices, Page: r.host.Href(r.host.Address())}
	switch {
	case r.span() == sinceMark:
		req.From = r.since
	case r.span() != allRemembered:
		end := time.Now()
		if r.past.On() {
			_, end = r.past.Span()
		}
		for _, s := range spans {
			if s.value == r.span() {
				req.From = end.Add(-s.last)
			}
		}
	}
	args, _ = json.Marshal([]request{req}) // texts and times
	return args
}

// requestPreview requests a preview. Answers to older requests are ignored.
func (r *Recorder) requestPreview() {
	r.asked++
	number := r.asked
	r.host.Redraw()
	r.host.Ask("recording.preview", r.request(), func(a port.Answer) {
		if number != r.asked {
			return
		}
		var p preview
		if r.failed = a.Error; a.Error == "" {
			if err := json.Unmarshal(a.Value, &p); err != nil {
				r.failed = err.Error()
			}
		}
		if r.preview = &p; r.failed != "" {
			r.preview = nil
		}
		r.host.Redraw()
	})
}

// save starts saving the file.
func (r *Recorder) save() {
	if r.Saving() || r.preview == nil {
		return
	}
	packer, why := r.browser.Pack()
	if why != "" {
		r.failed = why
		r.host.Redraw()
		return
	}
	r.packer, r.got, r.name = packer, 0, r.fileName()
	if r.covers = (time.Time{}); r.span() == sinceMark {
		r.covers = r.since
	}
	r.sayProgress()
	r.dialogs.Hide()
	r.file = r.host.Transfer("recording.save", r.request(), port.Transfer{Chunk: func(data []byte) { r.onChunk(packer, data) }}, func(a port.Answer) { r.onAnswer(packer, a) })
	for range port.Window {
		r.host.Send(port.Pull{ID: r.file})
	}
}

// fileName returns the file's name: the cluster and the start of the recording. It leaves out the
// cluster if names are replaced.
func (r *Recorder) fileName() string {
	name := "recording"
	if c, of := r.choices, r.host.State().Proxy; of != nil && !c.HideNamespaces && !c.HideObjects && !c.HideNodes && !c.HideHosts {
		name = cmp.Or(words.FileName(of.Context), name)
	}
	return name + "-" + r.preview.From.Local().Format("2006-01-02-1504") + ".watchglass"
}

// sayProgress shows how much of the file has been written.
func (r *Recorder) sayProgress() {
	text := "Saving recording…"
	if r.got > 0 {
		text = "Saving recording: " + words.Megabytes(r.got)
	}
	r.host.Progress(text, StopFile)
}

// stop cancels the file being saved, unless all of it has come: then the browser downloads it.
func (r *Recorder) stop() {
	if r.Saving() && r.file != 0 {
		r.host.Cancel(r.file)
		r.end("Stopped. No file was saved.")
	}
}

// end shows how saving ended.
func (r *Recorder) end(message string) {
	r.packer = nil
	r.host.Notify(message)
}

// onChunk adds a chunk to the file, and pulls another one once there is room for it.
func (r *Recorder) onChunk(packer ui.Packer, data []byte) {
	r.got += len(data)
	r.sayProgress()
	packer.Write(data, func() {
		r.host.Locked(func() {
			if r.packer == packer {
				r.host.Send(port.Pull{ID: r.file})
			}
		})
	})
}

// onAnswer downloads the file, which is complete, or says why there is none.
func (r *Recorder) onAnswer(packer ui.Packer, a port.Answer) {
	var saved struct{ Dropped int } // unreadable objects and changes, which the file lacks
	switch {
	case r.packer != packer: // the worker was replaced
	case a.Error != "":
		r.end("Not saved: " + a.Error + ".")
	default:
		_ = json.Unmarshal(a.Value, &saved)
		r.file = 0
		packer.Save(r.name, func(bytes int, failed string) {
			r.host.Locked(func() { r.onSaved(packer, bytes, saved.Dropped, failed) })
		})
	}
}

// onSaved handles the end of the download.
func (r *Recorder) onSaved(packer ui.Packer, bytes, dropped int, failed string) {
	switch {
	case r.packer != packer:
	case failed != "":
		r.end("Not saved: " + failed + ".")
	default:
		if !r.covers.IsZero() && r.covers.Equal(r.since) { // it has all of the recording that is running
			r.forget()
		}
		text := "Saved " + r.name + " (" + words.Megabytes(bytes) + ")."
		if dropped > 0 {
			text += " Unreadable objects and changes left out: " + words.Count(dropped) + "."
		}
		r.end(text)
	}
}

// OnReset forgets requests to the hub that ended, and the start that it knew. The page reports that separately.
func (r *Recorder) OnReset() {
	r.begin(time.Time{})
	r.packer = nil
	if r.dialogs.Open() == dialog.Dialog(r) {
		r.preview = nil
		r.requestPreview()
	}
}

// DrawMark draws the mark of a recording in the badge.
func (r *Recorder) DrawMark() app.UI {
	return app.Span().Class("recording").Hidden(r.since.IsZero()).Attr("role", "img").Attr("aria-label", r.sinceText()).Title(r.sinceText()).Text(map[bool]string{false: "REC"}[r.since.IsZero()])
}

func (r *Recorder) sinceText() string {
	return "Recording since " + r.since.Local().Format(time.TimeOnly)
}

// Label returns the label of the entry that starts or saves a recording.
func (r *Recorder) Label() string {
	if r.since.IsZero() {
		return "Start recording"
	}
	return "Stop and save recording…"
}
