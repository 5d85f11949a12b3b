// Package view is hop 7 of 8: it takes the objects of a store and a Query, and
// hands the page what differs in its window since it last looked: a Patch.
//
// In: objects, the changes to them, what is asked for. Out: the rows of the
// window in their order, how many match, and facet counts. It is pure: it keeps
// an order of all objects and of those that match, and never waits.
package view
