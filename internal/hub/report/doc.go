// Package report is part of hop 7 of 8: what a page has open besides lists and objects, which is the overview of a
// cluster and the timeline of what is on screen. It reaches the page only through a Host.
//
// In: what the page asks to see, and the problems and the timeline of a cluster. Out: documents, each only when it
// differs from the one before.
package report
