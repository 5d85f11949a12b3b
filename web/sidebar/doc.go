// Package sidebar is part of hop 8 of 8: the kinds beside the list on the page, with the user's favourites and saved views
// above them, and what the page calls a kind.
//
// In: the kinds and counts that the worker sent, and what the user clicks. Out: the list of a kind in the page's address,
// the favourites in the browser's storage, the drawn sidebar, and names and links of kinds for the rest of the page. The
// package reaches the page only through its Host.
package sidebar
