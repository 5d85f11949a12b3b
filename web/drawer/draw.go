package drawer

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Draw draws the open object. Its elements keep their places even when they are hidden,
// since the long text is painted into one of them outside of go-app.
func (d *Drawer) Draw() app.UI {
	open, t := d.IsOpen(), TabOf(d.asked.Tab)
	edge := app.Div().ID("edge").Class("edge").Attr("role", "separator").Attr("aria-orientation", "vertical").Attr("aria-label", "Width of the detail pane").TabIndex(0).
		Attr("aria-valuenow", d.width).Attr("aria-valuemin", ui.NarrowestDrawer).Attr("aria-valuemax", ui.WidestDrawer)
	head, bar, body := app.UI(app.Elem("header")), app.UI(app.Div()), app.UI(app.Div())
	if open {
		head, bar, body = d.drawHead(), d.drawTabs(t), d.Tab().Draw()
	}
	return app.Elem("aside").Class("drawer").Hidden(!open).DataSet("tab", t.ID).DataSet("long", d.text.long() != nil).DataSet("state", d.Subject().State()).Attr("aria-label", d.headName()).Body(
		edge, head, bar,
		app.Div().ID("pane").Class("pane").Attr("role", "tabpanel").Attr("aria-labelledby", "tab-"+t.ID).Body(body),
		app.Div().ID("graph").Class("graph"),
		app.Div().ID("beyond").Class("beyond"),
		app.Div().ID("text").Class("text").Attr("aria-label", t.Title),
	)
}

func (d *Drawer) headName() string {
	kind := d.asked.Resource
	if d.head != nil {
		kind = d.head.Kind
	}
	if d.asked.Name == "" {
		return "Who can access " + d.host.ListName(kind)
	}
	return kind + " " + d.asked.Name
}

func (d *Drawer) drawHead() app.UI {
	f, a, source := d.asked, d.host.Address(), d.host.State().Source
	kind := f.Resource
	switch {
	case d.head != nil:
		kind = d.head.Kind
	case source.Resource == f.Resource && source.Kind != "":
		kind = source.Kind
	}
	commands := d.host.CommandTool() + " commands"
	var where, what app.UI = app.Span(), app.Span().Text(kind)
	if a.Mixed() { // to the list of its kind
		what = d.host.Kinds().Link(detail.Ref{Resource: f.Resource, Kind: kind, Namespace: f.Namespace, Name: f.Name}, kind)
	}
	title := f.Name
	if title == "" {
		title, what = d.kindTitle(), app.Span().Text("Who can access")
	}
	if f.Namespace != "" {
		where = d.host.Kinds().Link(detail.Ref{Resource: "namespaces", Kind: "Namespace", Name: f.Namespace}, f.Namespace)
	}
	return app.Elem("header").Class("head").Body(
		app.Div().Class("title").Body(
			app.P().Class("dim").Body(what, app.If(f.Namespace != "", app.Span().Text(" in "), where), ui.Span("then", d.host.AsOf())),
			app.H2().Class("name").Title(title).Text(title),
		),
		app.Button().Class("icon").Hidden(f.Name == "").DataSet("action", ui.Commands).Title(ui.Tip(commands, d.host.KeyOf(ui.Commands))).Attr("aria-label", commands).Text("›_"),
		app.Button().Class("icon roomy").DataSet("action", toggleFull).Attr("aria-pressed", d.full).Title(ui.Tip("Full width", d.host.KeyOf(toggleFull))).Attr("aria-label", "Full width").Text("⤢"),
		app.Button().Class("icon").DataSet("action", closeDrawer).Title("Close (Esc)").Attr("aria-label", "Close").Text("×"),
		d.drawState(),
		app.P().ID("filtered-out").Class("standing out").DataSet("tone", "pending").Hidden(a.Selected == "" || !d.host.FilteredOut()).Body(
			app.Elem("strong").Text("Not in the list"), app.Span().Text("The filter excludes it."),
			ui.Way(ui.ClearFilters, "Clear filter"),
		),
	)
}

// drawState describes the object's state if it is not live or is being deleted.
func (d *Drawer) drawState() app.UI {
	state, ok := words.ObjectStates[d.Subject().State()]
	if !ok {
		deleting := d.head != nil && d.head.Deleting
		return app.P().Class("standing").DataSet("tone", "warning").Hidden(!deleting).Body(app.Elem("strong").Text("Terminating"), app.Span().Text("Waiting for deletion to finish."))
	}
	said := ""
	if s := d.head.Said; s != nil {
		said = words.OriginWords[s.Origin] + ": " + s.Message
	}
	if at := d.head.Since; at > 0 {
		if state.Title += " since " + words.ClockTime(at); d.head.Version != "" {
			state.Means += " " + words.ObjectStates[detail.Deleted].Means
		}
	}
	if d.host.Moment().Past {
		state.Title, state.Means = d.host.StateWords(d.Subject().State(), d.asked.Namespace, state.Title, state.Means)
	}
	return app.P().Class("standing").DataSet("tone", state.Tone).Attr("role", "status").Body(app.Elem("strong").Text(state.Title), app.Span().Text(state.Means), app.Span().Class("dim").Text(said))
}

func (d *Drawer) drawTabs(open Tab) app.UI {
	var all []app.UI
	for _, t := range d.tabs() {
		index := -1
		if t.ID == open.ID {
			index = 0
		}
		all = append(all, app.Button().ID("tab-"+t.ID).Class("tab").Attr("role", "tab").Attr("aria-selected", t.ID == open.ID).Attr("aria-controls", "pane").TabIndex(index).
			DataSet("action", ui.OpenTab).DataSet("value", t.ID).Title(t.Title+" ("+t.key()+")").Text(t.Title))
	}
	return app.Div().Class("tabs").Attr("role", "tablist").Body(all...)
}
