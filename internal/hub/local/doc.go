// Package local is part of hop 7 of 8: the kinds whose rows the hub makes itself, such as problems and releases. Who
// reads a source asks here whether the server has it, and need not know which kinds these are. It reaches no cluster.
//
// In: the kinds, each with what serves its rows. Out: the local kind of a kind or a request; nil if the server has it.
package local
