package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// widthStep is how much wider or narrower a key makes a column, in pixels.
const widthStep = 20

// columnChooser is the state of the column chooser.
type columnChooser struct {
	text  string // name of the column to add
	wrong string // error in it
}

// columns is the part that chooses columns: the dialog, and the choice in the address and browser.
type columns struct {
	*page
	chooser atomic.Pointer[columnChooser] // nil unless the dialog is open; written with the lock
	sizing  grid.Sizes                    // column widths during a drag
}

// begin applies the user's saved columns if the path names no view.
func (cs *columns) begin(path, query string) {
	if route.IsBare(cs.base, path, query) && cs.address.Columns == "" {
		cs.address.Columns = cs.savedFor(cs.address.Resource)
	}
}

func (cs *columns) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		ChooseColumns: ui.IgnoreValue(cs.toggle), ToggleColumn: cs.toggleColumn, AddColumn: ui.IgnoreValue(cs.add), ResetColumns: ui.IgnoreValue(func() { cs.setColumns("") }), ToggleWide: ui.IgnoreValue(cs.toggleWide),
		MoveColumn: func(value string) {
			step, name, _ := strings.Cut(value, " ")
			cs.moveColumn(name, map[string]int{"up": -1, "down": 1}[step])
		},
		SizeColumn: func(value string) {
			step, name, _ := strings.Cut(value, " ")
			cs.stepWidth(name, map[string]int{"narrower": -widthStep, "wider": widthStep}[step])
		},
	}
}

// typed sets the text of the column to add.
func (cs *columns) typed(text string) {
	if cs.chooser.Load() != nil {
		cs.chooser.Store(&columnChooser{text: text})
		cs.redraw()
	}
}

// Takes reports whether the chooser handles a key, and whether it is open: nothing behind it gets a key then. It also
// takes keys outside its field, so that the list behind it does not move. Tab and Space are left to the browser.
func (cs *columns) Takes(k ui.Key) (takes, open bool) {
	if cs.chooser.Load() == nil {
		return false, false
	}
	switch k.Name {
	case "Escape":
		return true, true
	case "Enter":
		return k.Typing, true
	case "Tab", " ":
		return false, true
	}
	return !k.Typing && !k.Command, true
}

// Press handles a key that the chooser takes.
func (cs *columns) Press(k ui.Key) {
	switch k.Name {
	case "Escape":
		cs.hide()
	case "Enter":
		cs.add()
	}
}

func (cs *columns) toggle() {
	if cs.chooser.Load() != nil {
		cs.hide()
		return
	}
	cs.ClearTheWay()
	cs.chooser.Store(&columnChooser{})
	cs.filter.counted("")
	cs.redraw()
	cs.browser.Focus("add-column")
}

func (cs *columns) hide() {
	cs.chooser.Store(nil)
	cs.redraw()
	cs.browser.Focus("grid")
}

// setColumns sets the columns in the address and saves them for the kind.
func (cs *columns) setColumns(columns string) {
	cs.visit(true, func(a *route.Address) { a.Columns = columns })
	cs.remember()
}

// toggleWide shows or hides kubectl's wide columns. Added columns and widths stay.
func (cs *columns) toggleWide() {
	to := route.WideColumns
	if cs.address.Wide() {
		to = view.AllColumns
	}
	shown := []route.Column{{Name: to}}
	for _, s := range cs.address.Shown() {
		if query.Added(s.Name) || s.Width > 0 {
			shown = append(shown, s)
		}
	}
	cs.setColumns(route.FormatColumns(shown))
}

// explicit returns the columns of the address, with kubectl's expanded to their names.
func (cs *columns) explicit() []route.Column {
	if len(cs.list.window.Known) == 0 { // the kind's columns are not known yet
		if all := cs.address.Shown(); len(all) > 0 {
			return all
		}
		return []route.Column{{Name: view.AllColumns}}
	}
	sizes := cs.address.Widths()
	var all []route.Column
	add := func(names ...string) {
		for _, name := range names {
			if !slices.ContainsFunc(all, func(s route.Column) bool { return s.Name == name }) {
				all = append(all, route.Column{Name: name, Width: sizes[name]})
			}
		}
	}
	for _, s := range cs.address.Shown() {
		if s.Name == view.AllColumns || s.Name == route.WideColumns {
			add(cs.usual(s.Name == route.WideColumns)...)
		} else {
			add(s.Name) // a Table's columns arrive with its first row
		}
	}
	if len(all) == 0 {
		add(cs.usual(false)...)
	}
	if len(cs.address.ColumnNames()) == 0 {
		add(cs.summed()...)
	}
	return all
}

// summed returns the names of the columns whose sums a grouped list shows.
func (cs *columns) summed() (names []string) {
	for _, c := range cs.list.window.Columns {
		if cs.list.window.Group != "" && cs.known(c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// known reports whether the list has a column to choose. Of groups, these are the columns that they
// sum.
func (cs *columns) known(name string) bool {
	return slices.ContainsFunc(cs.list.window.Known, func(c view.Column) bool { return c.Name == name && (cs.list.window.Group == "" || c.Sums) })
}

// setExplicit sets the columns. If they begin with kubectl's in kubectl's order, the address names
// those by one word, so that columns added by a newer server are shown too. Groups have sums beside
// kubectl's columns unless each is named.
func (cs *columns) setExplicit(all []route.Column) {
	for _, word := range []string{route.WideColumns, view.AllColumns} {
		if cs.address.Group != "" {
			break
		}
		usual := cs.usual(word == route.WideColumns)
		if len(usual) == 0 || len(all) < len(usual) {
			continue
		}
		out := []route.Column{{Name: word}}
		for i, s := range all {
			if i < len(usual) && s.Name != usual[i] {
				out = nil
				break
			}
			if i >= len(usual) || s.Width > 0 {
				out = append(out, s)
			}
		}
		if out != nil {
			all = out
			break
		}
	}
	cs.setColumns(route.FormatColumns(all))
}

// usual returns the names of kubectl's columns.
func (cs *columns) usual(wide bool) (names []string) {
	for _, c := range cs.list.window.Known {
		if (c.Priority == 0 || wide && c.Priority > 0 && !c.Derived()) && !query.Added(c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// toggleColumn shows a column at its usual place, or hides it. The last column stays.
func (cs *columns) toggleColumn(name string) {
	all := cs.explicit()
	is := func(s route.Column) bool { return s.Name == name }
	if at := slices.IndexFunc(all, is); at >= 0 {
		if len(all) > 1 {
			cs.setExplicit(slices.Delete(all, at, at+1))
		}
		return
	}
	cs.setExplicit(slices.Insert(all, cs.placeOf(name, all), route.Column{Name: name}))
}

// shown reports whether the list has a column on screen, or would if it were wide enough.
func (cs *columns) shown(c view.Column) bool {
	return slices.ContainsFunc(cs.list.window.Columns, func(s view.Column) bool { return s.Name == c.Name })
}

// reveal shows a column that the list is sorted by. A column of -o wide shows by itself unless the
// user chose columns.
func (cs *columns) reveal(name string) {
	at := slices.IndexFunc(cs.list.window.Known, func(c view.Column) bool { return c.Name == name })
	if at < 0 || cs.list.window.Group != "" || len(cs.list.window.Columns) == 0 {
		return
	}
	if c := cs.list.window.Known[at]; !cs.shown(c) && (c.Priority <= 0 || cs.address.Columns != "") && !slices.Contains(cs.address.ColumnNames(), name) {
		cs.toggleColumn(name)
	}
}

// placeOf returns the index for a new column: after the shown columns that precede it in the
// server's order.
func (cs *columns) placeOf(name string, among []route.Column) int {
	place := 0
	for _, c := range cs.list.window.Known {
		if c.Name == name {
			return place
		}
		if at := slices.IndexFunc(among, func(s route.Column) bool { return s.Name == c.Name }); at >= 0 {
			place = max(place, at+1)
		}
	}
	return len(among)
}

func (cs *columns) moveColumn(name string, by int) {
	all := cs.explicit()
	at := slices.IndexFunc(all, func(s route.Column) bool { return s.Name == name })
	if to := at + by; at >= 0 && to >= 0 && to < len(all) {
		all[at], all[to] = all[to], all[at]
		cs.setExplicit(all)
	}
}

// stepWidth makes a column wider or narrower.
func (cs *columns) stepWidth(name string, by int) {
	width := cs.address.Widths()[name]
	if width == 0 && cs.list.grid != nil {
		width = cs.list.grid.Pixels(name)
	}
	cs.setWidth(name, width+by)
}

// onDrag sets a column's width while its edge is dragged. With done the address keeps it.
func (cs *columns) onDrag(name string, width int, done bool) {
	cs.sizing = nil
	if done {
		cs.setWidth(name, width)
	} else {
		cs.sizing = cs.address.Widths()
		if cs.sizing == nil {
			cs.sizing = make(grid.Sizes)
		}
		cs.sizing[name] = min(max(width, route.LeastWidth), route.MostWidth)
	}
	cs.list.paint()
}

func (cs *columns) setWidth(name string, width int) {
	if width > 0 {
		width = min(max(width, route.LeastWidth), route.MostWidth)
	}
	all := cs.explicit()
	if at := slices.IndexFunc(all, func(s route.Column) bool { return s.Name == name }); at >= 0 {
		all[at].Width = width
		cs.setExplicit(all)
	}
}

// add adds the column in the field.
func (cs *columns) add() {
	open := cs.chooser.Load()
	if open == nil { // it was closed by the same click or key
		return
	}
	c := *open // Takes may be reading it
	name, wrong := columnNamed(c.text)
	if c.wrong = wrong; wrong == "" {
		all := cs.explicit()
		if !slices.ContainsFunc(all, func(s route.Column) bool { return s.Name == name }) {
			cs.setExplicit(append(all, route.Column{Name: name}))
		}
		c.text = ""
		cs.browser.SetField("add-column", "")
	}
	cs.chooser.Store(&c)
	cs.redraw()
}

// columnNamed returns the column for a text, or what is wrong with it. A text that is not a
// path is a label.
func columnNamed(text string) (name, wrong string) {
	text = strings.TrimSpace(text)
	key, isKey := "", false
	for _, prefix := range []string{query.LabelPrefix, query.AnnotationPrefix} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			key, isKey = rest, true
		}
	}
	switch {
	case text == "":
		return "", "Enter a label, an annotation or a path."
	case isKey && key == "":
		return "", "The name is missing. Example: " + text + "app"
	case isKey && !query.IsKey(key), !isKey && !strings.ContainsAny(text[:1], "{.$[") && !query.IsKey(text):
		return "", strconv.Quote(text) + " is not a valid label name. Use letters, digits, '-', '_' and '.', optionally after a domain and '/'."
	case isKey:
		return text, ""
	case !strings.ContainsAny(text[:1], "{.$["):
		return query.LabelPrefix + text, ""
	}
	path, err := query.ParsePath(text)
	if err != nil {
		return "", "Invalid path: " + err.Error()
	}
	return path.String(), ""
}

// saved returns the saved columns of each kind. Only those that are texts are of this version; the others are kept.
func (cs *columns) saved() map[string]any {
	var kept map[string]any
	if json.Unmarshal([]byte(cs.browser.Recall("columns")), &kept) != nil || kept == nil {
		return make(map[string]any)
	}
	return kept
}

// savedFor returns the saved columns of a kind; "" if there are none.
func (cs *columns) savedFor(kind string) string {
	columns, _ := cs.saved()[kind].(string)
	return columns
}

func (cs *columns) remember() {
	kept, kind := cs.saved(), cmp.Or(cs.state.Source.ID, cs.address.Resource)
	if cs.address.Columns == "" {
		delete(kept, kind)
	} else {
		kept[kind] = cs.address.Columns
	}
	if doc, err := json.Marshal(kept); err == nil {
		cs.browser.Remember("columns", string(doc))
	}
}

// draw draws the column chooser.
func (cs *columns) draw() app.UI {
	if cs.chooser.Load() == nil {
		return app.Div().Hidden(true)
	}
	var rows []app.UI
	shown := slices.DeleteFunc(slices.Clone(cs.list.window.Columns), func(c view.Column) bool { return !cs.known(c.Name) })
	for i, c := range shown {
		rows = append(rows, cs.drawColumn(c, true, i == 0, i == len(shown)-1))
	}
	for _, c := range cs.list.window.Known {
		if cs.known(c.Name) && !query.Added(c.Name) && !slices.ContainsFunc(shown, func(s view.Column) bool { return s.Name == c.Name }) {
			rows = append(rows, cs.drawColumn(c, false, true, true))
		}
	}
	return app.Div().ID("columns").Class("help columns").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Columns").Body(
		app.H1().Text("Columns of "+cs.address.Resource),
		app.Div().Class("adder").Hidden(cs.address.Mixed()).Body( // a problem has no labels, and no fields but these
			app.Input().ID("add-column").Type("text").DataSet("field", "add-column").Placeholder("app, annotation.example.com/owner, {.spec.nodeName}").
				Attr("aria-label", "Add column: label, annotation or path").Attr("aria-invalid", cs.chooser.Load().wrong != "").Attr("aria-describedby", "add-wrong").
				Attr("list", "label-names").Attr("autocomplete", "off").Attr("spellcheck", "false"),
			ui.Way(AddColumn, "Add"),
		),
		app.Elem("datalist").ID("label-names").Body(cs.labelOptions()...),
		app.P().ID("add-wrong").Class("wrong-text").Attr("role", "alert").Hidden(cs.chooser.Load().wrong == "").Text(cs.chooser.Load().wrong),
		app.Div().Class("chosen").Body(rows...),
		app.Div().Class("ways").Body(
			ui.Way(ChooseColumns, "Done"),
			ui.Way(ResetColumns, resetWords(cs.address.Mixed())).Disabled(cs.address.Columns == ""),
		),
		app.P().Class("dim").Text("Saved for "+cs.address.Resource+" in this browser, and included in the link. You can also filter by added columns."),
	)
}

func (cs *columns) labelOptions() []app.UI {
	var out []app.UI
	for _, l := range cs.filter.labels[""].counts {
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
func (cs *columns) drawColumn(c view.Column, shown, first, last bool) app.UI {
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
	if w := cs.address.Widths()[c.Name]; w > 0 {
		width = strconv.Itoa(w) + " px"
	}
	return app.Div().Class("column").DataSet("shown", shown).Body(
		app.Button().Class("value").DataSet("action", ToggleColumn).DataSet("value", c.Name).Attr("role", "checkbox").Attr("aria-checked", shown).Body(
			app.Span().Class("box"), app.Span().Class("name").Title(c.Name).Text(grid.Cut(c.Name, chosenMost)), app.Span().Class("dim").Text(tag),
		),
		app.Span().Class("number").Text(width),
		do(SizeColumn, "narrower", "−", "Narrower", !shown), do(SizeColumn, "wider", "+", "Wider", !shown),
		do(MoveColumn, "up", "↑", "Move up", !shown || first), do(MoveColumn, "down", "↓", "Move down", !shown || last),
	)
}
