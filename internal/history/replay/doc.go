// Package replay is a noun: a relay inside the tab, which serves what a history.Tape remembers as it
// was at one moment.
//
// In: the frames of package wire that a tab sends, from package socket, and the moment that is shown.
// Out: the frames that the proxy's relay would send if that moment were now. When the moment changes,
// each watch is sent the objects that differ. So nothing above the socket knows the difference.
//
// The versions of lists only grow, also when time runs backwards: they count the moments that were
// shown. Objects keep the versions that they had. A Reflector compares versions of lists only, and
// neither DeltaFIFO nor Indexer compares any, so an older version of an object replaces a newer one.
//
// Nothing here runs by itself: a Conn is brought up to date by the goroutine that reads it.
package replay
