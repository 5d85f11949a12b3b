// Package indexer is hop 6 of 8: the store of objects, with named indexes.
//
// In: batches of changes from hop 5. Out: the current objects and the indexes over them, for
// hop 7 to read.
//
// There is one writer and any number of readers. A reader sees the store after a whole
// transaction, never half of one. A replacement takes many transactions and is seen as one. A
// settled store equals the server at exactly its version.
package indexer
