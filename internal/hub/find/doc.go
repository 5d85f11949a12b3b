// Package find is part of hop 7 of 8: the search for objects by name. It reads the lists of a cluster, requests others
// through it, and knows nothing of the page that asks.
//
// In: a text, and the lists of a cluster. Out: the objects that match best, and the kinds that could not be searched.
package find
