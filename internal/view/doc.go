// Package view is hop 7 of 8: a filtered, sorted window over the objects of a store.
//
// In: objects, changes to them, and a Query. Out: Patches, each with what differs in the window
// since the last: its rows in order, how many objects match, and facet counts. It keeps an
// order of all objects and of those that match. It does no I/O and never waits.
package view
