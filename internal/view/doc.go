// Package view is hop 7 of 8: a filtered, sorted window over the objects of a store.
//
// In: objects, changes to them, and a Query. Out: Patches, each with the changes in the window
// since the last: its rows in order, the number of matching objects, and facet counts. It does
// no I/O and never waits.
//
// A new filter is answered with sets (filter.choose): its terms test each text of a column once, and those that
// no column answers test the objects that remain. Facets count a set by codes when they are sent. An object that
// changes is tested alone (filter.misses), and moved in the sets, lists and groups. Both ways must agree.
package view
