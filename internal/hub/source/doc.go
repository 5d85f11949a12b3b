// Package source is part of hop 7 of 8: it names the sources of a server, and keeps what
// changes in one for its reader.
//
// In: a kind, a namespace and selectors, and the shared informers. Out: a Feed, which keeps
// what changed in a mailbox until it is drained, and a Status, which says how current it is.
package source
