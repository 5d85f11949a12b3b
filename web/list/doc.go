// Package list is part of hop 8 of 8: the rows of the list on the page, where it is scrolled to, the marked row, and
// the order and height of rows.
//
// In: the worker's patches, and what the browser reports of keys, clicks and the scroll position. Out: a port.ListQuery, which
// asks the worker for the rows in sight; the rows for the grid to paint; and the order and the open object in the page's
// address. The package reaches the page only through its Host.
package list
