package views

import (
	"cmp"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/dialog"
	"watchglass/web/tools"
	"watchglass/web/ui"
)

// nameDialog asks for the name of a view.
type nameDialog struct {
	dialog.Base
	views   *Views
	of      string // view to be renamed; "" for the view on screen
	name    string // current text of the name field
	message string // error message
	// first is the initial text of the name field. The field is drawn with it because
	// drawing lags behind typing.
	first string
}

// OnKey saves the view on Enter in the field.
func (d *nameDialog) OnKey(k ui.Key) func() {
	if k.Name == "Enter" && k.Typing && !k.Command {
		return d.views.save
	}
	return nil
}

func (d *nameDialog) Typed(field, text string) bool {
	if field != "view-name" {
		return false
	}
	d.name, d.message = text, ""
	return true
}

func (d *nameDialog) Draw() app.UI {
	title, save := "Save view", "Save"
	if d.of != "" {
		title, save = "Rename “"+d.of+"”", "Rename"
	}
	message, tone := d.message, "failed"
	name := strings.TrimSpace(d.name)
	if _, there := tools.ViewNamed(d.views.saved, name); message == "" && there && name != d.of {
		message, tone = "A view with this name exists and will be replaced.", "warning"
		save = "Replace"
	}
	return app.Div().ID("keep").Class("help keep").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", title).Body(
		app.H1().Text(title),
		app.Input().ID("view-name").Type("text").DataSet("field", "view-name").Value(d.first).MaxLength(tools.LongestName).Attr("aria-label", "View name").
			Attr("aria-describedby", "view-said").Attr("autocomplete", "off").Attr("spellcheck", "false"),
		app.P().ID("view-said").Class("said").DataSet("tone", tone).Attr("role", "status").Text(message),
		app.Div().Class("facts").Body(d.facts()...),
		app.Div().Class("ways").Body(
			app.Button().Class("way main").DataSet("action", Save).Text(save),
			ui.Way(ui.Leave, "Cancel"),
		),
	)
}

// facts lists what the view contains.
func (d *nameDialog) facts() []app.UI {
	v := d.views
	a, kind := v.host.Address(), v.host.Here()
	if k, ok := tools.ViewNamed(v.saved, d.of); ok {
		a = k.Parse("")
		kind = a.Resource
	}
	sorted := a.Sort
	if a.Descending {
		sorted += ", descending"
	}
	var all []app.UI
	for _, fact := range []struct{ name, value string }{
		{"Kind", v.host.KindName(kind)}, {"Namespaces", cmp.Or(strings.Join(a.Namespaces, ", "), "all")},
		{"Labels", a.Labels}, {"Filter", a.Filter}, {"Sorted by", sorted}, {"Columns", a.Columns},
	} {
		if fact.value != "" {
			all = append(all, app.Div().Class("fact").Body(app.Span().Class("dim").Text(fact.name), app.Span().Text(fact.value)))
		}
	}
	return append(all, app.P().Class("dim").Text("The context and the selected row are not saved. The view opens in the current context."))
}
