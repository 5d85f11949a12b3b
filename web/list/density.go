package list

import (
	"slices"
	"strings"

	"watchglass/web/ui"
)

// density is a choice of row height.
type density struct {
	name   string
	pixels int // of a row's height
}

// densities are those to choose from; the second is the default.
var densities = []density{{"Compact", 24}, {"Default", ui.RowHeight}, {"Comfortable", 36}}

// touchRow is the height of a row that a finger can hit, in pixels.
const touchRow = 44

// recalledDensity returns the density that was chosen last in this browser.
func recalledDensity(b Browser) density { return densityOf(b.Recall("density")) }

// Density returns the name of the density on screen.
func (l *List) Density() string { return l.density.name }

// Densities returns the names of all densities.
func Densities() (names []string) {
	for _, d := range densities {
		names = append(names, d.name)
	}
	return names
}

// densityOf returns the density of a name, or the default. Case doesn't matter: the types of
// <watch-glass> have the names in lower case.
func densityOf(name string) density {
	if i := slices.IndexFunc(densities, func(d density) bool { return strings.EqualFold(d.name, name) }); i >= 0 {
		return densities[i]
	}
	return densities[1]
}

// chooseDensity changes the height of all rows, also on the next page. The first row in sight stays the first.
func (l *List) chooseDensity(name string) {
	l.browser.Remember("density", densityOf(name).name)
	l.SetDensity(name)
}

// SetDensity changes the height of all rows. Case doesn't matter; an unknown name is the default.
func (l *List) SetDensity(name string) {
	l.density = densityOf(name)
	l.resizeRows()
	l.host.SendQueries()
	l.host.Redraw()
}

// resizeRows sets the row height for the density and the screen.
func (l *List) resizeRows() {
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
	l.host.Resized()
}
