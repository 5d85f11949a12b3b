package web

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// list is the part with the rows: the query, the window received, the scroll position and the
// marked row. Rows are painted by grid, outside of the shell.
type list struct {
	*page
	grid        *grid.Grid // nil until the list is attached
	geometry    grid.Geometry
	window      view.Window
	seq         uint32
	asked       port.Look // the last look
	querySeq    uint32    // first seq of the current query, whatever its window
	resourceSeq uint32    // first seq of the current resource
	shown       uint32    // seq of the query that the window answers
	located     uint32    // first seq that asks for the marked row's index
	mark        mark
	pointed     bool // the pointer is over the list, and does not rest at its top
	resting     *time.Timer
	above       int       // new rows above the anchored one
	paused      bool      // updates are held back
	room        grid.Room // without the columns' sizes
	first       bool      // the first rows have been painted
	density     density
}

func newList(p *page) *list {
	return &list{page: p, geometry: grid.Geometry{RowHeight: RowHeight}, density: recalledDensity(p.browser)}
}

func (l *list) Actions() map[ui.Action]func(string) {
	all := map[ui.Action]func(string){
		TogglePause: ui.IgnoreValue(l.togglePause), SetDensity: l.setDensity, SortBy: l.sortBy, ReverseSort: ui.IgnoreValue(l.reverse), Open: ui.IgnoreValue(l.openMarked),
		ToTop: ui.IgnoreValue(func() {
			l.rewind()
			l.changed()
		}),
	}
	for _, step := range []ui.Action{Down, Up, PageDown, PageUp, First, Last} {
		all[step] = ui.IgnoreValue(func() { l.move(step) })
	}
	return all
}

func (l *list) togglePause() {
	if l.past.On() {
		l.past.Play()
		return
	}
	l.paused = !l.paused
	l.look()
	l.redraw()
}

func (l *list) attach(painter grid.Painter, height int) {
	l.grid = grid.New(painter)
	l.geometry.Height = height
	l.resizeRows()
	l.look()
}

func (l *list) onScroll(top, height int) {
	if top != l.geometry.Scroll {
		l.mark.reveal = false // the user has scrolled away
	}
	l.geometry.Scroll, l.geometry.Height = top, height
	l.cancelIfScrolledAway()
	if top == 0 && l.above != 0 {
		l.above = 0
		l.redraw()
	}
	l.look()
}

func (l *list) onResize(width int, font grid.Font) {
	if width != l.room.Width || font != l.room.Font {
		l.room.Width, l.room.Font = width, font
		l.paint()
		l.frame.resized() // the totals have one row or two
		if l.grid != nil {
			l.look() // wide columns may come or go
		}
	}
}

// pointerRests is how long after its last move the pointer holds the rows at the top of a list.
const pointerRests = 5 * time.Second

// onPointer holds the rows under a pointer that enters or moves.
func (l *list) onPointer(in bool) {
	if l.resting != nil {
		l.resting.Stop()
	}
	if in {
		l.resting = time.AfterFunc(pointerRests, func() { l.locked(l.rest) })
	}
	if l.pointed != in {
		l.pointed = in
		l.look()
	}
}

// rest lets new rows in again under a pointer that was left lying at the top of the list: held there, a list
// would show older and older rows. Where the user has scrolled to, or marked a row, nothing moves.
func (l *list) rest() {
	if l.geometry.Scroll-l.above*l.geometry.RowHeight >= l.geometry.RowHeight || l.address.Selected != "" || l.mark.key != "" {
		return
	}
	if l.pointed = false; l.above > 0 {
		l.rewind()
		l.redraw()
	}
	l.look()
}

// look sends the worker the query and window for the current address and scroll position,
// if they have changed.
func (l *list) look() {
	defer l.followTimelines() // one is about the list
	l.overview.follow()
	opened := l.drawer.follow()
	next := port.Look{ID: listID, Resource: l.address.Resource, Query: l.address.Query()}
	if l.asked.Seq > 0 && next.Resource != l.asked.Resource {
		l.paused = l.frame.held // a user's pause is of the list on screen
	}
	next.Paused, next.Typing = l.paused || l.share.export != nil, l.filter.Suggests()
	next.Wide = next.Wide || l.extra()
	next.Extra = l.extra() && l.room.Width >= grid.RoomForExtra
	next.Offset, next.Limit = l.geometry.Window()
	if !l.first {
		next.Limit = min(next.Limit, firstRows)
	}
	if next.Resource != l.asked.Resource {
		l.begin(next.Resource)
	}
	l.followSelected(opened)
	if l.asked.Seq == 0 || !sameQuestion(next, l.asked) {
		l.querySeq = l.seq + 1
	}
	next.Anchor, next.Locate = l.anchor(), l.keyToLocate()
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

// begin drops the rows and the state of the previous resource.
func (l *list) begin(resource string) {
	if l.resourceSeq = l.seq + 1; l.asked.Seq == 0 {
		return
	}
	l.window, l.mark = view.Window{}, mark{}
	l.filter.Begin()
	l.state.Source = port.Source{Resource: resource, State: port.Connecting}
	l.ShowState()
}

// anchor returns the key of the row that must not move: the first visible one, while the
// pointer is over the list or a row is selected. A new query has no anchor; it starts at the
// top.
func (l *list) anchor() string {
	if l.past.On() || l.shown < l.querySeq || !l.state.Source.Synced || !l.pointed && l.address.Selected == "" && l.mark.key == "" {
		return ""
	}
	at := (l.geometry.Scroll+l.geometry.RowHeight-1)/l.geometry.RowHeight - l.window.Offset
	if at < 0 || at >= len(l.window.Rows) {
		return ""
	}
	return l.window.Rows[at].Key
}

// onPatch paints what changed, and reports it as painted.
func (l *list) onPatch(patch view.Patch) {
	defer l.port.Send(port.Painted{ID: listID})
	if patch.Seq < l.resourceSeq { // of the previous resource
		return
	}
	before := l.window
	l.window, l.shown = l.window.Apply(patch), patch.Seq
	if patch.Facets != nil && patch.Seq >= l.querySeq { // skip counts of an earlier query
		l.filter.Recount()
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
	l.look() // the anchor or the scroll position may have changed
	switch {
	case news || patch.Above != 0 || before.Held != patch.Held || !slices.Equal(before.Problems, l.window.Problems) || before.Columns != nil && (before.Total == 0) != (patch.Total == 0):
		l.redraw()
	case patch.Columns != nil || patch.Facets != nil || before.Total != patch.Total || before.Of != patch.Of || before.Waiting != patch.Waiting:
		l.redrawSoon()
	}
}

// firstRows limits the first paint. While other threads still compile the program, a whole
// screen of rows would take long.
const firstRows = 14

// sameQuestion reports whether two looks are equal except for their windows.
func sameQuestion(a, b port.Look) bool {
	return a.Resource == b.Resource && slices.Equal(a.Namespaces, b.Namespaces) && a.Labels == b.Labels && a.Text == b.Text && a.From == b.From && a.Until == b.Until && a.Typing == b.Typing &&
		a.Paused == b.Paused && a.Sort == b.Sort && a.Descending == b.Descending && a.Group == b.Group && a.Sum == b.Sum && a.Wide == b.Wide && a.Extra == b.Extra && slices.Equal(a.Columns, b.Columns)
}

func same(a, b port.Look) bool {
	return sameQuestion(a, b) && a.Offset == b.Offset && a.Limit == b.Limit && a.Anchor == b.Anchor && a.Locate == b.Locate
}

// shift scrolls the list so that its anchor stays in place.
func (l *list) shift(rows int) {
	l.geometry.Scroll = max(l.geometry.Scroll+rows*l.geometry.RowHeight, 0)
	l.browser.Scroll(l.geometry.Scroll)
	if l.above += rows; l.above < 0 {
		l.above = 0
	}
}

// busy marks the grid as busy until it shows the current query.
func (l *list) busy() {
	if l.grid != nil {
		l.grid.Busy(l.shown < l.querySeq)
	}
}

func (l *list) paint() {
	room := l.room
	room.Extra = l.extra()
	room.Notes = l.notes()
	room.Sizes = l.columns.Widths()
	if l.grid != nil {
		column, descending := l.address.SortedBy()
		of := objectsOf(l.address, l.state.Source.Kind, l.base)
		of.Past = l.past.On()
		l.grid.Show(l.window, of, grid.Sort{Column: column, Descending: descending}, grid.Marks{Active: l.rowKey(l.mark.key), Selected: l.rowKey(l.address.Selected)}, room)
	}
}

// extra reports whether kubectl's wide columns show although nobody asked for them: there is
// room, or the list is sorted by one. Columns that the user chose stay as they are.
func (l *list) extra() bool {
	column, _ := l.address.SortedBy()
	return l.address.Columns == "" && (l.room.Width >= grid.RoomForExtra || slices.ContainsFunc(l.window.Known, func(c view.Column) bool { return c.Name == column && c.Priority > 0 }))
}

// rewind scrolls to the top of the list and clears the mark, for a new query.
func (l *list) rewind() {
	l.above, l.mark = 0, mark{}
	if l.geometry.Scroll != 0 {
		l.geometry.Scroll = 0
		l.browser.Scroll(0)
	}
}

// onReset requests the list from the new hub.
func (l *list) onReset() {
	if l.asked.Seq > 0 {
		l.seq++
		l.asked.Seq = l.seq
		l.port.Send(l.asked)
	}
}

// sortBy sorts by a column: ascending, then descending, then in the original order. A key may
// name a column that the kind does not have.
func (l *list) sortBy(column string) {
	column = l.columnLike(column)
	known := l.window.Known
	if l.window.Group != "" {
		known = l.window.Columns
	}
	if known != nil && !slices.ContainsFunc(known, func(c view.Column) bool { return c.Name == column }) {
		l.notices.say(notice{text: "No column " + column + " in this list."})
		return
	}
	l.rewind()
	l.visit(true, func(a *route.Address) {
		switch {
		case a.Sort != column:
			a.Sort, a.Descending = column, false
		case !a.Descending:
			a.Descending = true
		default:
			a.Sort, a.Descending = "", false // original order
		}
	})
	if l.address.Sort == column {
		l.columns.Reveal(column)
	}
}

// reverse reverses the order of the rows.
func (l *list) reverse() {
	l.rewind()
	l.visit(true, func(a *route.Address) {
		column, descending := a.SortedBy()
		a.Sort, a.Descending = column, !descending
	})
}

// sortOffers returns the palette's entries for sorting, with the keys that do the same.
func (l *list) sortOffers() []ui.Offer {
	var all []ui.Offer
	if column, descending := l.address.SortedBy(); column != "" {
		all = append(all, ui.Offer{Action: ReverseSort, Text: map[bool]string{false: "Sort descending", true: "Sort ascending"}[descending], Hint: column, Names: []string{"reverse"}})
	}
	columns := l.window.Columns
	if l.window.Group == "" { // the others show when the list is sorted by them
		columns = slices.Concat(columns, slices.DeleteFunc(slices.Clone(l.window.Known), l.columns.Shows))
	}
	for _, c := range columns {
		o := ui.Offer{Action: SortBy, Value: c.Name, Text: "Sort by " + c.Name}
		for _, b := range bindings {
			if b.Action == SortBy && l.columnLike(b.Value) == c.Name {
				o.Hint = ui.KeyName(b.Keys[0])
			}
		}
		all = append(all, o)
	}
	return all
}

// alike are the columns by which a key sorts in lists that lack the key's own column, best first.
var alike = map[string][]string{"Status": {"Severity", "Phase", "State", "Type"}, "Restarts": {"Count"}}

// columnLike returns the column to sort by for a key's column: that one, or the one that stands for it
// in a list without it. For Age that is the first with ages, such as Last Seen of events.
func (l *list) columnLike(column string) string {
	known := l.window.Known
	has := func(name string) bool {
		return slices.ContainsFunc(known, func(c view.Column) bool { return c.Name == name })
	}
	if has(column) {
		return column
	}
	if i := slices.IndexFunc(known, view.Column.Aged); column == view.AgeColumn && i >= 0 {
		return known[i].Name
	}
	if i := slices.IndexFunc(alike[column], has); i >= 0 {
		return alike[column][i]
	}
	return column
}

// announcement is the text that screen readers announce.
func (l *list) announcement() string {
	if l.past.On() {
		return l.past.Announcement()
	}
	switch l.state.Source.State {
	case port.Live:
		return l.address.Name() + ": live"
	case "", port.Syncing, port.Connecting:
		return ""
	}
	w, _ := l.explain()
	return w.Title
}

// banner shows what is wrong while the list still has rows.
func (l *list) banner() app.UI {
	w, ok := l.explain()
	if wrong := l.drawWrong(); len(wrong) > 0 {
		return ui.Banner("problem").Body(wrong...)
	}
	if gaps := l.lacks(); len(gaps) > 0 && l.window.Total > 0 && (!ok || l.outweighed()) {
		return l.drawIncomplete(gaps)
	}
	if limited := l.state.Source.Namespace; !ok && limited != "" && l.state.Source.Namespaced && !(l.address.Problems() && l.access.partialAccess()) && !(l.past.On() && len(l.address.Namespaces) > 0) {
		return ui.Banner("note").Body(app.Span().Text(l.past.Limits(l.state)))
	}
	if !ok || l.outweighed() {
		return l.clockNote()
	}
	if l.panelled() {
		return ui.Banner("")
	}
	return ui.Banner(l.state.Source.State).Body(
		app.Elem("strong").Text(w.Title), app.Span().Text(words.CauseText(w)), app.Span().Text(w.Do),
		app.If(l.state.Source.Denied != "", ui.Way(Within, "Exclude "+words.Listed(l.state.Source.Denied)).DataSet("value", strings.Join(words.Without(words.SplitList(l.state.Source.Namespace), l.access.denied()), ","))),
	)
}

// noneMatch says that a filter excludes all objects of a list.
func (l *list) noneMatch() string {
	if l.window.Of > 1 {
		return "None of " + words.Count(l.window.Of) + " " + l.address.Resource + " match."
	}
	only := cmp.Or(l.state.Source.Kind, "one")
	if l.address.Problems() {
		only = "problem"
	}
	return "The only " + only + " does not match."
}

// drawNoMatch says that a filter excludes all objects of a list, or that the recording lacks those it asks for.
func (l *list) drawNoMatch() []app.UI {
	out, all := l.past.LeftOut(l.address.Namespaces)
	if all {
		return []app.UI{app.H2().Text(words.NotInRecording), app.P().Text(out)}
	}
	return []app.UI{app.H2().Text("No matches"), app.P().Text(l.noneMatch()), app.P().Hidden(out == "").Text(out)}
}

// drawWrong draws what is wrong with each part of the query. While the user is typing the filter, its mistake
// shows below the field.
func (l *list) drawWrong() (all []app.UI) {
	for _, p := range l.filter.Problems() {
		if p.Part != view.PartFilter {
			all = append(all, app.Div().Class("mistake").Attr("role", "alert").Body(app.Elem("strong").Text(words.Sentence(p.Text)+"."), app.Span().Text(words.Instead(p))))
		} else if l.typing != "filter" {
			all = append(all, l.filter.DrawMistake(p))
		}
	}
	return all
}

// outweighed reports whether the gaps say more than the state of a list that is made of others: some
// of those cannot be read, and others can.
func (l *list) outweighed() bool {
	cause := l.state.Source.Cause
	if !l.address.Problems() || cause != nil && (cause.Unauthorized() || cause.Reason == wire.ReasonUnreachable) {
		return false
	}
	return l.state.Source.State == port.Denied || l.state.Source.State == port.Stale && cause != nil
}

// clockNote draws a banner that says that ages are wrong, or none.
func (l *list) clockNote() app.UI {
	if l.state.Link.Ahead == 0 || l.past.On() {
		return ui.Banner("")
	}
	return ui.Banner("note").Body(app.Span().Text(words.ClockOff(l.state.Link.Ahead)))
}

// panelled reports whether a panel replaces the list.
func (l *list) panelled() bool {
	switch l.state.Source.State {
	case port.Gone:
		return true
	case port.Denied:
		return !l.address.Mixed() && l.window.Of == 0 && l.state.Source.Rest == "" // else some namespaces can be listed
	case port.Connecting, port.Throttled:
		return l.state.Source.Cause != nil && l.window.Of == 0
	}
	return false
}

// partial reports whether objects of the list are still to come.
func (l *list) partial() bool {
	state := l.state.Source.State
	if state == port.Denied && l.state.Source.Rest != "" {
		state = l.state.Source.Rest // of the namespaces that may be listed
	}
	return state == port.Syncing || state == port.Connecting || state == port.Throttled || state == ""
}

// draw draws the list, or the panel that replaces it.
func (l *list) draw() app.UI {
	busy := l.partial()
	return app.Elem("main").Class("list").Attr("aria-busy", busy).DataSet("panel", l.panelled()).DataSet("held", l.window.Held || l.filter.Unfinished()).DataSet("rest", l.state.Source.Rest).DataSet("polled", l.state.Source.Polled > 0).Body(
		app.H1().Class("unseen").Text(l.address.Name()+" in "+l.session.context()),
		l.timeline.Draw(),
		app.Div().ID("grid").Class("grid"),
		l.panel(),
		app.Button().Class("chip").DataSet("action", ToTop).Hidden(l.above == 0 || l.past.On()).Text(words.Count(l.above)+" new above ↑"),
	)
}

// panel explains why there are no rows, and offers a way out.
func (l *list) panel() app.UI {
	var lines []app.UI
	switch w, ok := l.explain(); {
	case ok && l.panelled():
		lines = append(lines, app.H2().Text(w.Title))
		if w.Message != "" {
			lines = append(lines, app.P().Class("said").Body(app.Span().Class("dim").Text(words.Sentence(w.By)), app.Elem("code").Text(w.Message)))
		}
		lines = append(lines, app.P().Text(w.Means), app.P().Text(w.Do))
		if l.past.On() {
			break
		}
		if l.state.Source.State == port.Denied {
			lines = append(lines, app.P().Class("dim").Text(l.session.whoami()), app.P().Class("ways").Body(l.access.alternatives()...))
		} else if l.session.contextLost() {
			lines = append(lines, app.P().Body(ui.Way(ui.OpenPalette, "Choose context").DataSet("value", ui.Contexts)))
		} else if l.address.Resource != route.Home {
			lines = append(lines, app.P().Body(ui.Way(ui.GoTo, "Go to pods").DataSet("value", route.Home)))
		}
	case l.window.Total > 0 || l.window.Columns == nil:
		return app.Div().Class("panel").Hidden(true)
	case l.window.Of > 0:
		if gaps := l.gaps(); len(gaps) > 0 {
			lines = append([]app.UI{app.H2().Text("Matches unknown")}, l.drawMissing(gaps)...)
		} else if l.partial() || !l.state.Source.Synced && (l.state.Source.State != port.Denied || l.state.Source.Rest != "") {
			lines = append(lines, app.H2().Text("Nothing matches so far"), app.P().Text("Not all "+l.address.Resource+" have loaded yet."))
		} else {
			lines = append(lines, l.drawNoMatch()...)
		}
		lines = append(lines, app.P().Body(ui.Way(ClearFilters, "Clear filter")))
	case l.timeline.Full():
		lines = append(lines, app.H2().Text("No changes"), app.P().Text("New ones appear here."))
	case l.address.Problems():
		lines = l.overview.drawEmpty()
	case l.state.Source.Synced:
		lines = append(lines, app.H2().Text("No "+l.address.Resource),
			app.P().Text(l.none()))
	default:
		return app.Div().Class("panel").Hidden(true)
	}
	return app.Div().Class("panel").Body(lines...)
}

// none says that there are no objects.
func (l *list) none() string {
	if out, _ := l.past.LeftOut(l.address.Namespaces); out != "" {
		return out
	}
	if l.past.On() {
		return "There were none " + l.where() + " at this time."
	}
	return "There are none " + l.where() + ". New ones appear here as they are created."
}

func (l *list) where() string {
	if l.state.Source.Namespace != "" {
		return "in " + strings.Join(words.Without(words.SplitList(l.state.Source.Namespace), l.access.denied()), ", ")
	}
	return "in this cluster"
}
