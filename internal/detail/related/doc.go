// Package related is part of hop 7 of 8: it finds the objects related to one object.
//
// In: changes of objects from several sources, and one object, the focus. Out: a Graph of the
// focus with its owners, the objects it owns, and the objects that select, mount, route to or
// scale any of these; a layout of that graph; the same graph as a tree of lines; and the kinds
// whose objects the focus may own. It knows nothing about the sources and never blocks.
//
// A table of paths says where a kind's packed bytes refer to other objects. An Index keeps
// these references in both directions.
package related
