// Package history is a noun: what a cluster looked like at each moment that is still remembered.
//
// In: each change of each object, as informers report it, and the times at which changes may have
// been missed. Out: a Record, which has the objects of a moment and the changes between two. The record
// of this tab is a Store, bounded in bytes; that of a file is a recording.
package history
