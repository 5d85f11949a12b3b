// Package pane is part of hop 7 of 8: the tabs of an open object as the hub sees them. A
// pane turns an object, and what belongs to it, into the document that its tab shows.
//
// In: versions of the object, the tab's options, and through a Host whatever else the
// server has. Out: documents, each whole and only when it differs from the one before.
package pane
