// Package deltafifo is hop 5 of 8: it takes the objects of hop 4 as they come
// and hands hop 6 what happened to each key, in batches.
//
// It is the DeltaFIFO of client-go, with what has been learnt since: the deltas
// of a key coalesce, so that a slow consumer has no more to do than there are
// keys; a batch ends when its time is over; the batches of a new list say that
// they belong together; a batch knows the version that the store reaches by it,
// so that a reader can compare the store with the server at exactly that
// version; and an initial list may stream through, without a second copy of it.
package deltafifo
