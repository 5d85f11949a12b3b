package grid

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"watchglass/internal/object"
	"watchglass/internal/view"
)

// Column is a column as it is painted.
type Column struct {
	Name  string
	Title string // what stands above it
	Width int    // in characters
	Fixed int    // in pixels, where somebody chose it; else 0
	At    int    // its place among all columns, and in view.Row.Cells
	Cut   int    // the most characters of a name that the room has space for; 0 if all fit
	// Prefix is the place of the column whose cells precede this one's, while the list is too
	// narrow to show it; -1 if there is none.
	Prefix int
	Added  bool // by the user; not one that kubectl shows
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
	Prefix string // the namespace, where it has no column
	Text   string
	Title  string // the whole text, where Text had to be cut; of an age, the exact time
	Tone   Tone
	Glow   bool // it changed while it was looked at
}

// Painter does to the page what it is told, at the latest at Paint. Slots are
// the row elements.
type Painter interface {
	// Columns says that rows placed from now on have these cells.
	Columns(columns []Column)
	// Head paints the columns' heads, and which one sorts. All is the number of columns, with
	// those that the list is too narrow for.
	Head(columns []Column, all int, sort string, descending bool)
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
	columns []Column // all of them, as wide as they need to be
	shown   []Column // those that fit
	tones   object.Toner
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
	health           string
	active, selected bool
}

// New returns a grid that has painted nothing.
func New(p Painter) *Grid { return &Grid{painter: p, length: -1} }

// Sizes are the widths that somebody chose, in pixels, by column.
type Sizes map[string]int

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

// head paints the columns if they changed, had to become wider, or have another room.
func (g *Grid) head(w view.Window, sort Sort, room Room) {
	all := len(g.columns)
	g.columns = layout(w, g.columns, room.Sizes)
	columns, before := fit(g.columns, sort.Column, room), g.shown
	others := !samePlaces(columns, before) || len(g.columns) != all
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
		if !others && (columns[i].Fixed != before[i].Fixed || columns[i].Cut != before[i].Cut) {
			g.forget() // more of a text may show, or less
			break
		}
	}
	if others || sort != g.sort {
		g.painter.Head(columns, len(g.columns), sort.Column, sort.Descending)
	}
	g.shown, g.sort = columns, sort
	g.painter.Widths(columns)
}

// Pixels is about how wide a column is.
func (g *Grid) Pixels(name string) int {
	for _, c := range slices.Concat(g.shown, g.columns) {
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

// samePlaces reports whether columns show the same cells.
func samePlaces(a, b []Column) bool {
	return slices.EqualFunc(a, b, func(a, b Column) bool { return a.Name == b.Name && a.At == b.At && a.Prefix == b.Prefix })
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
	if !slices.Equal(s.cells, row.Cells) || s.health != row.Health || !slices.Equal(s.instants, row.Instants) {
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
	for i, c := range g.shown {
		if c.At >= len(row.Cells) {
			continue
		}
		text, prefix := row.Cells[c.At], c.prefix(row.Cells)
		tone, instant := g.tones.Cell(c.At, row.Cells, Tone(row.Health)), instantOf(c, row.Instants)
		known := c.At < len(s.cells)
		if known && s.cells[c.At] == text && c.prefix(s.cells) == prefix && g.tones.Cell(c.At, s.cells, Tone(s.health)) == tone && instantOf(c, s.instants) == instant {
			continue
		}
		changed := stayed && known && timeless(s.cells[c.At]) != timeless(text)
		g.painter.Cell(at, i, c.cell(prefix, text, tone, instant, changed))
	}
	s.cells, s.instants, s.health = row.Cells, row.Instants, row.Health
}

// prefix returns what precedes the column's cell in a row, or "".
func (c Column) prefix(cells []string) string {
	if c.Prefix < 0 || c.Prefix >= len(cells) || cells[c.Prefix] == "" {
		return ""
	}
	return cells[c.Prefix] + "/"
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

func (c Column) cell(prefix, text string, tone Tone, instant int64, changed bool) Cell {
	out := Cell{Tone: tone, Glow: changed && !c.Age}
	out.Prefix, out.Text = cutBoth(prefix, text, c.most())
	switch {
	case instant != 0:
		out.Title = time.Unix(instant, 0).Format(time.RFC3339)
	case out.Prefix != prefix || out.Text != text || len(prefix)+len(text) > roomiest:
		out.Title = prefix + text // or it does not fit
	}
	return out
}

// cutBoth shortens a name and the namespace before it to so many characters. The namespace has a
// third of them, or what the name leaves.
func cutBoth(namespace, name string, most int) (string, string) {
	if namespace == "" {
		return "", Cut(name, most)
	}
	before := max(most/3, most-utf8.RuneCountInString(name))
	if slash := strings.TrimSuffix(namespace, "/"); utf8.RuneCountInString(namespace) > before {
		namespace = Cut(slash, before-1) + "/"
	}
	return namespace, Cut(name, most-utf8.RuneCountInString(namespace))
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

// most is how many characters the column shows of a text.
func (c Column) most() int {
	switch {
	case c.Fixed > 0:
		return max(c.Fixed/leastLetter, narrowest)
	case c.Cut > 0:
		return c.Cut
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
func layout(w view.Window, before []Column, sizes Sizes) []Column {
	out := make([]Column, len(w.Columns))
	same, aged := len(before) == len(w.Columns), 0
	for i, c := range w.Columns {
		kind := object.CellKind(c.Kind)
		out[i] = Column{
			Name: c.Name, At: i, Fixed: sizes[c.Name],
			Wide:  (c.Name == "Name" || c.Name == "Message") && sizes[c.Name] == 0,
			Right: kind != object.TextCell && kind != object.NameCell,
			Mono:  c.Name == "Name" || c.Name == "IP" || c.Name == "Node",
			Tone:  object.Toned(c.Name),
			Age:   kind == object.AgeCell || kind == object.SpanCell,
			Link:  kind == object.NameCell,
			Added: c.Chosen(),

			Prefix: -1, Instant: -1,
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
		out[i].Width = max(narrowest, min(len(out[i].Title)+2, widest))
		same = same && before[i].Name == c.Name
	}
	for i := range out {
		if same {
			out[i].Width = max(out[i].Width, before[i].Width)
		}
		for _, row := range w.Rows {
			if i < len(row.Cells) {
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
