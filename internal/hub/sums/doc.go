// Package sums is part of hop 7 of 8: it adds up what pods request, by node or by namespace, and
// counts the ready endpoints of Services.
//
// In: the pods or EndpointSlices, and their changes. Out: the derived cells of nodes, namespaces
// and Services, as kubectl describe prints the sums of a node, and the keys of those whose cells
// changed. It does no I/O and keeps nothing per pod or slice.
package sums
