package web

import (
	"slices"
	"strings"
)

// density is a choice of row height.
type density struct {
	name   string
	pixels int // of a row's height
}

// densities are those to choose from; the second is the default.
var densities = []density{{"Compact", 24}, {"Default", RowHeight}, {"Comfortable", 36}}

// touchRow is the height of a row that a finger can hit, in pixels.
const touchRow = 44

// recalledDensity returns the density that was chosen last in this browser.
func recalledDensity(b Browser) density {
	return densityOf(b.Recall("density"))
}

// densityOf returns the density of a name, or the default. Case doesn't matter: the types of
// <watch-glass> have the names in lower case.
func densityOf(name string) density {
	if i := slices.IndexFunc(densities, func(d density) bool { return strings.EqualFold(d.name, name) }); i >= 0 {
		return densities[i]
	}
	return densities[1]
}

// setDensity changes the height of all rows. The first row in sight stays the first.
func (l *list) setDensity(name string) {
	l.browser.Remember("density", densityOf(name).name)
	l.dress(densityOf(name))
}

// dress shows the rows with a density.
func (l *list) dress(d density) {
	l.density = d
	l.resizeRows()
	l.look()
	l.redraw()
}

// resizeRows sets the row height for the density and the screen.
func (l *list) resizeRows() {
	height := l.density.pixels
	if l.browser.Touch() {
		height = max(height, touchRow)
	}
	first := l.geometry.Scroll / l.geometry.RowHeight
	l.geometry.RowHeight = height
	l.browser.SetRowHeight(height)
	if l.geometry.Scroll > 0 {
		l.scrollTo(first * height)
	}
	l.frame.resized()
}
