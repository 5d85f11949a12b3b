package grid

import (
	"math"
	"slices"

	"watchglass/internal/view"
)

// Room is the space for the columns.
type Room struct {
	Sizes
	Width int // of the list, in pixels; if 0 it is unknown and all columns fit
	Font
	Notes map[string]string // why cells are empty or old, by column
	Extra bool              // nobody asked for kubectl's wide columns: see RoomForExtra
}

// Font has the widths of characters in pixels; 0 if unknown.
type Font struct {
	Digit float64 // the unit of a column's width
	Mono  float64 // of a name, which has its own font
}

// digits converts a number of name characters to a width in digits.
func (f Font) digits(characters int) int {
	if f.Digit <= 0 || f.Mono <= 0 {
		return characters
	}
	return int(math.Ceil(float64(characters) * f.Mono / f.Digit))
}

// characters is the inverse of digits.
func (f Font) characters(digits int) int {
	if f.Digit <= 0 || f.Mono <= 0 {
		return digits
	}
	return int(float64(digits) * f.Digit / f.Mono)
}

// Columns are hidden before a name shows fewer than leastName characters. Once no more can be
// hidden, names shrink to smallestName, then other texts to leastText, then names to tiniestName.
// Only then does the list scroll sideways.
const (
	leastName    = 28
	smallestName = 18
	tiniestName  = 12
	leastText    = 12

	leastProblem = 40 // beside a name of leastName characters

	leastForWords = 700 // pixels; in a narrower list, a severity is only its glyph and names come before when the last restart was
)

// RoomForExtra is the width of a list, in pixels, from which kubectl's wide columns are shown by
// default, as far as they fit. A narrower list shows only the one it is sorted by.
const RoomForExtra = 1300

// mostExtra is the most digits that a column gets beyond its need.
const mostExtra = 20

// stateColumns show the state of an object. The first of them that a list has is never hidden.
var stateColumns = []string{"Severity", "Status", "Ready", "Completions", "Type"}

// fit returns the columns that fit in the room, in their order. It hides the others one by one, in
// the order of leaving; the namespace moves into the name's column. A hidden column is shown again
// if it fits where a wider one was hidden.
func fit(columns []Column, sorted string, room Room) []Column {
	if room.Width <= 0 {
		return slices.Clone(columns)
	}
	columns = room.glyphs(columns)
	shown := slices.Clone(columns)
	unasked := func(c Column) bool { return c.Extra && room.Width < RoomForExtra && c.Name != sorted }
	shown = slices.DeleteFunc(shown, unasked)
	order, gone := leaving(columns, sorted), 0
	for ; gone < len(order); gone++ {
		at, lacks := order[gone], 0
		if columns[at].restated(columns) {
			lacks = room.cut(shown) // the words before what repeats them
		}
		if room.spare(shown, leastName) >= lacks {
			break
		}
		shown = slices.DeleteFunc(shown, func(c Column) bool { return c.At == at })
		if name := slices.IndexFunc(shown, Column.named); name >= 0 && columns[at].Name == view.NamespaceColumn {
			shown[name].Prefix = at
			shown[name].Width = min(shown[name].Width+columns[at].Width, roomiest+1)
		}
	}
	for _, at := range slices.Backward(order[:gone]) {
		c, place := columns[at], 0
		for place < len(shown) && shown[place].At < at {
			place++
		}
		if more := slices.Insert(slices.Clone(shown), place, c); c.Name != view.NamespaceColumn && c.Name != "Ready" && !c.restated(columns) && !unasked(c) && room.spare(more, leastName) >= 0 {
			shown = more
		}
	}
	room.share(shown)
	return shown
}

// glyphs narrows the severity of problems to its glyph in a narrow list. Its cells keep the word for
// assistive technology.
func (r Room) glyphs(columns []Column) []Column {
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == "Severity" && !c.Wide && c.Fixed == 0 })
	if at < 0 || r.Width >= leastForWords || !slices.ContainsFunc(columns, Column.problem) {
		return columns
	}
	columns = slices.Clone(columns)
	columns[at].Glyph, columns[at].Width, columns[at].Full = true, glyph, 0
	return columns
}

// cut returns how many digits the words of problems lack of their need if each column has its
// minimum width.
func (r Room) cut(columns []Column) (digits int) {
	for _, c := range columns {
		if c.problem() {
			digits += r.need(c) - r.least(c, leastName)
		}
	}
	return digits
}

// missing returns the names of the columns for which there is no room. Those shown elsewhere, or only
// if there is room, are not missed.
func missing(columns, shown []Column) (names []string) {
	for _, c := range columns {
		there := slices.ContainsFunc(shown, func(s Column) bool { return s.At == c.At || s.Prefix == c.At })
		if !there && !c.Extra && !c.restated(columns) {
			names = append(names, c.Title)
		}
	}
	return names
}

// leaving returns the indexes of the columns that may be hidden, in the order of hiding. First come
// those shown only if there is room; the namespace, if a name column can take it; readiness; then the
// others from the right. Columns that the user added come last. How many objects of a group are
// unhealthy, and since when there is a problem, always show.
func leaving(columns []Column, sorted string) []int {
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name && !c.Sum })
	}
	state, problems := "", slices.ContainsFunc(columns, Column.problem)
	if i := slices.IndexFunc(stateColumns, has); i >= 0 {
		state = stateColumns[i]
	}
	var extra, first, ready, others, added []int
	for i, c := range slices.Backward(columns) {
		switch {
		case c.named() || c.prose() || c.Name == state || c.Name == sorted || c.Sum && c.Tone || c.Name == "Since" && problems:
		case c.Extra, c.restated(columns):
			extra = append(extra, i)
		case c.Name == view.NamespaceColumn && slices.ContainsFunc(columns, Column.named):
			first = append(first, i)
		case c.Added:
			added = append(added, i)
		case c.Name == "Ready":
			ready = append(ready, i)
		default:
			others = append(others, i)
		}
	}
	return slices.Concat(extra, first, ready, others, added)
}

// restated reports whether the words of another column say the same.
func (c Column) restated(columns []Column) bool {
	return (c.Name == "Reason" || c.Name == "Count") && slices.ContainsFunc(columns, Column.problem)
}

// problem reports whether the column says in words what is wrong.
func (c Column) problem() bool { return c.Name == "Problem" }

// named reports whether the column shows the names of the objects.
func (c Column) named() bool { return c.Link || c.Name == "Name" }

// need returns the width in digits at which a column shows its texts in full.
func (f Font) need(c Column) int {
	if c.Mono && c.Wide {
		return f.digits(c.Width)
	}
	return c.Width
}

// least returns the minimum width of a column in digits, if names keep so many characters.
func (f Font) least(c Column, name int) int {
	switch {
	case c.problem() && name == leastName:
		return min(c.Width, leastProblem)
	case c.Wide:
		return min(f.need(c), f.digits(name+1))
	}
	return c.Width
}

// spare returns how many digits are left if each column has its minimum width; negative if they
// do not fit.
func (r Room) spare(columns []Column, name int) int {
	digit := r.Digit
	if digit <= 0 {
		digit = letter
	}
	pixels, digits := r.Width-(len(columns)+1)*columnGap, 0
	for _, c := range columns {
		if c.Fixed > 0 {
			pixels -= c.Fixed
		} else {
			digits += r.least(c, name)
		}
	}
	return int(math.Floor(float64(pixels)/digit)) - digits
}

// share gives the remaining width to the columns that can use it.
func (r Room) share(columns []Column) {
	name := leastName
	if spare := r.spare(columns, name); spare < 0 || r.Width < leastForWords && spare < r.cutNames(columns) {
		r.shorten(columns)
	}
	if r.spare(columns, name) < 0 {
		name = smallestName
		if r.elide(columns, name); r.spare(columns, name) < 0 {
			name = tiniestName
		}
	}
	spare := max(r.spare(columns, name), 0)
	// What is wrong comes before the name of what it is wrong with, which is cut in its middle.
	for at := range 2 * len(columns) {
		c := &columns[at%len(columns)]
		if !c.Wide || c.problem() != (at < len(columns)) {
			continue
		}
		need, least, give := r.need(*c), r.least(*c, name), spare
		if c.problem() && name < leastName {
			give /= 2
		}
		width := min(need, least+give)
		spare -= width - least
		if width < need && c.named() {
			c.Cut = r.characters(width) - 1
		}
		c.Width = width
	}
	r.spread(columns, spare)
}

// cutNames returns how many digits names of leastName characters lack of their need.
func (r Room) cutNames(columns []Column) (digits int) {
	for _, c := range columns {
		if c.named() {
			digits += r.need(c) - r.least(c, leastName)
		}
	}
	return digits
}

// shorten leaves out when the last restart was, which the cell's title says. The numbers keep the
// room of their heading.
func (r Room) shorten(columns []Column) {
	for i := range columns {
		if c := &columns[i]; c.Name == "Restarts" && c.Fixed == 0 {
			c.Brief, c.Width = true, min(c.Width, len("Restarts")+glyph)
		}
	}
}

// elide makes texts narrower where the columns that must show would not fit: the state, and a
// text that the list is sorted by. Numbers stay whole.
func (r Room) elide(columns []Column, name int) {
	for i := range columns {
		c := &columns[i]
		if less := min(-r.spare(columns, name), c.Width-leastText); less > 0 && !c.Wide && !c.Right && c.Fixed == 0 && !c.named() {
			c.Width -= less
			c.Elided = true
		}
	}
}

// spread gives the columns what a name of the greatest width leaves. Texts that are cut are
// then shown in full. On a wide screen all texts become equally wider, except before a number, so that
// the number stays near them.
func (r Room) spread(columns []Column, spare int) {
	var texts []*Column
	for i := range columns {
		c := &columns[i]
		switch {
		case c.Wide && c.prose():
			return // takes all
		case c.Wide:
			spare -= max(widestName-c.Width, 0)
		case !c.Right && c.Fixed == 0 && i+1 < len(columns) && !columns[i+1].Right:
			texts = append(texts, c)
		}
	}
	for i := range columns {
		c, full := &columns[i], columns[i].Full
		if c.Mono {
			full = r.digits(full)
		}
		if more := min(full-c.Width, spare); c.Full > c.Width && more > 0 && c.Fixed == 0 && !c.Wide && !c.Brief {
			spare -= more
			c.Width += more
			c.Cut = c.Full - 1 - c.glyph() - (full - c.Width) // less where the room is not enough
		}
	}
	if spare <= 0 || len(texts) == 0 || r.Width < RoomForExtra {
		return
	}
	for _, c := range texts {
		c.Width += min(spare/len(texts), mostExtra)
	}
}
