// Package columns is a noun of hop 7 of 8: the objects of a list by slot, what is in their columns, and lists of them in order.
// A column keeps a code for each slot and a text for each code. So a question about all objects is asked once for each distinct
// text, and its answer is a set of slots. What a list sorts by as a number has a column of keys.
//
// In: objects, their next versions, and functions that read a text or a number from an object. Out: sets of slots, counts by
// text, and lists that are sorted as far as somebody looks.
package columns
