// Package views is part of hop 8 of 8: the views that the user saves on the page, opens, renames, removes, exports and
// imports, with the dialog that asks for a name.
//
// In: the address on screen, names, and the texts of files. Out: addresses to go to, what the browser stores, and the
// file of all views. Their format and rules are those of web/tools. The package may reach that, the address, the
// dialogs and the shared pieces (web/tools, web/route, web/dialog, web/ui, web/words), and the page only through its Host.
package views
