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
// hidden, names shrink to smallestName; after that the list scrolls sideways.
const (
	leastName    = 28
	smallestName = 18
)

// stateColumns show the state of an object. The first of them that a list has is never hidden.
var stateColumns = []string{"Status", "Ready", "Completions", "Type"}

// fit returns the columns that fit in the room, in their order. It hides the others one by one, in
// the order of leaving; the namespace moves into the name's column. A hidden column is shown again
// if it fits where a wider one was hidden.
func fit(columns []Column, sorted string, room Room) []Column {
	shown := slices.Clone(columns)
	if room.Width <= 0 {
		return shown
	}
	var order []int
	if room.spare(shown, leastName) < 0 {
		order = leaving(columns, sorted)
	}
	gone := 0
	for ; gone < len(order) && room.spare(shown, leastName) < 0; gone++ {
		at := order[gone]
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
		if more := slices.Insert(slices.Clone(shown), place, c); c.Name != view.NamespaceColumn && c.Name != "Ready" && room.spare(more, leastName) >= 0 {
			shown = more
		}
	}
	room.share(shown)
	return shown
}

// leaving returns the indexes of the columns that may be hidden, in the order of hiding: the
// namespace, if a name column can take it; readiness; then the others from the right. Columns that
// the user added come last.
func leaving(columns []Column, sorted string) []int {
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
	}
	state := ""
	if i := slices.IndexFunc(stateColumns, has); i >= 0 {
		state = stateColumns[i]
	}
	var first, ready, others, added []int
	for i, c := range slices.Backward(columns) {
		switch {
		case c.named() || c.Name == "Message" || c.Name == state || c.Name == sorted:
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
	return slices.Concat(first, ready, others, added)
}

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
	if c.Wide {
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
	if r.spare(columns, name) < 0 {
		name = smallestName
	}
	spare := max(r.spare(columns, name), 0)
	for i := range columns {
		c := &columns[i]
		if !c.Wide {
			continue
		}
		need, least := r.need(*c), r.least(*c, name)
		width := min(need, least+spare)
		spare -= width - least
		if width < need && c.named() {
			c.Cut = r.characters(width) - 1
		}
		c.Width = width
	}
}
