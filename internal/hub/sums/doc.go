// Package sums is part of hop 7 of 8: it adds up what pods request, by node or by namespace.
//
// In: the pods, and their changes. Out: the derived cells of nodes and namespaces, as kubectl
// describe prints the sums of a node, and the keys of those whose cells changed. It does no I/O
// and keeps nothing per pod.
package sums
