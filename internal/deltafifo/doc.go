// Package deltafifo is hop 5 of 8: a queue of changes, ordered and grouped by key.
//
// In: the objects of hop 4 as they come. Out: batches for hop 6 that say what happened to each
// key.
//
// It is client-go's DeltaFIFO with these differences. The deltas of a key coalesce, so a slow
// consumer has no more to do than there are keys. A batch ends when its time is over. The
// batches of a new list are marked as belonging together. A batch names the version that the
// store reaches with it, so a reader can compare the store with the server at exactly that
// version. An initial list may stream through without being copied. An object that could not be
// read leaves the store by a deletion that says so, and the real one follows when it comes.
package deltafifo
