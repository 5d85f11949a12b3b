package list

import (
	"slices"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/ui"
)

// The actions.
const (
	ToTop       ui.Action = "top"
	SetDensity  ui.Action = "density" // value: its name
	ReverseSort ui.Action = "reverse"
)

// ID is the hub's ID of the page's list.
const ID = 1

// List is the part with the rows: the query, the window received, the scroll position and the
// marked row. Rows are painted by grid, outside of the shell.
type List struct {
	host        Host
	browser     Browser
	grid        *grid.Grid // nil until the list is attached
	geometry    grid.Geometry
	window      view.Window
	seq         uint32
	asked       port.ListQuery // the last query
	querySeq    uint32         // first seq of the current query, whatever its window
	resourceSeq uint32         // first seq of the current resource
	shown       uint32         // seq of the query that the window answers
	located     uint32         // first seq that asks for the marked row's index
	mark        mark
	pointed     bool // the pointer is over the list, and does not rest at its top
	resting     *time.Timer
	above       int       // new rows above the anchored one
	paused      bool      // updates are held back
	room        grid.Room // without the columns' sizes
	first       bool      // the first rows have been painted
	density     density
}

// New returns the list of a page.
func New(h Host, b Browser) *List {
	return &List{host: h, browser: b, geometry: grid.Geometry{RowHeight: ui.RowHeight}, density: recalledDensity(b)}
}

// Window returns what the list shows. It is to be read only.
func (l *List) Window() *view.Window { return &l.window }

// Asked returns the last query that was sent; its Seq is 0 if there was none.
func (l *List) Asked() port.ListQuery { return l.asked }

// Asks reports whether the last query asks a question, whatever its window.
func (l *List) Asks(resource string, q view.Query) bool {
	return sameQuestion(port.ListQuery{Resource: resource, Query: q}, l.asked)
}

// Query returns the number of the query. It changes with the query, and not with the window.
func (l *List) Query() uint32 { return l.querySeq }

// Above returns how many new rows there are above those on screen.
func (l *List) Above() int { return l.above }

// Paused reports whether the user has paused updates. Resume ends that, from the next query on.
func (l *List) Paused() bool { return l.paused }
func (l *List) Resume()      { l.paused = false }

// Geometry returns where the list is scrolled to, and how high it and its rows are.
func (l *List) Geometry() grid.Geometry { return l.geometry }

// Room returns how wide the list is, and its font.
func (l *List) Room() grid.Room { return l.room }

// Pixels returns how wide a column is painted; 0 if it isn't.
func (l *List) Pixels(column string) int {
	if l.grid == nil {
		return 0
	}
	return l.grid.Pixels(column)
}

// Commands returns the commands of the list.
func (l *List) Commands() []ui.Command {
	return append([]ui.Command{
		{ID: "down", Keys: []string{"j", "ArrowDown"}, Title: "Next row", Do: func() { l.step(1) }},
		{ID: "up", Keys: []string{"k", "ArrowUp"}, Title: "Previous row", Do: func() { l.step(-1) }},
		{ID: "page-down", Keys: []string{"PageDown"}, Title: "Page down", Do: func() { l.step(l.geometry.Page()) }},
		{ID: "page-up", Keys: []string{"PageUp"}, Title: "Page up", Do: func() { l.step(-l.geometry.Page()) }},
		{ID: "first", Keys: []string{"g", "Home"}, Title: "First row", Do: func() { l.moveTo(0) }, Offer: ui.Always},
		{ID: "last", Keys: []string{"G", "End"}, Title: "Last row", Do: func() { l.moveTo(l.window.Total - 1) }, Offer: ui.Always},
		{ID: "open", Keys: []string{"Enter"}, Title: "Open or close object", Do: l.openMarked, OfTarget: true},
		{ID: ToTop, Do: l.toTop},
		{ID: SetDensity, Run: l.chooseDensity, KeepsPopover: true},
		{ID: ReverseSort, Do: l.reverse},
		{ID: ui.SortBy, Run: l.sortBy},
	}, sortKeys...)
}

// toTop shows the rows at the top.
func (l *List) toTop() {
	l.Rewind()
	l.host.SendQueries()
	l.Paint()
	l.host.Redraw()
}

// TogglePause pauses updates, or resumes them.
func (l *List) TogglePause() {
	l.paused = !l.paused
	l.host.SendQueries()
	l.host.Redraw()
}

// Attach gives the list what paints its rows, and the height of its box. Until then nothing is painted.
func (l *List) Attach(painter grid.Painter, height int) {
	l.grid = grid.New(painter)
	l.geometry.Height = height
	l.resizeRows()
	l.host.SendQueries()
}

// OnScroll handles a new scroll position, or another height of the box.
func (l *List) OnScroll(top, height int) {
	if top != l.geometry.Scroll {
		l.mark.reveal = false // the user has scrolled away
	}
	l.geometry.Scroll, l.geometry.Height = top, height
	l.cancelIfScrolledAway()
	if top == 0 && l.above != 0 {
		l.above = 0
		l.host.Redraw()
	}
	l.host.SendQueries()
}

// OnResize handles another width of the list, or another font.
func (l *List) OnResize(width int, font grid.Font) {
	if width != l.room.Width || font != l.room.Font {
		l.room.Width, l.room.Font = width, font
		l.Paint()
		l.host.Resized() // the totals have one row or two
		if l.grid != nil {
			l.host.SendQueries() // wide columns may come or go
		}
	}
}

// pointerRests is how long after its last move the pointer holds the rows at the top of a list.
const pointerRests = 5 * time.Second

// OnPointer holds the rows under a pointer that enters or moves.
func (l *List) OnPointer(in bool) {
	if l.resting != nil {
		l.resting.Stop()
	}
	if in {
		l.resting = time.AfterFunc(pointerRests, func() { l.host.Locked(l.rest) })
	}
	if l.pointed != in {
		l.pointed = in
		l.host.SendQueries()
	}
}

// rest lets new rows in again under a pointer that was left lying at the top of the list: held there, a list
// would show older and older rows. Where the user has scrolled to, or marked a row, nothing moves.
func (l *List) rest() {
	if l.geometry.Scroll-l.above*l.geometry.RowHeight >= l.geometry.RowHeight || l.host.Address().Selected != "" || l.mark.key != "" {
		return
	}
	if l.pointed = false; l.above > 0 {
		l.Rewind()
		l.host.Redraw()
	}
	l.host.SendQueries()
}

// OnPatch paints what changed, and reports it as painted.
func (l *List) OnPatch(patch view.Patch) {
	defer l.host.Send(port.Painted{ID: ID})
	if patch.Seq < l.resourceSeq { // of the previous resource
		return
	}
	before := l.window
	l.window, l.shown = l.window.Apply(patch), patch.Seq
	if patch.Facets != nil && patch.Seq >= l.querySeq { // skip counts of an earlier query
		l.host.Recount()
	}
	if patch.Above != 0 {
		l.shift(patch.Above)
	}
	news := l.follow(patch)
	l.Paint()
	l.Reveal()
	l.busy()
	if !l.first && len(l.window.Rows) > 0 {
		l.first = true
		l.browser.Mark("watchglass:first-row")
	}
	l.host.SendQueries() // the anchor or the scroll position may have changed
	switch {
	case news || patch.Above != 0 || before.Held != patch.Held || !slices.Equal(before.Problems, l.window.Problems) || before.Columns != nil && (before.Total == 0) != (patch.Total == 0):
		l.host.Redraw()
	case patch.Columns != nil || patch.Facets != nil || before.Total != patch.Total || before.Of != patch.Of || before.Waiting != patch.Waiting:
		l.host.RedrawSoon()
	}
}

// firstRows limits the first paint. While other threads still compile the program, a whole
// screen of rows would take long.
const firstRows = 14

// shift scrolls the list so that its anchor stays in place.
func (l *List) shift(rows int) {
	l.geometry.Scroll = max(l.geometry.Scroll+rows*l.geometry.RowHeight, 0)
	l.browser.Scroll(l.geometry.Scroll)
	if l.above += rows; l.above < 0 {
		l.above = 0
	}
}

// busy marks the grid as busy until it shows the current query.
func (l *List) busy() {
	if l.grid != nil {
		l.grid.Busy(l.shown < l.querySeq)
	}
}

// Paint paints the rows and the headings again.
func (l *List) Paint() {
	room := l.room
	room.Extra = l.extra()
	room.Notes = l.host.Notes()
	room.Sizes = l.host.Columns().Widths()
	if l.grid != nil {
		column, descending := l.host.Address().SortedBy()
		l.grid.Show(l.window, l.host.Objects(), grid.Sort{Column: column, Descending: descending}, grid.Marks{Active: l.rowKey(l.mark.key), Selected: l.rowKey(l.host.Address().Selected)}, room)
	}
}

// extra reports whether kubectl's wide columns show although nobody asked for them: there is
// room, or the list is sorted by one. Columns that the user chose stay as they are.
func (l *List) extra() bool {
	column, _ := l.host.Address().SortedBy()
	return l.host.Address().Columns == "" && (l.room.Width >= grid.RoomForExtra || slices.ContainsFunc(l.window.Known, func(c view.Column) bool { return c.Name == column && c.Priority > 0 }))
}

// Rewind scrolls to the top of the list and clears the mark, for a new query.
func (l *List) Rewind() {
	l.above, l.mark = 0, mark{}
	if l.geometry.Scroll != 0 {
		l.geometry.Scroll = 0
		l.browser.Scroll(0)
	}
}

// OnReset requests the list from the new hub.
func (l *List) OnReset() {
	if l.asked.Seq > 0 {
		l.seq++
		l.asked.Seq = l.seq
		l.host.Send(l.asked)
	}
}
