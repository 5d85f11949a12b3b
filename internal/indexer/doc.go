// Package indexer is hop 6 of 8: it takes what happened to each key from hop 5
// and holds the objects that there are, with named indexes over them, for hop 7
// to read.
//
// There is one writer and any number of readers. A reader sees the store as it
// was after some transaction, never one half done; a replacement is many
// transactions, and is seen as one; a settled store is as the server was at
// exactly its version.
package indexer
