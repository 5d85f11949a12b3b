// Package past is part of hop 8 of 8, the page around the grid: the slider that goes back in time, and the recordings
// that the page opens.
//
// In: the hub's reports of the moment that it shows, and what the user does. Out: requests for a moment, the pieces of a
// file, and the drawn bar; the moment on screen for all that shows the cluster. The hub shows a moment, and the page asks
// for one at a time, so that the slider can move faster than lists are replayed. What the page is asked for stands in
// Host.
package past
