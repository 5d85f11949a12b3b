// Package share is part of hop 8 of 8: how what the page shows is handed on, as a link, as a kubectl command, and as a file
// of the list's rows.
//
// In: the view on screen, and the rows that the worker sends for a file. Out: texts for the clipboard, files, and the
// Share and export dialog. The package reaches the page only through its Host.
package share
