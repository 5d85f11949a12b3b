package web

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// inspector is the part that shows what the worker is doing: every source, its traffic and its
// checks. While open, it asks the worker every inspectEvery.
type inspector struct {
	*page
	seen    *inspection
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

// inspection is the worker's answer.
type inspection struct {
	Sources []inspectedSource
	Worker  struct {
		Name   string
		Shared bool
		Since  time.Time
	}
	Pages  []struct{ Visible bool }
	Packed struct {
		Bytes, Limit int64
		Dropped      int
	}
	History struct{ Bytes, Limit int64 }
	Memory  struct{ Worker int64 }
}

// inspectedSource is one source.
type inspectedSource struct {
	Resource, Namespace, Selector, Encoding, State string
	Context                                        string // if Elsewhere
	Elsewhere                                      bool   // in another context than the page
	Objects, Resumes, Relists, Stalls, Packed      int
	Bytes                                          int64
	Indexes                                        []struct {
		Name           string
		Values, Broken int
	}
	Relistings []struct {
		At    time.Time
		Cause string
	}
	Checks struct {
		Audits, Differences int
		Audited             time.Time
		Unaudited           string
	}
	Meter *struct {
		Now    [meterMeasures]float32
		Series [meterCharts][]float32
	}
}

func (in *inspector) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){OpenInspector: ui.IgnoreValue(in.show), CopyInspector: ui.IgnoreValue(in.copy)}
}

// show opens the inspector.
func (in *inspector) show() {
	in.opening++
	in.seen, in.failed, in.asked = nil, "", time.Time{}
	in.dialogs.show(dialog{kind: inspectorDialog}, "inspector")
	in.look(in.opening)
}

// isOpen reports whether the inspector is on screen.
func (in *inspector) isOpen() bool {
	d := in.dialogs.open.Load()
	return d != nil && d.kind == inspectorDialog
}

// look asks the worker every inspectEvery until the inspector is closed. While an answer is missing, it
// does not ask again, and redraws how long the worker has been silent.
func (in *inspector) look(opening int) {
	if opening != in.opening || !in.isOpen() {
		return
	}
	if in.asked.IsZero() {
		in.request(opening)
	} else {
		in.redraw()
	}
	time.AfterFunc(inspectEvery, func() { in.locked(func() { in.look(opening) }) })
}

// request asks the worker once.
func (in *inspector) request(opening int) {
	in.asked = time.Now()
	in.ask("inspect", json.RawMessage(`[{"meters":true}]`), func(a port.Answer) {
		if opening != in.opening || !in.isOpen() {
			return
		}
		in.asked = time.Time{}
		in.onAnswer(a)
		in.redraw()
	})
}

// onAnswer handles an answer.
func (in *inspector) onAnswer(a port.Answer) {
	seen := new(inspection)
	if in.failed = a.Error; in.failed == "" {
		if err := json.Unmarshal(a.Value, seen); err != nil {
			in.failed = err.Error()
			return
		}
		in.seen, in.heard = seen, time.Now()
	}
}

// copy copies the inspector's contents for a bug report.
func (in *inspector) copy() {
	if in.seen != nil {
		in.copyOut(in.seen.report(in.version(), in.heard, in.silence(time.Now())), "Inspector copied.")
	}
}

// version returns the version of the proxy that serves this page.
func (in *inspector) version() string {
	if in.state.Proxy == nil {
		return ""
	}
	return in.state.Proxy.Version
}

func (in *inspector) draw() app.UI {
	return app.Div().Class("help inspector").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Inspector").Body(
		app.H1().Text("Inspector"),
		app.P().ID("inspected").Class("dim").Text(in.summary()),
		app.Div().ID("inspector").Class("sources").Attr("role", "region").Attr("aria-label", "Sources").TabIndex(0).Body(in.drawTable()),
		app.Div().Class("ways").Body(
			app.Button().Class("way main").DataSet("action", CopyInspector).Attr("aria-disabled", in.seen == nil).Text("Copy"),
			ui.Way(Leave, "Close"),
			app.Span().Class("dim").Text("Charts: last 15 minutes. Copied text contains no object or namespace names."),
		),
	)
}

// summary returns the line above the table.
func (in *inspector) summary() string {
	silence := in.silence(time.Now())
	switch {
	case in.failed != "":
		return words.Sentence(in.failed) + "."
	case in.seen == nil:
		return cmp.Or(silence, "Loading…")
	}
	return strings.TrimPrefix(silence+" · ", " · ") + strings.Join(in.seen.facts(), " · ")
}

// drawTable draws a row for each source.
func (in *inspector) drawTable() app.UI {
	if in.seen == nil {
		return app.Div().Hidden(true)
	}
	var heads, rows []app.UI
	for i, name := range inspectorColumns {
		heads = append(heads, app.Elem("th").Attr("scope", "col").Title(inspectorTitles[i]).Text(name))
	}
	for _, s := range in.seen.Sources {
		rows = append(rows, app.Elem("tr").DataSet("source", s.Resource).Body(s.draw()...))
	}
	return app.Elem("table").Body(app.Elem("thead").Body(app.Elem("tr").Body(heads...)), app.Elem("tbody").Body(rows...))
}

// draw draws the cells of a source. The first is its name; the last have charts.
func (s *inspectedSource) draw() (cells []app.UI) {
	texts := s.cells(s.name())
	cells = append(cells, app.Elem("th").Attr("scope", "row").Title(s.Selector).Text(texts[0]))
	for i, text := range texts[1:] {
		cell, at := []app.UI{app.Span().Text(text)}, i+1-chartsFirst
		if s.Meter != nil && at >= 0 {
			cell = append(cell, ui.Sparkline(s.Meter.Series[at], 1, ""))
		}
		if inspectorColumns[i+1] == "Relists" && s.Relists > 0 {
			cell = append(cell, app.Div().Class("dim").Text(s.reason()))
		}
		cells = append(cells, app.Elem("td").Title(s.details(inspectorColumns[i+1])).Body(cell...))
	}
	return cells
}
