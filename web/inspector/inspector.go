package inspector

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/inspection"
	"watchglass/internal/port"
	"watchglass/web/dialog"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Inspector shows what the worker is doing: every source, its traffic and its
// checks. While open, it asks the worker every inspectEvery.
type Inspector struct {
	host    Host
	dialogs *dialog.Dialogs
	dialog.Base
	seen    *inspection.Hub
	heard   time.Time // when seen came
	asked   time.Time // when the request was sent that has no answer yet; zero: all have one
	failed  string
	opening int // counts openings, so that only the last one keeps asking
}

// inspectEvery is the time between requests. After silentAfter without an answer, the inspector says
// so: its figures are old.
const (
	inspectEvery = 2 * time.Second
	silentAfter  = 3 * inspectEvery
)

// The actions.
const (
	Open ui.Action = "inspector"
	Copy ui.Action = "copy-inspector"
)

// New returns an inspector that is closed.
func New(h Host, d *dialog.Dialogs) *Inspector { return &Inspector{host: h, dialogs: d} }

// Commands returns the commands of the inspector.
func (in *Inspector) Commands() []ui.Command {
	return []ui.Command{
		{ID: Open, Title: "Inspector", Do: in.show, Offer: func(o *ui.Offer) bool { o.Hint = "sources and traffic"; return true }},
		{ID: Copy, Do: in.copy, KeepsDialog: true},
	}
}

// show opens the inspector.
func (in *Inspector) show() {
	in.opening++
	in.seen, in.failed, in.asked = nil, "", time.Time{}
	in.dialogs.Show(in, "inspector")
	in.poll(in.opening)
}

// isOpen reports whether the inspector is on screen.
func (in *Inspector) isOpen() bool { return in.dialogs.Open() == dialog.Dialog(in) }

// poll asks the worker every inspectEvery until the inspector is closed. While an answer is missing, it
// does not ask again, and redraws how long the worker has been silent.
func (in *Inspector) poll(opening int) {
	if opening != in.opening || !in.isOpen() {
		return
	}
	if in.asked.IsZero() {
		in.request(opening)
	} else {
		in.host.Redraw()
	}
	time.AfterFunc(inspectEvery, func() { in.host.Locked(func() { in.poll(opening) }) })
}

// request asks the worker once.
func (in *Inspector) request(opening int) {
	in.asked = time.Now()
	in.host.Ask("inspect", json.RawMessage(`[{"meters":true}]`), func(a port.Answer) {
		if opening != in.opening || !in.isOpen() {
			return
		}
		in.asked = time.Time{}
		in.onAnswer(a)
		in.host.Redraw()
	})
}

// onAnswer handles an answer.
func (in *Inspector) onAnswer(a port.Answer) {
	seen := new(inspection.Hub)
	if in.failed = a.Error; in.failed == "" {
		if err := json.Unmarshal(a.Value, seen); err != nil {
			in.failed = err.Error()
			return
		}
		in.seen, in.heard = seen, time.Now()
	}
}

// copy copies the inspector's contents for a bug report.
func (in *Inspector) copy() {
	if in.seen != nil {
		in.host.Copy(report(in.seen, in.host.Version(), in.heard, in.silence(time.Now())), "Inspector copied.")
	}
}

// Draw draws the inspector.
func (in *Inspector) Draw() app.UI {
	return app.Div().Class("help inspector").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Inspector").Body(
		app.H1().Text("Inspector"),
		app.P().ID("inspected").Class("dim").Text(in.summary()),
		app.Div().ID("inspector").Class("sources").Attr("role", "region").Attr("aria-label", "Sources").TabIndex(0).Body(in.drawTable()),
		app.Div().Class("ways").Body(
			app.Button().Class("way main").DataSet("action", Copy).Attr("aria-disabled", in.seen == nil).Text("Copy"),
			ui.Way(ui.Leave, "Close"),
			app.Span().Class("dim").Text("Charts: last 15 minutes. Copied text contains no object or namespace names."),
		),
	)
}

// summary returns the line above the table.
func (in *Inspector) summary() string {
	silence := in.silence(time.Now())
	switch {
	case in.failed != "":
		return words.Sentence(in.failed) + "."
	case in.seen == nil:
		return cmp.Or(silence, "Loading…")
	}
	return strings.TrimPrefix(silence+" · ", " · ") + strings.Join(facts(in.seen), " · ")
}

// drawTable draws a row for each source.
func (in *Inspector) drawTable() app.UI {
	if in.seen == nil {
		return app.Div().Hidden(true)
	}
	var heads, rows []app.UI
	for _, c := range columns {
		heads = append(heads, app.Elem("th").Attr("scope", "col").Title(c.title).Text(c.name))
	}
	for _, s := range in.seen.Sources {
		rows = append(rows, app.Elem("tr").DataSet("source", s.Resource).Body(drawSource(&s)...))
	}
	return app.Elem("table").Body(app.Elem("thead").Body(app.Elem("tr").Body(heads...)), app.Elem("tbody").Body(rows...))
}

// silence returns how long the worker has not answered; "" if it answers in time.
func (in *Inspector) silence(now time.Time) string {
	waited := now.Sub(in.asked)
	if in.asked.IsZero() || waited <= silentAfter {
		return ""
	}
	return "No answer for " + words.Seconds(waited.Milliseconds())
}
