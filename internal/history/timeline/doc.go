// Package timeline is a noun: what happened in a cluster, for people.
//
// In: a history.Record, the rules of what is noise, and the objects to look at. Out: entries, each with
// its class and its words, and the Picture of them on an axis of time.
package timeline
