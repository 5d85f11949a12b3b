package grid

import (
	"slices"

	"watchglass/internal/view"
)

// Room is the space that the columns have to fit into.
type Room struct {
	Sizes
	Width  int     // of the list, in pixels; 0 if it is not known, and all columns fit
	Letter float64 // width of a digit, in pixels; 0 if it is not known
}

// Columns leave before a name has fewer than leastName characters. Once none is left that may
// leave, names shrink to smallestName, and then the list scrolls sideways.
const (
	leastName    = 28
	smallestName = 18
)

// stateColumns show the state of an object. The first of them that a list has never leaves.
var stateColumns = []string{"Status", "Ready", "Completions", "Type"}

// fit returns the columns that the room has space for, in their order. Others leave one by one,
// in the order of leaving; the namespace moves into the name's column.
func fit(columns []Column, sorted string, room Room) []Column {
	shown := slices.Clone(columns)
	if room.Width <= 0 {
		return shown
	}
	for _, at := range leaving(columns, sorted) {
		if room.spare(shown, leastName) >= 0 {
			break
		}
		shown = slices.DeleteFunc(shown, func(c Column) bool { return c.At == at })
		if name := slices.IndexFunc(shown, Column.named); name >= 0 && columns[at].Name == view.NamespaceColumn {
			shown[name].Prefix = at
			shown[name].Width = min(shown[name].Width+columns[at].Width, roomiest+1)
		}
	}
	room.share(shown)
	return shown
}

// leaving returns the places of the columns that may leave, in the order in which they do: the
// namespace, if a name can be its place, readiness, and the others from the right; those that
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

// least is the least width of a column, in characters, if names keep so many.
func (c Column) least(name int) int {
	if c.Wide {
		return min(c.Width, name+1)
	}
	return c.Width
}

// spare returns how many characters are left if each column has its least width; it is negative
// if there is no room for them.
func (r Room) spare(columns []Column, name int) int {
	each := r.Letter
	if each <= 0 {
		each = letter
	}
	pixels, characters := r.Width-(len(columns)+1)*columnGap, 0
	for _, c := range columns {
		if c.Fixed > 0 {
			pixels -= c.Fixed
		} else {
			characters += c.least(name)
		}
	}
	if pixels < 0 {
		return -characters
	}
	return int(float64(pixels)/each) - characters
}

// share gives columns of any width what the others leave.
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
		width := min(c.Width, c.least(name)+spare)
		spare -= width - c.least(name)
		if width < c.Width && c.named() {
			c.Cut = width - 1
		}
		c.Width = width
	}
}
