// Package grid is hop 8 of 8: it takes the window that a view keeps and paints
// it: a few rows of a long list, in elements that are used again.
//
// In: a view.Window, what is active and selected. Out: the least that has to be
// done to the page, told to a Painter. What to do is decided here, without a
// browser; the one file that touches the page does as it is told.
package grid
