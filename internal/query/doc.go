// Package query is a noun: what people ask for, in the languages they know. It
// does no I/O.
//
// In: text. Out: something that tells whether an object matches, or where the
// text went wrong and what was expected there.
package query
