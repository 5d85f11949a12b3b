package grid

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/view"
	"watchglass/web/words"
)

// Column is a painted column.
type Column struct {
	Name  string
	Title string // its heading
	Note  string // why its cells are empty or old; "" if they are not
	Width int    // in characters
	Fixed int    // in pixels, if the user chose it; otherwise 0
	At    int    // its index among all columns, and in view.Row.Cells
	Full  int    // width that shows the texts in full, in characters; 0 if Width does
	Cut   int    // the most characters of a text that fit; 0 if all do
	// Prefix is the index of the column whose cells precede this one's while the list is too
	// narrow to show it; -1 if there is none.
	Prefix int
	Brief  bool // only what precedes a parenthesis is shown
	Elided bool // the texts may be cut at the edge of their cells
	Glyph  bool // only the glyphs of the tones show; the texts are left to assistive technology
	Extra  bool // shown only if there is room
	Added  bool // added by the user; kubectl does not show it
	Wide   bool // takes the remaining width
	Right  bool // numbers are right-aligned
	Mono   bool // names, whose letters should line up
	Tone   bool // cells may have a tone
	Age    bool // ages; a change due to time passing does not glow
	Link   bool // cells link to the object
	Sum    bool // sums of groups, which are shown in brief
	Bar    bool // cells may have a bar
	// Instant is the index of the column's instants in view.Row.Instants; -1 if it has none.
	Instant int
}

// Cell is a painted cell.
type Cell struct {
	Prefix string // the namespace, if its column is hidden; folded like the text
	Text   string // if it is folded, the part that an … stands for is between two separators
	Title  string // the full text if Text is cut; for an age, the exact time
	Tone   Tone
	Glow   bool   // it changed while visible
	Bar    string // how long its bar is, as a percentage; "" if it has none
}

// Painter changes the page, by the time Paint returns. Slots are the row elements.
type Painter interface {
	// Columns sets the columns of rows that are placed from now on.
	Columns(columns []Column)
	// Head paints the headings and the sort indicator, and names the columns that do not fit. All is
	// the number of columns, including the hidden ones.
	Head(columns []Column, without []string, all int, sort string, descending bool)
	// Widths sets the widths of the columns.
	Widths(columns []Column)
	// Busy sets whether the list does not show yet what was asked for.
	Busy(busy bool)
	// Length sets the number of rows in the list.
	Length(rows int)
	// Place shows a row in a slot; the next new slot is created.
	Place(slot, index int, key, uid string)
	// Link makes the name in a slot's row a link.
	Link(slot int, address string)
	Cell(slot, column int, c Cell)
	Mark(slot int, active, selected bool)
	// Hide clears a slot and its marks.
	Hide(slot int)
	Paint()
}

// Sort is the column that the rows are sorted by.
type Sort struct {
	Column     string
	Descending bool
}

// Objects describes the objects that the rows show.
type Objects struct {
	Kind string // as the server names it
	// Address returns an object's address, by its key. Addresses change only when View does, so
	// each is computed once per row.
	Address func(key string) string
	View    string
	Past    bool // they are of a moment in the past: what differs from the one before does not glow
}

// Marks are the marked rows.
type Marks struct {
	Active   string // key
	Selected string // key
}

// Grid keeps track of what has been painted.
type Grid struct {
	painter Painter
	objects Objects
	columns []Column // all of them, at full width
	shown   []Column // those that fit
	without []string // the names of the others, but those that nobody misses
	tones   tone.Cells
	linked  bool // a column links to the objects
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
	view             string // Objects.View when its address was computed
	cells            []string
	instants         []int64
	health           string
	stale            bool // its cells are painted again, whether or not they differ
	active, selected bool
}

// New returns a grid with nothing painted.
func New(p Painter) *Grid { return &Grid{painter: p, length: -1} }

// Sizes are the column widths that the user chose, in pixels, by column name.
type Sizes map[string]int

// Show paints a window.
func (g *Grid) Show(w view.Window, of Objects, sort Sort, marks Marks, room Room) {
	defer g.painter.Paint()
	if of.Kind != g.objects.Kind {
		g.invalidate() // the same texts may have other tones
	}
	g.objects = of
	g.head(w, sort, room)
	g.tones = newCellTones(of.Kind, g.columns)
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

// Busy sets whether the list does not show yet what was asked for; assistive technology and tests
// wait for it.
func (g *Grid) Busy(busy bool) {
	if busy == g.busy {
		return
	}
	g.busy = busy
	g.painter.Busy(busy)
	g.painter.Paint()
}

// head paints the headings if the columns, their widths or the room have changed.
func (g *Grid) head(w view.Window, sort Sort, room Room) {
	all := len(g.columns)
	g.columns = layout(w, g.columns, room)
	columns, before := fit(g.columns, sort.Column, room), g.shown
	others := !sameColumns(columns, before) || len(g.columns) != all
	if !others && sort == g.sort && slices.Equal(columns, before) {
		return
	}
	if others {
		for at := range g.slots { // the cells are different ones
			if g.slots[at].shown {
				g.painter.Hide(at)
			}
			g.slots[at] = slot{index: -1}
		}
		g.painter.Columns(columns)
	}
	for i := range columns {
		if !others && (columns[i].Fixed != before[i].Fixed || columns[i].Cut != before[i].Cut || columns[i].Elided != before[i].Elided || columns[i].Brief != before[i].Brief) {
			g.invalidate() // texts may be cut differently
			break
		}
	}
	without := missing(g.columns, columns)
	if others || sort != g.sort || !slices.Equal(without, g.without) || !slices.EqualFunc(columns, before, func(a, b Column) bool { return a.Note == b.Note }) {
		g.painter.Head(columns, without, len(g.columns), sort.Column, sort.Descending)
	}
	g.shown, g.without, g.sort = columns, without, sort
	g.painter.Widths(columns)
}

// Pixels returns the approximate width of a column.
func (g *Grid) Pixels(name string) int {
	for _, c := range slices.Concat(g.shown, g.columns) {
		if c.Name == name {
			return cmp.Or(c.Fixed, c.Width*letter)
		}
	}
	return 0
}

// invalidate makes all cells be painted again.
func (g *Grid) invalidate() {
	for at := range g.slots {
		g.slots[at].stale = true
	}
}

// sameColumns reports whether two lists of columns show the same cells.
func sameColumns(a, b []Column) bool {
	return slices.EqualFunc(a, b, func(a, b Column) bool {
		return a.Name == b.Name && a.At == b.At && a.Prefix == b.Prefix && a.Glyph == b.Glyph
	})
}

// paint paints a row into a slot.
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
	if s.stale || !slices.Equal(s.cells, row.Cells) || s.health != row.Health || !slices.Equal(s.instants, row.Instants) {
		g.cells(at, row, stayed)
	}
	if active, selected := marks.Active == row.Key, marks.Selected == row.Key; active != s.active || selected != s.selected {
		s.active, s.selected = active, selected
		g.painter.Mark(at, active, selected)
	}
}

// cells paints the cells of a slot that differ from its row's.
func (g *Grid) cells(at int, row view.Row, stayed bool) {
	s := &g.slots[at]
	for i, c := range g.shown {
		if c.At >= len(row.Cells) {
			continue
		}
		text, prefix := row.Cells[c.At], c.prefix(row.Cells)
		tone, instant := g.tone(c, row.Cells, row.Health), instantOf(c, row.Instants)
		known := c.At < len(s.cells)
		if !s.stale && known && s.cells[c.At] == text && c.prefix(s.cells) == prefix && g.tone(c, s.cells, s.health) == tone && instantOf(c, s.instants) == instant {
			continue
		}
		changed := stayed && known && !g.objects.Past && withoutAge(s.cells[c.At]) != withoutAge(text) && s.cells[c.At] != notYet
		g.painter.Cell(at, i, c.cell(prefix, text, tone, instant, changed))
	}
	s.cells, s.instants, s.health, s.stale = row.Cells, row.Instants, row.Health, false
}

// notYet is the text of a cell that is not known yet. When it comes, it has not changed.
const notYet = "…"

// tone returns the tone of a column's cell in a row. A number of unhealthy objects is a warning.
func (g *Grid) tone(c Column, cells []string, health string) Tone {
	if c.Sum && c.Tone && cells[c.At] != "0" {
		return Warning
	}
	return g.tones.Cell(c.At, cells, Tone(health))
}

// prefix returns what precedes the column's cell in a row, or "".
func (c Column) prefix(cells []string) string {
	if c.Prefix < 0 || c.Prefix >= len(cells) || cells[c.Prefix] == "" {
		return ""
	}
	return cells[c.Prefix] + "/"
}

// instantOf returns the instant of a column with ages, in Unix seconds; 0 if unknown.
func instantOf(c Column, instants []int64) int64 {
	if c.Instant < 0 || c.Instant >= len(instants) {
		return 0
	}
	return instants[c.Instant]
}

// withoutAge returns a cell's text without an age in it, so that "3 (5m ago)" does not count as
// changed a minute later.
func withoutAge(text string) string {
	if before, rest, ok := strings.Cut(text, " ("); ok && strings.HasSuffix(rest, " ago)") {
		return before
	}
	return text
}

func (c Column) cell(prefix, text string, tone Tone, instant int64, changed bool) Cell {
	out := Cell{Tone: tone, Glow: changed && !c.Age}
	if c.Bar {
		out.Bar = bar(text)
	}
	shown := text
	if c.Brief {
		shown, _, _ = strings.Cut(text, " (")
	}
	if c.Sum {
		shown = words.Brief(text)
	}
	out.Prefix, out.Text = cutBoth(prefix, shown, c.most())
	switch {
	case instant != 0:
		out.Title = time.Unix(instant, 0).Format(time.RFC3339)
	case out.Prefix != prefix || out.Text != text || len(prefix)+len(text) > roomiest, c.Elided, c.Glyph, c.problem() && len(text) > leastProblem:
		out.Title = prefix + text // also used if the text does not fit
	}
	return out
}

// bar returns the percentage in an amount: "31%" of "31%", of "1250m (31%)" and of "34/110"; "" if
// it has none.
func bar(text string) string {
	if n, of, ok := strings.Cut(text, "/"); ok {
		part, _ := strconv.Atoi(n)
		if whole, _ := strconv.Atoi(of); whole > 0 {
			return strconv.Itoa(100*part/whole) + "%"
		}
	}
	text = strings.TrimSuffix(text[strings.LastIndexByte(text, '(')+1:], ")")
	if strings.HasSuffix(text, "%") {
		return text
	}
	return ""
}

// cutBoth folds a name and its namespace to so many characters. The namespace gets a third of them, or
// what the name leaves.
func cutBoth(namespace, name string, most int) (string, string) {
	if namespace == "" {
		return "", Fold(name, most)
	}
	before, has := max(most/3, most-utf8.RuneCountInString(name)), utf8.RuneCountInString(namespace)
	if has > before {
		namespace, has = Fold(strings.TrimSuffix(namespace, "/"), before-1)+"/", before
	}
	return namespace, Fold(name, most-has)
}

// The minimum and maximum widths of a column, in characters. A column that takes the remaining
// width may be wider; its prose is cut at the edge of the cell, not in the middle.
const (
	narrowest = 5
	widest    = 40
	roomiest  = 72
	longest   = 240
	glyph     = 2 // the width of a tone's glyph

	widestName = 72 // if there is width left

	leastForGroups = 700 // pixels; in a narrower list, the values of groups take what the numbers leave

	leastLetter = 6 // pixels per character
	letter      = 8
)

// prose reports whether the column has sentences. It takes the remaining width.
func (c Column) prose() bool { return c.Name == "Message" || c.problem() }

// most returns the number of characters that the column shows of a text.
func (c Column) most() int {
	switch {
	case c.Fixed > 0:
		return max(c.Fixed/leastLetter, narrowest)
	case c.Cut > 0:
		return c.Cut
	case c.prose():
		return longest
	case c.Wide:
		return roomiest
	}
	return widest
}

// width returns the column width needed for a text.
func (c Column) width(text string) int {
	return min(len(text)+1, c.most(), roomiest) + c.glyph()
}

// glyph returns the width of the mark that shows a tone.
func (c Column) glyph() int {
	if c.Tone {
		return glyph
	}
	return 0
}

// layout returns the columns of a window. A column grows with its contents and never shrinks, so
// that nothing moves sideways while scrolling.
func layout(w view.Window, before []Column, room Room) []Column {
	out := make([]Column, len(w.Columns))
	same, aged := len(before) == len(w.Columns), 0
	linked := slices.ContainsFunc(w.Columns, func(c view.Column) bool { return object.CellKind(c.Kind) == object.NameCell })
	for i, c := range w.Columns {
		kind, sum := object.CellKind(c.Kind), w.Group != "" && i > 0
		out[i] = Column{
			Name: c.Name, Note: room.Notes[c.Name], At: i, Fixed: room.Sizes[c.Name],
			Right: kind != object.TextCell && kind != object.NameCell,
			Mono:  c.Name == "Name" || c.Name == "IP" || c.Name == "Node",
			Tone:  tone.Has(c.Name) && !sum || sum && c.Name == view.UnhealthyColumn,
			Age:   kind == object.AgeCell || kind == object.SpanCell,
			Link:  kind == object.NameCell || c.Name == "Name" && !linked,
			Bar:   c.Derived(),
			Sum:   sum,
			Added: c.Chosen() && !(room.Extra && c.Priority > 0),
			Extra: room.Extra && c.Priority > 0,

			Prefix: -1, Instant: -1,
		}
		narrow := w.Group != "" && i == 0 && room.Width > 0 && room.Width < leastForGroups
		out[i].Wide = (c.Name == "Name" || out[i].prose() || narrow) && room.Sizes[c.Name] == 0
		if c.Aged() {
			out[i].Instant = aged
			aged++
		}
		if i < len(before) && before[i].Name == c.Name {
			out[i].Title = before[i].Title // do not parse a path in every frame
		} else {
			out[i].Title = c.Heading()
		}
		out[i].Width = max(narrowest, min(len(out[i].Title)+2, widest))
		if out[i].Note != "" {
			out[i].Width += glyph
		}
		same = same && before[i].Name == c.Name
	}
	for i := range out {
		if same {
			out[i].Width, out[i].Full = max(out[i].Width, before[i].Width), before[i].Full
		}
		for _, row := range w.Rows {
			if i < len(row.Cells) {
				out[i].Width = max(out[i].Width, out[i].width(row.Cells[i]))
				out[i].Full = max(out[i].Full, min(len(row.Cells[i])+1, roomiest)+out[i].glyph())
			}
		}
	}
	return out
}

// Cut shortens a text to so many characters by removing its middle, because both ends of a name
// distinguish it.
func Cut(text string, most int) string {
	head, middle, tail := parts(text, most)
	if middle == "" {
		return text
	}
	return head + "…" + tail
}

// Fold shortens a text as Cut does, and keeps its middle between separators. The painter hides the
// middle from the eye only: it is read, found and copied with the rest.
func Fold(text string, most int) string {
	text = strings.ReplaceAll(text, betweenParts, "")
	head, middle, tail := parts(text, most)
	if middle == "" {
		return text
	}
	return head + betweenParts + middle + betweenParts + tail
}

// parts divides a text so that its ends and an … have so many characters. A text that fits is all head.
func parts(text string, most int) (head, middle, tail string) {
	if len(text) <= most {
		return text, "", ""
	}
	runes := []rune(text)
	if len(runes) <= most || most < 3 {
		return text, "", ""
	}
	first := (most - 1) / 2
	last := len(runes) - (most - 1 - first)
	return string(runes[:first]), string(runes[first:last]), string(runes[last:])
}
