// Package columns is a noun of hop 7 of 8: the objects of a list by slot, and the texts in their columns. A column keeps a
// code for each slot and a text for each code. So a question about all objects is asked once for each distinct text, and
// its answer is a set of slots.
//
// In: objects, their next versions, and functions that read a text from an object. Out: sets of slots, and counts by text.
package columns
