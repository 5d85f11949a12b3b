package columns

import (
	"slices"
	"strings"
	"sync/atomic"

	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// The actions.
const (
	Toggle     ui.Action = "column"        // value: name
	Move       ui.Action = "move-column"   // value: up NAME or down NAME
	Size       ui.Action = "size-column"   // value: narrower NAME or wider NAME
	Add        ui.Action = "add-column"    // the one in the field
	Reset      ui.Action = "reset-columns" // to kubectl's
	ToggleWide ui.Action = "wide"
)

// widthStep is how much wider or narrower a key makes a column, in pixels.
const widthStep = 20

// entry is what the user enters in the dialog: the column to add.
type entry struct {
	text  string // name of the column to add
	wrong string // error in it
}

// Open reports whether the dialog is open. Like OnKey, it needs no lock.
func (cs *Chooser) Open() bool { return cs.entry.Load() != nil }

// Chooser chooses the columns of the list: in its dialog, by keys, and by dragging an edge.
type Chooser struct {
	host    Host
	browser Browser
	entry   atomic.Pointer[entry] // nil unless the dialog is open; written with the lock
	sizing  grid.Sizes            // column widths during a drag
}

// New returns the chooser of a page's columns, with its dialog closed.
func New(h Host, b Browser) *Chooser { return &Chooser{host: h, browser: b} }

// Commands returns the commands of the chooser.
func (cs *Chooser) Commands() []ui.Command {
	return []ui.Command{
		{ID: ToggleWide, Keys: []string{"W"}, Title: "Toggle wide columns (-o wide)", Do: cs.toggleWide, Offer: ui.Always, KeepsPopover: true},
		{ID: ui.ChooseColumns, Keys: []string{"c"}, Title: "Choose columns", Do: cs.toggle, Offer: ui.Always},
		{ID: Toggle, Run: cs.toggleColumn},
		{ID: Add, Do: cs.add},
		{ID: Reset, Do: func() { cs.set("") }},
		{ID: Move, Run: func(value string) {
			step, name, _ := strings.Cut(value, " ")
			cs.moveColumn(name, map[string]int{"up": -1, "down": 1}[step])
		}},
		{ID: Size, Run: func(value string) {
			step, name, _ := strings.Cut(value, " ")
			cs.stepWidth(name, map[string]int{"narrower": -widthStep, "wider": widthStep}[step])
		}},
	}
}

// Typed sets the text of the column to add.
func (cs *Chooser) Typed(text string) {
	if cs.entry.Load() != nil {
		cs.entry.Store(&entry{text: text})
		cs.host.Redraw()
	}
}

// OnKey returns what a key does while the dialog is open, and whether it is: nothing behind it gets a key then. Keys
// outside its field do nothing, so that the list does not move. Tab and Space are left to the browser. It needs no lock.
func (cs *Chooser) OnKey(k ui.Key) (press func(), open bool) {
	switch {
	case !cs.Open():
		return nil, false
	case k.Name == "Escape":
		return cs.hide, true
	case k.Name == "Enter" && k.Typing:
		return cs.add, true
	case k.Name == "Enter", k.Name == "Tab", k.Name == " ", k.Typing, k.Command:
		return nil, true
	}
	return ui.Nothing, true
}

func (cs *Chooser) toggle() {
	if cs.entry.Load() != nil {
		cs.hide()
		return
	}
	cs.host.CloseOverlays()
	cs.entry.Store(&entry{})
	cs.host.CountLabels()
	cs.host.Redraw()
	cs.browser.Focus("add-column")
}

// Close closes the dialog, and leaves it to the caller to redraw.
func (cs *Chooser) Close() { cs.entry.Store(nil) }

func (cs *Chooser) hide() {
	cs.Close()
	cs.host.Redraw()
	cs.browser.Focus("grid")
}

// set sets the columns in the address and saves them for the kind.
func (cs *Chooser) set(columns string) {
	cs.host.Navigate(true, func(a *route.Address) { a.Columns = columns })
	cs.remember()
}

// toggleWide shows or hides kubectl's wide columns. Added columns and widths stay.
func (cs *Chooser) toggleWide() {
	to := route.WideColumns
	if cs.host.Address().Wide() {
		to = view.AllColumns
	}
	shown := []route.Column{{Name: to}}
	for _, s := range cs.host.Address().Shown() {
		if query.Added(s.Name) || s.Width > 0 {
			shown = append(shown, s)
		}
	}
	cs.set(route.FormatColumns(shown))
}

// explicit returns the columns of the address, with kubectl's expanded to their names.
func (cs *Chooser) explicit() []route.Column {
	if len(cs.host.Window().Known) == 0 { // the kind's columns are not known yet
		if all := cs.host.Address().Shown(); len(all) > 0 {
			return all
		}
		return []route.Column{{Name: view.AllColumns}}
	}
	sizes := cs.host.Address().Widths()
	var all []route.Column
	add := func(names ...string) {
		for _, name := range names {
			if !slices.ContainsFunc(all, func(s route.Column) bool { return s.Name == name }) {
				all = append(all, route.Column{Name: name, Width: sizes[name]})
			}
		}
	}
	for _, s := range cs.host.Address().Shown() {
		if s.Name == view.AllColumns || s.Name == route.WideColumns {
			add(cs.usual(s.Name == route.WideColumns)...)
		} else {
			add(s.Name) // a Table's columns arrive with its first row
		}
	}
	if len(all) == 0 {
		add(cs.usual(false)...)
	}
	if len(cs.host.Address().ColumnNames()) == 0 {
		add(cs.summed()...)
	}
	return all
}

// summed returns the names of the columns whose sums a grouped list shows.
func (cs *Chooser) summed() (names []string) {
	for _, c := range cs.host.Window().Columns {
		if cs.host.Window().Group != "" && cs.known(c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// known reports whether the list has a column to choose. Of groups, these are the columns that they
// sum.
func (cs *Chooser) known(name string) bool {
	return slices.ContainsFunc(cs.host.Window().Known, func(c view.Column) bool { return c.Name == name && (cs.host.Window().Group == "" || c.Sums) })
}

// setExplicit sets the columns. If they begin with kubectl's in kubectl's order, the address names
// those by one word, so that columns added by a newer server are shown too. Groups have sums beside
// kubectl's columns unless each is named.
func (cs *Chooser) setExplicit(all []route.Column) {
	for _, word := range []string{route.WideColumns, view.AllColumns} {
		if cs.host.Address().Group != "" {
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
	cs.set(route.FormatColumns(all))
}

// usual returns the names of kubectl's columns.
func (cs *Chooser) usual(wide bool) (names []string) {
	for _, c := range cs.host.Window().Known {
		if (c.Priority == 0 || wide && c.Priority > 0 && !c.Derived()) && !query.Added(c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// toggleColumn shows a column at its usual place, or hides it. The last column stays.
func (cs *Chooser) toggleColumn(name string) {
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

// Shows reports whether the list has a column on screen, or would if it were wide enough.
func (cs *Chooser) Shows(c view.Column) bool {
	return slices.ContainsFunc(cs.host.Window().Columns, func(s view.Column) bool { return s.Name == c.Name })
}

// Reveal shows a column that the list is sorted by. A column of -o wide shows by itself unless the
// user chose columns.
func (cs *Chooser) Reveal(name string) {
	at := slices.IndexFunc(cs.host.Window().Known, func(c view.Column) bool { return c.Name == name })
	if at < 0 || cs.host.Window().Group != "" || len(cs.host.Window().Columns) == 0 {
		return
	}
	if c := cs.host.Window().Known[at]; !cs.Shows(c) && (c.Priority <= 0 || cs.host.Address().Columns != "") && !slices.Contains(cs.host.Address().ColumnNames(), name) {
		cs.toggleColumn(name)
	}
}

// placeOf returns the index for a new column: after the shown columns that precede it in the
// server's order.
func (cs *Chooser) placeOf(name string, among []route.Column) int {
	place := 0
	for _, c := range cs.host.Window().Known {
		if c.Name == name {
			return place
		}
		if at := slices.IndexFunc(among, func(s route.Column) bool { return s.Name == c.Name }); at >= 0 {
			place = max(place, at+1)
		}
	}
	return len(among)
}

func (cs *Chooser) moveColumn(name string, by int) {
	all := cs.explicit()
	at := slices.IndexFunc(all, func(s route.Column) bool { return s.Name == name })
	if to := at + by; at >= 0 && to >= 0 && to < len(all) {
		all[at], all[to] = all[to], all[at]
		cs.setExplicit(all)
	}
}

// stepWidth makes a column wider or narrower.
func (cs *Chooser) stepWidth(name string, by int) {
	width := cs.host.Address().Widths()[name]
	if width == 0 {
		width = cs.host.Pixels(name)
	}
	cs.setWidth(name, width+by)
}

// Drag sets a column's width while its edge is dragged. With done the address keeps it.
func (cs *Chooser) Drag(name string, width int, done bool) {
	cs.sizing = nil
	if done {
		cs.setWidth(name, width)
	} else {
		cs.sizing = cs.host.Address().Widths()
		if cs.sizing == nil {
			cs.sizing = make(grid.Sizes)
		}
		cs.sizing[name] = min(max(width, route.LeastWidth), route.MostWidth)
	}
	cs.host.Paint()
}

// Widths returns the widths that the user chose, by column. That of an edge that is being dragged is included.
func (cs *Chooser) Widths() grid.Sizes {
	if cs.sizing != nil {
		return cs.sizing
	}
	return cs.host.Address().Widths()
}

func (cs *Chooser) setWidth(name string, width int) {
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
func (cs *Chooser) add() {
	open := cs.entry.Load()
	if open == nil { // it was closed by the same click or key
		return
	}
	c := *open // OnKey may be reading it
	name, wrong := columnNamed(c.text)
	if c.wrong = wrong; wrong == "" {
		all := cs.explicit()
		if !slices.ContainsFunc(all, func(s route.Column) bool { return s.Name == name }) {
			cs.setExplicit(append(all, route.Column{Name: name}))
		}
		c.text = ""
		cs.browser.SetField("add-column", "")
	}
	cs.entry.Store(&c)
	cs.host.Redraw()
}
