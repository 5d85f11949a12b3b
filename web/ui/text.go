package ui

import "watchglass/web/grid"

// RowHeight is the height of a row of the list at the default density, in pixels.
const RowHeight = 28

// TextRowHeight is the height of a row of a long text, in pixels.
const TextRowHeight = 18

// The limits of the drawer's width, in pixels.
const (
	NarrowestDrawer = 320
	WidestDrawer    = 1600
)

// LongText is a long text. Only the part in view is painted.
type LongText interface {
	Rows() int
	Lines(offset, limit int) []grid.Line
}
