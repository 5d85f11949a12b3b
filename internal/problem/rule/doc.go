// Package rule is a noun: what is wrong with one object.
//
// In: the document of an object or, if its source has none, its cells. Out: a Cause for each thing that is wrong, with
// words, severity and evidence, and the time from which, and until which, it holds. So an object is read once per version,
// and time alone needs no second reading.
//
// The table of rules names the kind that each is for. A rule knows no other object, and not who asks.
package rule
