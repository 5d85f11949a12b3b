// Package wire is the seam between relay and socket: the frames that cross the
// WebSocket, and nothing else. It does no I/O.
//
// In: typed requests of the tab (Hello, Request, credit, beats). Out: events of
// the apiserver (Event records packed into Data frames), a Status where one ended.
//
// A WebSocket message is one frame: a kind, a stream number, a body. The tab's
// first message alone is text, a small JSON Hello, so that the page's loader can
// send it before any WebAssembly runs; every other message is binary.
// The tab names resources, never paths: the relay builds the URL.
package wire
