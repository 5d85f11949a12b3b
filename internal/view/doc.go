// Package view is hop 7 of 8: a filtered, sorted window over the objects of a store.
//
// In: objects, changes to them, and a Query. Out: Patches, each with the changes in the window
// since the last: its rows in order, the number of matching objects, and facet counts. It
// keeps all objects and the matching objects sorted. It does no I/O and never waits.
package view
