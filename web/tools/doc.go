// Package tools is part of hop 8 of 8: what the page's tools work with, without the page: which entries of the palette
// match a text, the files of exported rows, and saved views and their file.
//
// In: entries, rows and texts of files. Out: entries in their order, files and views. Files of views are untrusted: all
// of one is valid, or none of it is read. The package may reach the address and the shared pieces (web/route, web/ui,
// web/words), and no part of the page, no grid and no browser.
package tools
