// Package replay is a noun: a relay inside the tab, which serves a history.Record as of one moment.
//
// In: the frames of package wire that a tab sends, from package socket, and the moment shown. Out: the
// frames that the proxy's relay would send if that moment were now. When the moment changes, each watch
// is sent the objects that differ. So nothing above the socket needs to know about the past.
//
// The versions of lists count the moments shown, so they grow even when time runs backwards. Objects
// keep their own versions. A Reflector compares versions of lists only, and
// neither DeltaFIFO nor Indexer compares any, so an older version of an object replaces a newer one.
//
// The package has no goroutines of its own: the goroutine that reads a Conn updates it.
package replay
