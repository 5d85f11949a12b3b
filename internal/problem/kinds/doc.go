// Package kinds is a noun: the kinds from which problems are read.
//
// In: names, as events and owner references have them. Out: the IDs of the kinds that the rules read, in the order in
// which they should be asked for; and whether a kind or an object can have a name.
package kinds
