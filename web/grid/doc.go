// Package grid is part of hop 8 of 8: it paints the window of a view, a few rows of a long list,
// into row elements that it reuses. It also paints long texts and graphs.
//
// In: a view.Window with the active and the selected row; lines; a Picture and the scroll position
// of its pane. Out: the smallest set of changes to the page, as steps for a painter. This package
// decides them without a browser; paint_js.go and paint.js carry them out.
package grid
