// Package informer is the join of hops 4, 5 and 6: a Reflector fills a DeltaFIFO, an Indexer
// applies its batches, and listeners are told what changed.
//
// In: a source, and what is wanted of it. Out: a store with indexes and listers, listeners that
// receive each change or only its net effect, and a state that says how fresh the data is. A
// Factory shares one Informer among all that want the same source, and releases it a while
// after the last.
package informer
