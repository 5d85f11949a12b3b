// Package socket is hop 3 of 8: the tab's end of the one WebSocket to the proxy.
//
// In: frames from hop 2. Out: each stream's events in order, for hop 4; and credit to hop 2
// once they have been applied.
//
// A Client owns the connection. It dials, sends the hello and heartbeats, notices when the
// other end is gone, and dials again, with jitter. When a connection ends, its streams end too.
// Their readers open them again at the version they reached.
package socket
