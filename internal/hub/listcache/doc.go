// Package listcache is part of hop 7 of 8: it saves the lists of a cluster on disk, so that the next visit of this
// browser starts with their rows. It reads the sources that it is given, and reaches the cluster only through its
// Host.
//
// In: live sources, and the last visit, which package savedlist reads. Out: the visit that is saved, and the
// objects of the last one in place of a source's first list.
package listcache
