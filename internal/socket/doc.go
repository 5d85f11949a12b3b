// Package socket is hop 3 of 8: the tab's end of the one WebSocket to the proxy.
// It takes frames from hop 2 and hands each stream's events to hop 4, in order,
// and gives credit back when they have been applied.
//
// A Client owns the connection: it dials, greets, beats, notices when the other
// end has gone, and dials again, with jitter. When a connection ends, so do its
// streams; whoever reads one opens it anew, at the version it has reached.
package socket
