// Package wire is the seam between relay and socket: the frames that cross the WebSocket, and
// nothing else. It does no I/O.
//
// In: typed requests of the tab (Hello, Request, credit, beats). Out: events of the apiserver
// (Event records packed into Data frames), and a Status if a stream ended with one.
//
// A WebSocket message is one frame: a kind, a stream number, a body. Only the tab's first
// message is text, a small JSON Hello, so that the page's loader can send it before any
// WebAssembly runs. All other messages are binary. The tab names resources, never paths: the
// relay builds the URL.
package wire
