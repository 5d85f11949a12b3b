// Package columns is part of hop 8 of 8: the columns of the list on the page. The user shows, hides,
// adds, moves and sizes them in a dialog, by keys, or by dragging an edge.
//
// In: actions, keys, and the columns that the worker sent. Out: the columns in the page's address,
// and the choice for each kind in the browser's storage. The package reaches the page, and what the list
// shows, only through its Host.
package columns
