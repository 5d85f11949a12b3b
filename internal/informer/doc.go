// Package informer joins hops 4, 5 and 6: a Reflector fills a DeltaFIFO, an Indexer applies its
// batches, and subscribers receive the changes.
//
// In: a source, and options. Out: a store with an index and listers, batches of changes for
// subscribers, and a state that says how fresh the data is. A Factory shares one Informer among
// all readers of a source, and stops it a while after the last one has left.
package informer
