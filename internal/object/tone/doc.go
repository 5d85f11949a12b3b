// Package tone says how severe the state of an object is: plain, good, pending, warning or failed. It is a noun of hop 7.
//
// In: statuses, conditions and the cells of a row, as kubectl prints them. Out: a Tone, which the list, the Related tab, the
// summary and the problems all take from here. It knows no object.
package tone
