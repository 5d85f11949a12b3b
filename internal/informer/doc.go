// Package informer is the join of hops 4, 5 and 6: a Reflector fills a
// DeltaFIFO, whose batches an Indexer applies, and whoever has asked is told
// what happened.
//
// In: a source, and what is wanted of it. Out: a store with indexes and listers,
// listeners that are told of each change, or of what it came to, and a state that
// says how true it all is. A Factory shares one Informer among all that want the
// same, and lets it go a while after the last.
package informer
