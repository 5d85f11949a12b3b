// Package relations is part of hop 8 of 8: the Related tab of an open object, a graph or a tree of what owns the object,
// what it owns, and what it uses.
//
// In: the related objects from the worker, and the keys and clicks in the graph. Out: the picture for the graph's
// painter, and the drawn controls above it. What is open in the graph is in the address. It reaches the page through
// tab.Host only.
package relations
