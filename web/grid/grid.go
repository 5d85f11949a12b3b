package grid

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/view"
)

// Column is a column as it is painted.
type Column struct {
	Name  string
	Title string // what stands above it
	Width int    // in characters
	Fixed int    // in pixels, where somebody chose it; else 0
	// Narrow is the most of a name that shows on a telephone, in characters; else 0.
	Narrow int
	Wide   bool // takes what width is left
	Right  bool // numbers stand at the right
	Mono   bool // names, whose letters should stand below each other
	Tone   bool // the cell may show how things are
	Age    bool // time passes in it, which is no news
	Link   bool // the cell leads to the object
	// Instant is the place of the column's instants in view.Row.Instants; -1 if it has none.
	Instant int
}

// Cell is a cell as it is painted.
type Cell struct {
	Text  string
	Title string // the whole text, where Text had to be cut; of an age, the exact time
	Tone  Tone
	Glow  bool // it changed while it was looked at
}

// Painter does to the page what it is told, at the latest at Paint. Slots are
// the row elements.
type Painter interface {
	// Columns says that rows placed from now on have these cells.
	Columns(columns []Column)
	// Head paints the columns' heads, and which one sorts.
	Head(columns []Column, sort string, descending bool)
	// Widths makes the columns as wide as they say.
	Widths(columns []Column)
	// Busy says whether what is shown is not yet what was asked for.
	Busy(busy bool)
	// Length makes the list as long as so many rows.
	Length(rows int)
	// Place shows a row in a slot, which is made if it is the next one.
	Place(slot, index int, key, uid string)
	// Link makes the name in a slot's row a link to an address.
	Link(slot int, address string)
	Cell(slot, column int, c Cell)
	Mark(slot int, active, selected bool)
	// Hide shows nothing in a slot, and takes its marks away.
	Hide(slot int)
	Paint()
}

// Sort is the column by which rows are sorted.
type Sort struct {
	Column     string
	Descending bool
}

// Objects are what the rows show.
type Objects struct {
	Kind string // as the server names it
	// Address returns the address of an object, by its key. Addresses change only when View
	// does, so each is computed once per row.
	Address func(key string) string
	View    string
}

// Marks says which rows stand out.
type Marks struct {
	Active   string // key
	Selected string // key
}

// Grid keeps what the painter has painted.
type Grid struct {
	painter Painter
	objects Objects
	columns []Column
	tones   toner
	linked  bool // one of the columns leads to the objects
	sort    Sort
	busy    bool
	length  int
	slots   []slot
}

// slot is a row element.
type slot struct {
	shown            bool
	index            int
	key, uid         string
	view             string // that its address is of
	cells            []string
	instants         []int64
	active, selected bool
}

// New returns a grid that has painted nothing.
func New(p Painter) *Grid { return &Grid{painter: p, length: -1} }

// Sizes are the widths that somebody chose, in pixels, by column.
type Sizes map[string]int

// Room is what the columns have to be in.
type Room struct {
	Sizes
	Narrow bool // a telephone's: names are cut, so that how things are is in sight
}

// Show paints a window.
func (g *Grid) Show(w view.Window, of Objects, sort Sort, marks Marks, room Room) {
	defer g.painter.Paint()
	if of.Kind != g.objects.Kind {
		g.forget() // the same words may have other tones
	}
	g.objects = of
	g.head(w, sort, room)
	g.tones = newToner(of.Kind, g.columns)
	g.linked = of.Address != nil && slices.ContainsFunc(g.columns, func(c Column) bool { return c.Link })
	if w.Total != g.length {
		g.length = w.Total
		g.painter.Length(w.Total)
	}
	n := max(len(g.slots), len(w.Rows))
	if n == 0 {
		return
	}
	used := make([]bool, n)
	for len(g.slots) < n {
		g.slots = append(g.slots, slot{index: -1})
	}
	for i, row := range w.Rows {
		at := (w.Offset + i) % n
		used[at] = true
		g.paint(at, w.Offset+i, row, marks)
	}
	for at := range g.slots {
		if !used[at] && g.slots[at].shown {
			g.slots[at] = slot{index: -1}
			g.painter.Hide(at)
		}
	}
}

// Busy says, to those who wait for it, whether what is shown is not yet what was
// asked for.
func (g *Grid) Busy(busy bool) {
	if busy == g.busy {
		return
	}
	g.busy = busy
	g.painter.Busy(busy)
	g.painter.Paint()
}

// head paints the columns if they changed, or had to become wider.
func (g *Grid) head(w view.Window, sort Sort, room Room) {
	columns, before := layout(w, g.columns, room), g.columns
	others := !sameNames(columns, before)
	if !others && sort == g.sort && slices.Equal(columns, before) {
		return
	}
	if others {
		for at := range g.slots { // cells are others
			if g.slots[at].shown {
				g.painter.Hide(at)
			}
			g.slots[at] = slot{index: -1}
		}
		g.painter.Columns(columns)
	}
	for i := range columns {
		if !others && (columns[i].Fixed != before[i].Fixed || columns[i].Narrow != before[i].Narrow) {
			g.forget() // more of a text may show, or less
			break
		}
	}
	if others || sort != g.sort {
		g.painter.Head(columns, sort.Column, sort.Descending)
	}
	g.columns, g.sort = columns, sort
	g.painter.Widths(columns)
}

// Pixels is about how wide a column is.
func (g *Grid) Pixels(name string) int {
	for _, c := range g.columns {
		if c.Name == name {
			return cmp.Or(c.Fixed, c.Width*letter)
		}
	}
	return 0
}

// forget has all cells painted again.
func (g *Grid) forget() {
	for at := range g.slots {
		g.slots[at].cells, g.slots[at].instants = nil, nil
	}
}

func sameNames(a, b []Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

// paint brings one slot up to a row.
func (g *Grid) paint(at, index int, row view.Row, marks Marks) {
	s := &g.slots[at]
	stayed := s.shown && s.key == row.Key && s.uid == row.UID
	if !s.shown || s.index != index || !stayed {
		g.painter.Place(at, index, row.Key, row.UID)
		s.shown, s.index, s.key, s.uid = true, index, row.Key, row.UID
	}
	if g.linked && (!stayed || s.view != g.objects.View) {
		s.view = g.objects.View
		g.painter.Link(at, g.objects.Address(row.Key))
	}
	if !slices.Equal(s.cells, row.Cells) || !slices.Equal(s.instants, row.Instants) {
		g.cells(at, row, stayed)
	}
	if active, selected := marks.Active == row.Key, marks.Selected == row.Key; active != s.active || selected != s.selected {
		s.active, s.selected = active, selected
		g.painter.Mark(at, active, selected)
	}
}

// cells paints those cells of a slot that differ from its row's.
func (g *Grid) cells(at int, row view.Row, stayed bool) {
	s := &g.slots[at]
	for i, text := range row.Cells[:min(len(row.Cells), len(g.columns))] {
		tone, instant := g.tones.of(i, row.Cells), instantOf(g.columns[i], row.Instants)
		if i < len(s.cells) && s.cells[i] == text && g.tones.of(i, s.cells) == tone && instantOf(g.columns[i], s.instants) == instant {
			continue
		}
		changed := stayed && i < len(s.cells) && timeless(s.cells[i]) != timeless(text)
		g.painter.Cell(at, i, g.columns[i].cell(text, tone, instant, changed))
	}
	s.cells, s.instants = row.Cells, row.Instants
}

// instantOf is the instant that an age is of, in Unix seconds; 0 if it is not known.
func instantOf(c Column, instants []int64) int64 {
	if c.Instant < 0 || c.Instant >= len(instants) {
		return 0
	}
	return instants[c.Instant]
}

// timeless is a cell's text without the time that ticks in it: "3 (5m ago)" says
// nothing new a minute later.
func timeless(text string) string {
	if before, rest, ok := strings.Cut(text, " ("); ok && strings.HasSuffix(rest, " ago)") {
		return before
	}
	return text
}

func (c Column) cell(text string, tone Tone, instant int64, changed bool) Cell {
	out := Cell{Text: Cut(text, c.most()), Tone: tone, Glow: changed && !c.Age}
	switch {
	case instant != 0:
		out.Title = time.Unix(instant, 0).Format(time.RFC3339)
	case out.Text != text || len(text) > roomiest:
		out.Title = text // or it does not fit
	}
	return out
}

// The least and the most width of a column, in characters; one that takes what
// width is left may be wider. What somebody wrote to be read is cut by the edge of
// its cell, and not in its middle.
const (
	narrowest = 5
	widest    = 40
	roomiest  = 72
	longest   = 240
	glyph     = 2 // the width of what shows a tone

	widestName = 72 // where there is width left

	leastLetter = 6 // pixels
	letter      = 8
)

// narrowNames is how much of a name shows on a telephone.
var narrowNames = map[string]int{view.NamespaceColumn: 8, "Name": 18}

// most is how many characters the column shows of a text.
func (c Column) most() int {
	switch {
	case c.Fixed > 0:
		return max(c.Fixed/leastLetter, narrowest)
	case c.Narrow > 0:
		return c.Narrow
	case c.Name == "Message":
		return longest
	case c.Wide:
		return roomiest
	}
	return widest
}

// width is how wide the column has to be for a text.
func (c Column) width(text string) int {
	n := min(len(text)+1, c.most(), roomiest)
	if c.Tone {
		n += glyph
	}
	return n
}

// layout works out the columns of a window. A column grows with what it shows
// and does not shrink again, so that nothing moves sideways while scrolling.
func layout(w view.Window, before []Column, room Room) []Column {
	out := make([]Column, len(w.Columns))
	same, aged := len(before) == len(w.Columns), 0
	for i, c := range w.Columns {
		kind := object.CellKind(c.Kind)
		out[i] = Column{
			Name: c.Name, Fixed: room.Sizes[c.Name],
			Wide:  (c.Name == "Name" || c.Name == "Message") && room.Sizes[c.Name] == 0 && !room.Narrow,
			Right: kind != object.TextCell && kind != object.NameCell,
			Mono:  c.Name == "Name" || c.Name == "IP" || c.Name == "Node",
			Tone:  toned(c.Name),
			Age:   kind == object.AgeCell || kind == object.SpanCell,
			Link:  kind == object.NameCell,

			Instant: -1,
		}
		if c.Aged() {
			out[i].Instant = aged
			aged++
		}
		if i < len(before) && before[i].Name == c.Name {
			out[i].Title = before[i].Title // a path is not read for every frame
		} else {
			out[i].Title = c.Heading()
		}
		if room.Narrow {
			out[i].Narrow = narrowNames[c.Name]
		}
		switch {
		case out[i].Narrow > 0:
			out[i].Width = out[i].Narrow
		case room.Narrow:
			out[i].Width = max(narrowest, min(len(out[i].Title), widest))
		default:
			out[i].Width = max(narrowest, min(len(out[i].Title)+2, widest))
		}
		same = same && before[i].Name == c.Name && before[i].Narrow == out[i].Narrow
	}
	for i := range out {
		if same {
			out[i].Width = max(out[i].Width, before[i].Width)
		}
		for _, row := range w.Rows {
			if i < len(row.Cells) && out[i].Narrow == 0 {
				out[i].Width = max(out[i].Width, out[i].width(row.Cells[i]))
			}
		}
	}
	return out
}

// Cut shortens a text to so many characters by taking out of its middle: both
// ends of a name tell it from others.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)
	if len(runes) <= most || most < 3 {
		return text
	}
	head := (most - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(most-1-head):])
}
