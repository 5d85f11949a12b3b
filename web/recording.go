package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/internal/sorting"
	"watchglass/web/dialog"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Actions of recording.
const (
	Record        ui.Action = "record" // starts a recording, or offers to save the current one
	SaveRecording ui.Action = "recording"
	RecordFrom    ui.Action = "recording-from" // value: one of the spans
	RecordChoice  ui.Action = "recording-choice"
	RecordKind    ui.Action = "recording-kind"      // value: its ID
	RecordIn      ui.Action = "recording-namespace" // value: its name
	RecordLog     ui.Action = "recording-log"       // value: its ID
	RecordLogs    ui.Action = "recording-logs"      // all of them, or none
	DiscardMark   ui.Action = "recording-discard"
	WriteFile     ui.Action = "recording-write"
	StopFile      ui.Action = "recording-stop"
)

// Packer compresses a file. Implementations are pointers, so that Packers can be compared.
type Packer interface {
	// Write adds a piece, and calls taken when it is ready for the next.
	Write(piece []byte, taken func())
	// Save downloads the file, and calls done with its size, or with why it failed.
	Save(name string, done func(bytes int, failed string))
}

// recordChoices mirrors recording.Choices: what a file leaves out or replaces.
type recordChoices struct {
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

// recordPreview mirrors recording.Preview: what a file would contain.
type recordPreview struct {
	From, To, Dropped time.Time
	Kinds, Namespaces []recordContents
	Logs              []recordLog
	Bytes             int
	Gaps              []struct{ From, To time.Time }
}

// recordLog is the log of a container. Lines counts the lines within the file's time, and Outside the
// others.
type recordLog struct {
	ID, Namespace, Pod, Container string
	Previous, Chosen              bool
	Lines, Outside                int
}

type recordContents struct {
	Name             string
	Objects, Changes int
	LeftOut          bool
}

// recorder is the part that marks the start of a recording, and saves recordings.
type recorder struct {
	*page
	dialog.Base
	since    time.Time // start of the recording; zero: there is none
	starting bool      // the hub is asked to start one
	again    bool      // the key was pressed again meanwhile
	from     string    // a span
	choices  recordChoices
	preview  *recordPreview // nil until it arrives
	failed   string         // why there is no preview
	asked    int            // number of the last preview request
	lastFile uint32
	packer   Packer    // of the file being saved; nil if none is
	got      int       // bytes of that file so far
	dropped  int       // unreadable objects and changes, which the file lacks
	covers   time.Time // the start of the recording, if that file has all of it
	name     string
	result   string // message about the last saved file
}

// Spans that are not a fixed duration.
const (
	sinceMark     = "mark"
	allRemembered = "all"
)

var recordSpans = []struct {
	value, words string
	last         time.Duration
}{
	{sinceMark, "Since the recording started", 0}, {"1m", "Last minute", time.Minute}, {"5m", "Last 5 minutes", 5 * time.Minute}, {"15m", "Last 15 minutes", 15 * time.Minute}, {allRemembered, "Everything", 0},
}

// newRecorder returns a recorder. By default it hides what a colleague rarely needs and nobody checks
// before sending.
func newRecorder(p *page) *recorder {
	return &recorder{page: p, from: allRemembered, choices: recordChoices{HideAnnotations: true, HideValues: true}}
}

func (r *recorder) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		Record: ui.IgnoreValue(r.start), SaveRecording: ui.IgnoreValue(r.show), DiscardMark: ui.IgnoreValue(r.discard), WriteFile: ui.IgnoreValue(r.save), StopFile: ui.IgnoreValue(r.stop),
		RecordFrom:   func(value string) { r.from = value; r.look() },
		RecordKind:   func(id string) { r.choices.Kinds = flip(r.choices.Kinds, id); r.look() },
		RecordIn:     func(name string) { r.choices.Namespaces = flip(r.choices.Namespaces, name); r.look() },
		RecordLog:    func(id string) { r.choices.Logs = flip(r.choices.Logs, id); r.look() },
		RecordLogs:   ui.IgnoreValue(r.toggleLogs),
		RecordChoice: r.toggle,
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
func (r *recorder) start() {
	if r.past.Empty() { // there is nothing to record
		return
	}
	if !r.since.IsZero() || r.past.On() {
		r.show()
		return
	}
	if r.starting {
		r.again = true
		return
	}
	r.starting = true
	r.Ask("recording.start", json.RawMessage(`[]`), func(a port.Answer) {
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
			r.notices.say(notice{text: "Recording. Press " + keyOf(Record) + " again to stop and save.", action: DiscardMark, label: "Discard"})
		}
	})
}

// begin sets when the recording started; zero: there is none. The browser asks before it leaves a page with one, since
// the hub forgets it with the page.
func (r *recorder) begin(at time.Time) {
	r.since = at
	r.browser.Unsaved(!at.IsZero())
}

// discard forgets the mark, and closes the dialog that offers to.
func (r *recorder) discard() {
	r.forget()
	r.dialogs.Hide()
}

// forget forgets the mark.
func (r *recorder) forget() {
	r.begin(time.Time{})
	r.from = allRemembered
	r.Ask("recording.stop", json.RawMessage(`[]`), func(port.Answer) {})
	r.redraw()
}

// show opens the dialog.
func (r *recorder) show() {
	if r.packer != nil {
		return
	}
	r.choices.Logs = nil // each file starts without logs
	r.dialogs.Show(r, "recording-write")
	r.look()
}

// toggle changes one of the choices.
func (r *recorder) toggle(name string) {
	if c := r.choice(name); c != nil {
		*c = !*c
		r.look()
	}
}

func (r *recorder) choice(name string) *bool {
	c := &r.choices
	return map[string]*bool{
		"annotations": &c.HideAnnotations, "values": &c.HideValues, "images": &c.HideImages, "hosts": &c.HideHosts,
		"namespaces": &c.HideNamespaces, "objects": &c.HideObjects, "nodes": &c.HideNodes,
	}[name]
}

// recordRequest are the arguments of the hub's questions.
type recordRequest struct {
	ID      uint32        `json:"id,omitempty"`
	From    time.Time     `json:"from"`
	Choices recordChoices `json:"choices"`
	Page    string        `json:"page,omitempty"`
}

// request returns the arguments, with the start of the chosen span.
func (r *recorder) request(id uint32) (args json.RawMessage) {
	req := recordRequest{ID: id, Choices: r.choices, Page: r.address.String(r.base)}
	switch {
	case r.span() == sinceMark:
		req.From = r.since
	case r.span() != allRemembered:
		end := time.Now()
		if r.past.On() {
			_, end = r.past.Span()
		}
		for _, s := range recordSpans {
			if s.value == r.span() {
				req.From = end.Add(-s.last)
			}
		}
	}
	args, _ = json.Marshal([]recordRequest{req}) // texts and times
	return args
}

// look requests a preview. Answers to older requests are ignored.
func (r *recorder) look() {
	r.asked++
	number := r.asked
	r.redraw()
	r.Ask("recording.preview", r.request(0), func(a port.Answer) {
		if number != r.asked {
			return
		}
		var p recordPreview
		if r.failed = a.Error; a.Error == "" {
			if err := json.Unmarshal(a.Value, &p); err != nil {
				r.failed = err.Error()
			}
		}
		if r.preview = &p; r.failed != "" {
			r.preview = nil
		}
		r.redraw()
	})
}

// save starts saving the file.
func (r *recorder) save() {
	if r.packer != nil || r.preview == nil {
		return
	}
	packer, why := r.browser.Pack()
	if why != "" {
		r.failed = why
		r.redraw()
		return
	}
	r.lastFile++
	r.packer, r.got, r.dropped, r.name, r.result = packer, 0, 0, r.fileName(), ""
	if r.covers = (time.Time{}); r.span() == sinceMark {
		r.covers = r.since
	}
	r.sayProgress()
	r.dialogs.Hide()
	file := r.lastFile
	r.Ask("recording.save", r.request(firstSaved+file), func(a port.Answer) {
		var saved struct{ Dropped int }
		if a.Error != "" && r.packer == packer { // otherwise its last piece says it
			r.end("Not saved: " + a.Error + ".")
		}
		if file == r.lastFile && a.Error == "" && json.Unmarshal(a.Value, &saved) == nil && saved.Dropped > 0 {
			r.onDropped(saved.Dropped)
		}
	})
}

// onDropped notes how much the file lacks. If the file is already saved, it repeats the message: the
// answer and the end of the download arrive in any order.
func (r *recorder) onDropped(n int) {
	if r.dropped = n; r.result != "" {
		r.sayResult()
	}
}

// sayResult shows that the file is saved, and how much it lacks.
func (r *recorder) sayResult() {
	text := r.result
	if r.dropped > 0 {
		text += " Unreadable objects and changes left out: " + words.Count(r.dropped) + "."
	}
	r.notices.say(notice{text: text})
}

// firstSaved is the first ID of saved files.
const firstSaved = 1 << 16

// fileName returns the file's name: the cluster and the start of the recording. It leaves out the
// cluster if names are replaced.
func (r *recorder) fileName() string {
	name := "recording"
	if c := r.choices; r.state.Proxy != nil && !c.HideNamespaces && !c.HideObjects && !c.HideNodes && !c.HideHosts {
		name = cmp.Or(words.FileName(r.state.Proxy.Context), name)
	}
	return name + "-" + r.preview.From.Local().Format("2006-01-02-1504") + ".watchglass"
}

// sayProgress shows how much of the file has been written.
func (r *recorder) sayProgress() {
	text := "Saving recording…"
	if r.got > 0 {
		text = "Saving recording: " + words.Megabytes(r.got)
	}
	r.notices.notice = notice{text: text, action: StopFile, label: "Stop", number: r.notices.notice.number + 1}
	r.redrawSoon()
}

// stop cancels the file being saved.
func (r *recorder) stop() {
	if r.packer != nil {
		r.port.Send(port.Close{ID: firstSaved + r.lastFile})
		r.end("Stopped. No file was saved.")
	}
}

// end shows how saving ended.
func (r *recorder) end(message string) {
	r.packer = nil
	r.notices.say(notice{text: message})
}

// onPiece adds a piece to the file.
func (r *recorder) onPiece(m port.Piece) {
	packer := r.packer
	switch {
	case packer == nil || m.ID != firstSaved+r.lastFile:
	case m.Error != "":
		r.end("Not saved: " + m.Error + ".")
	case m.Last:
		packer.Save(r.name, func(bytes int, failed string) {
			r.locked(func() { r.onSaved(packer, bytes, failed) })
		})
	default:
		r.got += len(m.Data)
		r.sayProgress()
		packer.Write(m.Data, func() {
			r.locked(func() {
				if r.packer == packer {
					r.port.Send(port.Piece{ID: m.ID})
				}
			})
		})
	}
}

// onSaved handles the end of the download.
func (r *recorder) onSaved(packer Packer, bytes int, failed string) {
	switch {
	case r.packer != packer:
	case failed != "":
		r.end("Not saved: " + failed + ".")
	default:
		if !r.covers.IsZero() && r.covers.Equal(r.since) { // it has all of the recording that is running
			r.forget()
		}
		r.packer, r.result = nil, "Saved "+r.name+" ("+words.Megabytes(bytes)+")."
		r.sayResult()
	}
}

// onReset forgets requests to the hub that ended, and the start that it knew. The page reports that separately.
func (r *recorder) onReset() {
	r.begin(time.Time{})
	r.packer = nil
	if r.dialogs.Open() == dialog.Dialog(r) {
		r.preview = nil
		r.look()
	}
}

// mark draws the mark of a recording in the badge.
func (r *recorder) mark() app.UI {
	return app.Span().Class("recording").Hidden(r.since.IsZero()).Attr("role", "img").Attr("aria-label", r.sinceText()).Title(r.sinceText()).Text(map[bool]string{false: "REC"}[r.since.IsZero()])
}

func (r *recorder) sinceText() string {
	return "Recording since " + r.since.Local().Format(time.TimeOnly)
}

// words returns the label of the entry that starts or saves a recording.
func (r *recorder) words() string {
	if r.since.IsZero() {
		return "Start recording"
	}
	return "Stop and save recording…"
}

// offers returns the entries of the command palette.
func (r *recorder) offers() []ui.Offer {
	all := []ui.Offer{{Action: SaveRecording, Text: "Save recording…", Names: []string{"record", "export history"}}}
	if r.past.On() {
		return all
	}
	all[0].Hint = map[bool]string{true: keyOf(Record)}[!r.since.IsZero()]
	if r.since.IsZero() {
		return append(all, ui.Offer{Action: Record, Text: r.words(), Hint: keyOf(Record)})
	}
	return append(all, ui.Offer{Action: DiscardMark, Text: "Discard recording"})
}

// Keeps reports whether the dialog stays open after an action.
func (r *recorder) Keeps(action ui.Action) bool {
	switch action {
	case RecordFrom, RecordChoice, RecordKind, RecordIn, RecordLog, RecordLogs, WriteFile:
		return true
	}
	return false
}

// Draw draws the dialog.
func (r *recorder) Draw() app.UI {
	return app.Div().ID("recording").Class("help keep").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Save recording").Body(
		app.H1().Text("Save recording"),
		app.Div().Class("shapes").Attr("role", "group").Attr("aria-label", "Time").Body(r.drawSpans()...),
		app.P().Class("said").DataSet("tone", map[bool]string{true: "failed"}[r.failed != ""]).Attr("role", "status").Text(r.summary()),
		app.H2().Text("Leave out"),
		app.Div().Class("shapes").Body(r.drawChoice("annotations", "Annotations")),
		app.H2().Text("Replace"),
		app.Div().Class("shapes").Body(
			r.drawChoice("values", "Environment and ConfigMap values"), r.drawChoice("images", "Images"), r.drawChoice("hosts", "Hosts and IPs"),
			r.drawChoice("namespaces", "Namespace names"), r.drawChoice("objects", "Object names and labels"), r.drawChoice("nodes", "Node names"),
		),
		app.H2().Text("Kinds"), app.Div().Class("contents").Attr("role", "group").Attr("aria-label", "Kinds").Body(r.drawContents(RecordKind, true)...),
		app.H2().Text("Namespaces"), app.Div().Class("contents").Attr("role", "group").Attr("aria-label", "Namespaces").Body(r.drawContents(RecordIn, false)...),
		app.P().Class("dim").Hidden(r.past.MemoryOnly() == "").Text(r.past.MemoryOnly()),
		r.drawLogs(),
		app.P().Class("dim").Text("The values of Secrets are never recorded, but a log line can repeat one. Replacements are random, and the same throughout the file. UIDs and times are kept, and the names of namespaces left out unless names are replaced."),
		app.Div().Class("ways").Body(
			app.Button().ID("recording-write").Class("way main").DataSet("action", WriteFile).Attr("aria-disabled", r.preview == nil).Text("Save"),
			ui.Way(DiscardMark, "Discard recording").Hidden(r.since.IsZero()),
			ui.Way(ui.Leave, "Cancel"),
		),
	)
}

// drawSpans draws the buttons of the spans.
func (r *recorder) drawSpans() (all []app.UI) {
	for _, s := range recordSpans {
		if s.value != sinceMark || !r.since.IsZero() && r.past.Recorded() == nil {
			all = append(all, app.Button().Class("shape").DataSet("action", RecordFrom).DataSet("value", s.value).Attr("aria-pressed", s.value == r.span()).Text(s.words))
		}
	}
	return all
}

// span returns the chosen span. The mark is of the live cluster, and may be gone: then, everything is chosen instead.
func (r *recorder) span() string {
	if r.from == sinceMark && (r.since.IsZero() || r.past.Recorded() != nil) {
		return allRemembered
	}
	return r.from
}

// drawChoice draws the button of something to leave out or replace.
func (r *recorder) drawChoice(name, words string) app.HTMLButton {
	return app.Button().Class("shape").DataSet("action", RecordChoice).DataSet("value", name).Attr("aria-pressed", *r.choice(name)).Text(words)
}

// summary returns what the file would contain, in one line.
func (r *recorder) summary() string {
	switch {
	case r.failed != "":
		return words.Sentence(r.failed) + "."
	case r.preview == nil:
		return "Counting…"
	}
	p, objects, changes := r.preview, 0, 0
	for _, k := range p.Kinds {
		if !k.LeftOut {
			objects, changes = objects+k.Objects, changes+k.Changes
		}
	}
	out := words.FromTo(p.From, p.To) + " · " + words.CountOf(objects, "object") + " · " + words.CountOf(changes, "change")
	lines := 0
	for _, l := range p.Logs {
		if l.Chosen {
			lines += l.Lines
		}
	}
	if lines > 0 {
		out += " · " + words.CountOf(lines, "log line")
	}
	out += " · about " + words.Megabytes(p.Bytes/compression)
	if p.Dropped.After(p.From) {
		out += ". Changes before " + p.Dropped.Local().Format(time.TimeOnly) + " did not fit into memory"
	}
	if n := len(p.Gaps); n > 0 {
		out += ". Changes may be missing (" + words.GapsFrom(p.Gaps[0].From, p.Gaps[0].To, n) + ")"
	}
	return out + "."
}

// compression is about how many times smaller a file is than what is in it.
const compression = 5

// contentsShown limits the kinds and namespaces that are listed.
const contentsShown = 200

// drawContents draws the kinds or the namespaces of the file, the largest first.
func (r *recorder) drawContents(action ui.Action, kinds bool) (out []app.UI) {
	if r.preview == nil {
		return nil
	}
	left, all := r.choices.Namespaces, slices.Clone(r.preview.Namespaces)
	if kinds {
		left, all = r.choices.Kinds, slices.Clone(r.preview.Kinds)
	}
	sorting.StableBy(all, func(a, b recordContents) int { return b.Objects + b.Changes - a.Objects - a.Changes })
	for _, c := range all[:min(len(all), contentsShown)] {
		name := yaml.Visible(c.Name)
		if kinds {
			name = r.sidebar.listName(c.Name)
		}
		out = append(out, app.Button().Class("content").DataSet("action", action).DataSet("value", c.Name).Attr("aria-pressed", !slices.Contains(left, c.Name)).Body(
			app.Span().Text(name), app.Span().Class("dim").Text(words.CountOf(c.Objects, "object")+" · "+words.CountOf(c.Changes, "change")),
		))
	}
	if more := len(all) - contentsShown; more > 0 {
		out = append(out, app.P().Class("dim").Text(strings.TrimSpace("and "+words.Count(more)+" more, all included")))
	}
	return out
}
