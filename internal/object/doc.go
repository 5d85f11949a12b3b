// Package object defines what hops 4 to 7 carry: one Kubernetes object as the tab stores it.
//
// In: the apiserver's own bytes: protobuf for built-in kinds, a Table row or JSON for all
// others. Out: an immutable Object with its identity, version, labels, owners and printed cells
// and, while the budget lasts, the packed bytes that it was made from.
//
// Nothing is decoded into a tree. A Plan names the wanted paths. The schema, generated from the
// Go types of the Kubernetes API, turns the names into field numbers, and one pass over the
// bytes extracts the values.
//
// The package has no state but the parsed schema, which is read from constant text when it is
// first needed. Codes of texts are in a CodeTable, which belongs to a cluster.
package object
