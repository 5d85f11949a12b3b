// Package slots is a seam below the store and its views: sets of slots. A slot is the number of an
// object in a store, from 0 up.
//
// In: slots that are added and removed, and other sets. Out: what is in a set, in order, or how many.
package slots
