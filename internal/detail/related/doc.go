// Package related is part of hop 7 of 8: it finds the objects related to one object.
//
// In: the objects of some sources as they come and go, and one of them, the focus. Out: a Graph
// of the focus with its owners, the objects it owns, and those that select, mount, route to or
// scale any of these; the position of each node in a drawing; the same as a tree of lines; and
// the kinds whose objects the focus may own. It knows no sources and never waits.
//
// A table of paths says where a kind's packed bytes refer to other objects. An Index keeps
// these references in both directions.
package related
