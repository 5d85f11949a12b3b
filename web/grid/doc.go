// Package grid is hop 8 of 8: it takes the window that a view keeps and paints
// it: a few rows of a long list, in elements that are used again. It paints long texts
// and graphs as well.
//
// In: a view.Window, what is active and selected; lines; a Picture, and how its pane is
// scrolled. Out: the least that has to be done to the page, as steps for a painter. What
// to do is decided here, without a browser; paint_js.go and paint.js carry it out.
package grid
