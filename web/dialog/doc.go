// Package dialog is part of hop 8 of 8: it has the page's dialog that is open, one at a time. The part that opens a
// dialog says what it shows and does.
//
// In: a Dialog to open, and keys and texts while it is open. Out: the drawn dialog, which gets the keys and texts; nothing
// behind it gets a shortcut of the page. The package may reach the shared pieces (web/ui), and the page only through its
// Host.
package dialog
