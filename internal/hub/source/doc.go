// Package source is part of hop 7 of 8: it names the sources of a server, and holds them
// for whoever reads one.
//
// In: a kind, a namespace and selectors, and the shared informers. Out: a Feed, which keeps
// what changed in a mailbox until it is drained, and a Status, which says how current it is.
package source
