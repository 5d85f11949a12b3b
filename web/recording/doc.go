// Package recording is part of hop 8 of 8, the page around the grid: the mark where a recording starts, and the dialog that
// saves one as a file.
//
// In: the hub's previews and the pieces of the file, and what the user chooses. Out: requests to the hub, the file for the
// browser to compress and download, and the drawn dialog. The hub has what is recorded; the page has only the choices of
// what a file leaves out or replaces. What the page is asked for stands in Host.
package recording
