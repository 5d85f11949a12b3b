package columns

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Draw draws the column chooser.
func (cs *Chooser) Draw() app.UI {
	if cs.entry.Load() == nil {
		return app.Div().Hidden(true)
	}
	var rows []app.UI
	shown := slices.DeleteFunc(slices.Clone(cs.host.Window().Columns), func(c view.Column) bool { return !cs.known(c.Name) })
	for i, c := range shown {
		rows = append(rows, cs.drawColumn(c, true, i == 0, i == len(shown)-1))
	}
	for _, c := range cs.host.Window().Known {
		if cs.known(c.Name) && !query.Added(c.Name) && !slices.ContainsFunc(shown, func(s view.Column) bool { return s.Name == c.Name }) {
			rows = append(rows, cs.drawColumn(c, false, true, true))
		}
	}
	return app.Div().ID("columns").Class("help columns").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Columns").Body(
		app.H1().Text("Columns of "+cs.host.Address().Resource),
		app.Div().Class("adder").Hidden(cs.host.Address().Mixed()).Body( // a problem has no labels, and no fields but these
			app.Input().ID("add-column").Type("text").DataSet("field", "add-column").Placeholder("app, annotation.example.com/owner, {.spec.nodeName}").
				Attr("aria-label", "Add column: label, annotation or path").Attr("aria-invalid", cs.entry.Load().wrong != "").Attr("aria-describedby", "add-wrong").
				Attr("list", "label-names").Attr("autocomplete", "off").Attr("spellcheck", "false"),
			ui.Way(Add, "Add"),
		),
		app.Elem("datalist").ID("label-names").Body(cs.labelOptions()...),
		app.P().ID("add-wrong").Class("wrong-text").Attr("role", "alert").Hidden(cs.entry.Load().wrong == "").Text(cs.entry.Load().wrong),
		app.Div().Class("chosen").Body(rows...),
		app.Div().Class("ways").Body(
			ui.Way(ui.ChooseColumns, "Done"),
			ui.Way(Reset, resetWords(cs.host.Address().Mixed())).Disabled(cs.host.Address().Columns == ""),
		),
		app.P().Class("dim").Text("Saved for "+cs.host.Address().Resource+" in this browser, and included in the link. You can also filter by added columns."),
	)
}

func (cs *Chooser) labelOptions() []app.UI {
	var out []app.UI
	for _, l := range cs.host.Labels() {
		out = append(out, app.Elem("option").Attr("value", query.LabelPrefix+l.Text))
	}
	return out
}

// resetWords are the button's that shows the columns of a list as they were, for a list of one kind or
// of several.
func resetWords(mixed bool) string {
	if mixed {
		return "Reset columns" // kubectl has no such list
	}
	return "Reset to kubectl's columns"
}

// chosenMost is the most characters of a column's name that fit beside its buttons.
const chosenMost = 36

// drawColumn draws a column with its buttons.
func (cs *Chooser) drawColumn(c view.Column, shown, first, last bool) app.UI {
	do := func(action ui.Action, value, sign, label string, off bool) app.UI {
		return app.Button().Class("icon").DataSet("action", action).DataSet("value", value+" "+c.Name).Title(label).Attr("aria-label", label+": "+c.Name).Disabled(off).Text(sign)
	}
	tag := ""
	switch {
	case query.Added(c.Name):
		tag = "added"
	case c.Derived(), c.Priority < 0:
		tag = cmp.Or(words.ColumnNotes[c.Name], "computed")
	case c.Priority > 0:
		tag = "wide"
	}
	width := ""
	if w := cs.host.Address().Widths()[c.Name]; w > 0 {
		width = strconv.Itoa(w) + " px"
	}
	return app.Div().Class("column").DataSet("shown", shown).Body(
		app.Button().Class("value").DataSet("action", Toggle).DataSet("value", c.Name).Attr("role", "checkbox").Attr("aria-checked", shown).Body(
			app.Span().Class("box"), app.Span().Class("name").Title(c.Name).Text(grid.Cut(c.Name, chosenMost)), app.Span().Class("dim").Text(tag),
		),
		app.Span().Class("number").Text(width),
		do(Size, "narrower", "−", "Narrower", !shown), do(Size, "wider", "+", "Wider", !shown),
		do(Move, "up", "↑", "Move up", !shown || first), do(Move, "down", "↓", "Move down", !shown || last),
	)
}
