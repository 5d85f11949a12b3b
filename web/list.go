package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
)

// list is the list of rows: what is asked for, what has come, where it is scrolled to and which
// row is marked. The rows are painted outside of the shell, by grid.
type list struct {
	*page
	grid     *grid.Grid // nil until the list is attached
	geometry grid.Geometry
	window   view.Window
	seq      uint32
	asked    port.Look // the last look
	turned   uint32    // the first seq of what is asked for now, wherever its window is
	begun    uint32    // the first seq of the resource
	shown    uint32    // the seq that the window answers
	located  uint32    // the first seq that asks where the marked row is
	mark     mark
	pointed  bool // the pointer is in the list
	above    int  // rows that came in above while the list was held
	paused   bool // changes wait
	narrow   bool // the list is as narrow as on a phone
	first    bool // rows have been seen
}

func newList(p *page) *list {
	return &list{page: p, geometry: grid.Geometry{RowHeight: RowHeight}}
}

func (l *list) actions() map[Action]func(string) {
	all := map[Action]func(string){
		TogglePause: does(l.togglePause), SortBy: l.sortBy, Open: does(func() { l.open(l.target()) }),
		ToTop: does(func() {
			l.rewind()
			l.changed()
		}),
	}
	for _, step := range []Action{Down, Up, PageDown, PageUp, First, Last} {
		all[step] = does(func() { l.move(step) })
	}
	return all
}

func (l *list) togglePause() {
	l.paused = !l.paused
	l.look()
	l.redraw()
}

func (l *list) attach(painter grid.Painter, height int) {
	l.grid = grid.New(painter)
	l.geometry.Height = height
	l.look()
}

func (l *list) onScroll(top, height int) {
	if top != l.geometry.Scroll {
		l.mark.reveal = false // somebody looks elsewhere
	}
	l.geometry.Scroll, l.geometry.Height = top, height
	l.stray()
	if top == 0 && l.above != 0 {
		l.above = 0
		l.redraw()
	}
	l.look()
}

// narrowList is as wide as a list is on a telephone, in pixels.
const narrowList = 560

func (l *list) onResize(width int) {
	if narrow := width < narrowList; narrow != l.narrow {
		l.narrow = narrow
		l.paint()
	}
}

func (l *list) onPointer(in bool) {
	l.pointed = in
	l.look()
}

// look asks the worker for what the address and the scroll say, if that is
// something else than before.
func (l *list) look() {
	opened := l.drawer.follow()
	next := port.Look{ID: listID, Resource: l.address.Resource, Query: l.address.Query()}
	next.Paused, next.Typing = l.paused || l.share.export != nil, l.filter.completion.Load().open()
	next.Offset, next.Limit = l.geometry.Window()
	if !l.first {
		next.Limit = min(next.Limit, firstRows)
	}
	if next.Resource != l.asked.Resource {
		l.begin(next.Resource)
	}
	l.followSelected(opened)
	if l.asked.Seq == 0 || !sameQuestion(next, l.asked) {
		l.turned = l.seq + 1
	}
	next.Anchor, next.Locate = l.anchor(), l.sought()
	if l.asked.Seq > 0 && same(next, l.asked) {
		return
	}
	l.seq++
	if next.Seq = l.seq; next.Locate != l.asked.Locate {
		l.located = l.seq
	}
	l.asked = next
	l.port.Send(next)
	l.busy()
}

// begin forgets what was shown of another resource: none of it, nor how it
// stood, is true of the one that is asked for.
func (l *list) begin(resource string) {
	if l.begun = l.seq + 1; l.asked.Seq == 0 {
		return
	}
	l.window, l.filter.labels, l.mark = view.Window{}, nil, mark{}
	l.state.Source = port.Source{Resource: resource, State: "connecting"}
	l.browser.SetState("connecting", l.title())
}

// anchor is the row that must not move: the uppermost in sight, while somebody
// points at the list or has chosen a row in it. What is asked for anew begins
// at its top, wherever the rows go that were in sight.
func (l *list) anchor() string {
	if l.shown < l.turned || !l.state.Source.Synced || !l.pointed && l.address.Selected == "" && l.mark.key == "" {
		return ""
	}
	at := (l.geometry.Scroll+RowHeight-1)/RowHeight - l.window.Offset
	if at < 0 || at >= len(l.window.Rows) {
		return ""
	}
	return l.window.Rows[at].Key
}

// onPatch paints what changed, and reports it as painted.
func (l *list) onPatch(patch view.Patch) {
	defer l.port.Send(port.Painted{ID: listID})
	if patch.Seq < l.begun { // of another resource
		return
	}
	before := l.window
	l.window, l.shown = l.window.Apply(patch), patch.Seq
	if patch.Facets != nil && patch.Seq >= l.turned { // not those of what was typed before
		l.filter.recount()
	}
	if patch.Above != 0 {
		l.shift(patch.Above)
	}
	news := l.follow(patch)
	l.paint()
	l.reveal()
	l.busy()
	if !l.first && len(l.window.Rows) > 0 {
		l.first = true
		l.browser.Mark("watchglass:first-row")
	}
	l.look() // the anchor, or the scroll
	switch {
	case news || patch.Above != 0 || before.Held != patch.Held || before.Problem != l.window.Problem || before.Columns != nil && (before.Total == 0) != (patch.Total == 0):
		l.redraw()
	case patch.Columns != nil || patch.Facets != nil || before.Total != patch.Total || before.Of != patch.Of || before.Waiting != patch.Waiting:
		l.redrawSoon()
	}
}

// firstRows is how many rows are painted at first: while the program is still
// being compiled on other threads, a whole screen at once would take long.
const firstRows = 14

// sameQuestion reports that two looks differ in their window at most.
func sameQuestion(a, b port.Look) bool {
	return a.Resource == b.Resource && slices.Equal(a.Namespaces, b.Namespaces) && a.Labels == b.Labels && a.Text == b.Text && a.Typing == b.Typing &&
		a.Paused == b.Paused && a.Sort == b.Sort && a.Descending == b.Descending && a.Wide == b.Wide && slices.Equal(a.Columns, b.Columns)
}

func same(a, b port.Look) bool {
	return sameQuestion(a, b) && a.Offset == b.Offset && a.Limit == b.Limit && a.Anchor == b.Anchor && a.Locate == b.Locate
}

// shift moves the list along with its anchor.
func (l *list) shift(rows int) {
	l.geometry.Scroll = max(l.geometry.Scroll+rows*RowHeight, 0)
	l.browser.Scroll(l.geometry.Scroll)
	if l.above += rows; l.above < 0 {
		l.above = 0
	}
}

// busy says whether what is shown is not yet what was asked for.
func (l *list) busy() {
	if l.grid != nil {
		l.grid.Busy(l.shown < l.turned)
	}
}

func (l *list) paint() {
	sizes := l.columns.sizing
	if sizes == nil {
		sizes = l.address.sizes()
	}
	if l.grid != nil {
		l.grid.Show(l.window, grid.Sort{Column: l.address.Sort, Descending: l.address.Descending}, grid.Marks{Active: l.mark.key, Selected: l.address.Selected}, grid.Room{Sizes: sizes, Narrow: l.narrow})
	}
}

// rewind goes to the top of the list: what is asked for begins there.
func (l *list) rewind() {
	l.above, l.mark = 0, mark{}
	if l.geometry.Scroll != 0 {
		l.geometry.Scroll = 0
		l.browser.Scroll(0)
	}
}

// onReset opens the list at another hub.
func (l *list) onReset() {
	if l.asked.Seq > 0 {
		l.seq++
		l.asked.Seq = l.seq
		l.port.Send(l.asked)
	}
}

// sortBy sorts by a column, the other way round if it is sorted by it already.
func (l *list) sortBy(column string) {
	column = l.ageOf(column)
	l.rewind()
	l.visit(true, func(a *Address) {
		switch {
		case a.Sort != column:
			a.Sort, a.Descending = column, false
		case !a.Descending:
			a.Descending = true
		default:
			a.Sort, a.Descending = "", false // as it came
		}
	})
}

// ageOf is the column that tells the age, where none is called so: events have when
// they were last seen.
func (l *list) ageOf(column string) string {
	aged := func(c view.Column) bool { return c.Aged() }
	named := func(c view.Column) bool { return c.Name == column }
	if i := slices.IndexFunc(l.window.Known, aged); column == view.AgeColumn && i >= 0 && !slices.ContainsFunc(l.window.Known, named) {
		return l.window.Known[i].Name
	}
	return column
}

// number writes one that is known.
func number(n int, known bool) string {
	if !known {
		return ""
	}
	return Count(n)
}

// announcement is for those who hear the page: what is worth interrupting them.
func (l *list) announcement() string {
	switch l.state.Source.State {
	case "live":
		return l.address.Resource + ": live"
	case "", "syncing", "connecting":
		return ""
	}
	w, _ := Explain(l.state)
	return w.Title
}

// banner says what is wrong while there are rows to look at all the same.
func (l *list) banner() app.UI {
	w, ok := Explain(l.state)
	if wrong := l.filter.problem(); wrong.Text != "" && wrong.Part != view.PartFilter {
		return banner("problem").Attr("role", "alert").Body(
			app.Strong().Text("The query is not understood"), app.Span().Text(wrong.Text+". What it showed before still shows."),
		)
	}
	if limited := l.state.Source.Namespace; !ok && limited != "" && l.state.Source.Namespaced {
		return banner("note").Body(app.Span().Text(limits(l.state)))
	}
	if !ok || l.panelled() {
		return banner("")
	}
	return banner(l.state.Source.State).Body(
		app.Strong().Text(w.Title), app.Span().Text(said(w)), app.Span().Text(w.Do),
		app.If(l.state.Source.Denied != "", app.Button().Class("way").DataSet("action", Within).DataSet("value", strings.Join(without(apart(l.state.Source.Namespace), l.access.denied()), ",")).Text("Leave out "+listed(l.state.Source.Denied))),
	)
}

func banner(tone string) app.HTMLSection {
	return app.Section().Class("banner").Attr("aria-label", "How it stands").DataSet("tone", tone)
}

// said is the words verbatim, and whose they are.
func said(w Words) string {
	if w.Said == "" {
		return w.Means
	}
	return w.By + " said: " + w.Said
}

// panelled reports that the state takes the place of the list.
func (l *list) panelled() bool {
	switch l.state.Source.State {
	case "gone":
		return true
	case "denied":
		return l.window.Of == 0 && l.state.Source.Rest == "" // else some of its namespaces may be listed
	case "connecting":
		return l.state.Source.Cause != nil
	}
	return false
}

// list is where the rows are, or what stands in their place.
func (l *list) draw() app.UI {
	busy := l.state.Source.State == "syncing" || l.state.Source.State == "connecting" || l.state.Source.State == ""
	return app.Main().Class("list").Attr("aria-busy", busy).DataSet("panel", l.panelled()).DataSet("held", l.window.Held).DataSet("rest", l.state.Source.Rest).DataSet("polled", l.state.Source.Polled > 0).Body(
		app.H1().Class("unseen").Text(l.address.Resource+" in "+l.session.context()),
		app.Div().ID("grid").Class("grid"),
		l.panel(),
		app.Button().Class("chip").DataSet("action", ToTop).Hidden(l.above == 0).Text(Count(l.above)+" new above ↑"),
	)
}

// panel stands in the place of rows where there are none.
func (l *list) panel() app.UI {
	var lines []app.UI
	switch w, ok := Explain(l.state); {
	case ok && l.panelled():
		lines = append(lines, app.H2().Text(w.Title))
		if w.Said != "" {
			lines = append(lines, app.P().Class("said").Body(app.Span().Class("dim").Text(w.By+" said"), app.Code().Text(w.Said)))
		}
		lines = append(lines, app.P().Text(w.Means), app.P().Text(w.Do))
		if l.state.Source.State == "denied" {
			lines = append(lines, app.P().Class("dim").Text(l.session.whoami()), app.P().Class("ways").Body(l.access.ways()...))
		} else if l.session.contextLost() {
			lines = append(lines, app.P().Body(app.Button().Class("way").DataSet("action", OpenPalette).DataSet("value", contextWord).Text("Choose a context")))
		} else if l.address.Resource != home {
			lines = append(lines, app.P().Body(app.Button().Class("way").DataSet("action", GoTo).DataSet("value", home).Text("Go to the pods")))
		}
	case l.window.Total > 0 || l.window.Columns == nil:
		return app.Div().Class("panel").Hidden(true)
	case l.window.Of > 0:
		lines = append(lines, app.H2().Text("Nothing matches"),
			app.P().Text(Count(l.window.Of)+" "+l.address.Resource+" are there, and none of them is what was asked for."),
			app.P().Body(app.Button().Class("way").DataSet("action", ClearFilters).Text("Show all of them")))
	case l.state.Source.Synced:
		lines = append(lines, app.H2().Text("No "+l.address.Resource),
			app.P().Text("There are none "+l.where()+". When there are, they appear by themselves."))
	default:
		return app.Div().Class("panel").Hidden(true)
	}
	return app.Div().Class("panel").Body(lines...)
}

func (l *list) where() string {
	if l.state.Source.Namespace != "" {
		return "in " + strings.Join(without(apart(l.state.Source.Namespace), l.access.denied()), ", ")
	}
	return "in this cluster"
}
