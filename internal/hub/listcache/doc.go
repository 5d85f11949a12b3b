// Package listcache is part of hop 7 of 8: it saves the lists of a cluster on disk, so that the next visit of this
// browser starts with their rows. It reads the sources that it is given, and reaches the cluster only through a Host.
//
// In: sources and when they may be saved, and what package visit has of the last visit. Out: visits, and the objects
// of the last one in place of a source's first list.
package listcache
