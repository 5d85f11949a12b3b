// Package past is part of hop 8 of 8: the slider that goes back in time, and the recordings
// that the page opens.
//
// In: the worker's reports of the moment that it shows, keys, the slider, and files. Out: requests for a moment, the
// pieces of a file, the drawn bar, and the moment on screen for all that shows the cluster. One request is sent at a time,
// so that the slider can move faster than lists are replayed. The package reaches the page only through its Host.
package past
