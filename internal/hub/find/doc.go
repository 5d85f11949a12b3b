// Package find is part of hop 7 of 8: the search for objects by name. It reads a cluster, and knows nothing of the page
// that asks.
//
// In: a text, and the lists that the cluster holds. Out: the objects that match best, and the kinds that could not be
// searched.
package find
