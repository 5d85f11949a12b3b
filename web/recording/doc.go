// Package recording is part of hop 8 of 8: the mark where a recording starts, and the dialog that saves one as a file.
//
// In: the worker's previews and the chunks of the file, and what the user chooses. Out: requests to the worker, the file
// for the browser to compress and download, and the drawn dialog. The worker has what is recorded; this package has only
// the choices of what a file leaves out or replaces. It reaches the page only through its Host, and asks Past what is on
// screen.
package recording
