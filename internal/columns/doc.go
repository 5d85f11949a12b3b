// Package columns is a noun of hop 7 of 8: the objects of a list by slot, and what they print in columns. A column has a
// code for each slot, and a text for each code. What is asked of all objects is then asked once of each text, and
// answered with a set of slots.
//
// In: objects, the next versions of them, and what a column reads of one. Out: sets of slots, and counts by text.
package columns
