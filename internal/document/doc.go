// Package document is a noun: one object's JSON, read by path.
//
// In: the JSON of an object, from the bytes that the store keeps. Out: a Value, whose parts are
// found by their names and whose missing parts are empty, and a Quantity for each amount.
package document
