package events

import (
	"encoding/json"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/web/grid"
	"watchglass/web/tab"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The actions of the tab.
const (
	Only ui.Action = "events-only" // value: a type, or "" for all
	More ui.Action = "events-more"
)

// state is the state of the Events tab. It is immutable.
type state struct {
	related.EventList

	received bool
	only     string // the selected type
	shown    int    // the most events to draw
}

// atOnce is how many events are drawn at first, and how many more each time.
const atOnce = 60

// events shows the events of the object and of what it owns.
type events struct {
	tab.Base
	shown *state // nil unless the tab is open
}

// New returns the tab.
func New(h tab.Host) tab.Tab { return &events{Base: tab.Base{Host: h}} }

func (t *events) Open()  { t.shown = &state{shown: atOnce} }
func (t *events) Close() { t.shown = nil }

func (t *events) Commands() []ui.Command {
	return []ui.Command{
		{ID: Only, Run: func(kind string) { t.show(kind, atOnce) }},
		{ID: More, Do: func() { t.show(t.shown.only, t.shown.shown+atOnce) }},
	}
}

// show draws the events of a type, or all of them, up to a number.
func (t *events) show(only string, most int) {
	next := *t.shown
	next.only, next.shown = only, most
	t.shown = &next
	t.Host.Redraw()
}

func (t *events) OnDetail(doc []byte) bool {
	before := t.shown
	next := state{received: true}
	if before == nil || json.Unmarshal(doc, &next) != nil {
		return false
	}
	next.only, next.shown = before.only, before.shown
	t.shown = &next
	return true
}

// Draw draws the events, most recent first.
func (t *events) Draw() app.UI {
	h := t.shown
	switch {
	case h == nil || !h.received || h.Coming && len(h.Events) == 0 && h.Denied == nil:
		return app.P().Class("hint").Attr("role", "status").Text("Loading events…")
	case h.Denied != nil:
		return app.Div().Class("hint").Attr("role", "status").Body(
			app.Elem("strong").Text("You can't list events here"),
			app.P().Text(words.OriginWords[h.Denied.Origin]+": "+h.Denied.Message),
			app.P().Text("Ask a cluster admin for the list and watch verbs on events in this namespace. Events then appear here."))
	case len(h.Events) == 0:
		return app.Div().Class("hint").Attr("role", "status").Body(
			app.Elem("strong").Text("No events"),
			app.P().Text(words.NoEvents(h.Searched)+" Clusters keep events for one hour by default."),
			drawOwned(h.Searched))
	}
	kinds := map[string]int{}
	for _, e := range h.Events {
		kinds[e.Type]++
	}
	choice := func(value, text string, n int) app.UI {
		return app.Button().Class("shape").DataSet("action", Only).DataSet("value", value).Attr("aria-pressed", h.only == value).Disabled(n == 0 && h.only != value).Body(app.Span().Text(text), app.Span().Class("number").Text(words.Count(n)))
	}
	list, rest := t.rows(h)
	return app.Div().Class("events").Body(
		app.Div().Class("bar").Attr("role", "group").Attr("aria-label", "Event type").Body(
			choice("", "All", len(h.Events)), choice("Warning", "Warning", kinds["Warning"]), choice("Normal", "Normal", kinds["Normal"])),
		drawOwned(h.Searched),
		app.Div().Class("list-of-events").Attr("role", "list").Body(list...),
		app.Button().Class("shape").Hidden(rest == 0).DataSet("action", More).Text("Show more ("+words.Count(rest)+" left)"),
		app.P().Class("dim hint").Hidden(h.More == 0).Text("Showing the latest events. "+words.Count(h.More)+" earlier events are not shown."))
}

// missedShown is how many of the kinds that were not searched the tab names, and how many of those that could not be.
// Related names them all, and can search them.
const missedShown = 10

// drawOwned warns that events of owned objects may be missing, and names the kinds that were not searched for them.
func drawOwned(s related.SearchProgress) app.UI {
	warn := app.Div().Class("dim hint")
	switch {
	case s.Coming > 0:
		return warn.Text("Searching for owned objects…")
	case len(s.Unasked)+len(s.Failed) == 0:
		return warn.Hidden(true)
	}
	return warn.Body(append([]app.UI{app.P().Text("Events of owned objects may be missing.")}, tab.DrawMissed(s, missedShown)...)...)
}

// rows returns the rows to draw, and how many were left out.
func (t *events) rows(h *state) (rows []app.UI, rest int) {
	now := t.Host.Moment().Now
	for _, e := range h.Events {
		switch {
		case h.only != "" && h.only != e.Type:
		case len(rows) == h.shown:
			rest++
		default:
			rows = append(rows, t.row(e, now))
		}
	}
	return rows, rest
}

func (t *events) row(e related.Event, now time.Time) app.UI {
	times := related.Ago(e.Last, now)
	if e.Count != "" && e.Count != "1" {
		times += " (" + e.Count + "× over " + related.Ago(e.First, now) + ")"
	}
	stamp := ""
	if e.Last != 0 {
		stamp = "first seen " + time.Unix(e.First, 0).UTC().Format(time.RFC3339) + ", last seen " + time.Unix(e.Last, 0).UTC().Format(time.RFC3339)
	}
	tone := grid.Plain
	if e.Type != "Normal" {
		tone = grid.Warning
	}
	var of app.UI = app.Span()
	if s := t.Host.Subject(); e.Object.Name != s.Name || s.Head != nil && e.Kind != s.Head.Kind {
		of = t.Host.Kinds().Link(detail.Ref{Kind: e.Kind, Resource: e.Object.Resource, Namespace: e.Object.Namespace, Name: e.Object.Name}, e.Kind+" "+e.Object.Name)
	}
	return app.Div().Class("event").Attr("role", "listitem").DataSet("uid", e.UID).DataSet("type", e.Type).Body(
		app.Span().Class("reason").DataSet("tone", string(tone)).Text(e.Reason),
		app.Span().Class("type dim").Text(e.Type),
		app.Span().Class("when dim").Title(stamp).Text(times),
		app.P().Class("message").Text(e.Message),
		app.P().Class("by dim").Body(of, app.Span().Text(e.Field), app.Span().Text(e.Source)))
}
