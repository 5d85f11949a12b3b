//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"net"
	"net/http"

	"nhooyr.io/websocket"
)

// compressFrom is the size from which a frame is compressed. A beat, a credit and
// most single events are smaller: they would hardly shrink, and all of them would
// wait for a compressor.
const compressFrom = 4 << 10

// compressed turns compression on, but for a tab on this machine, where it costs more
// than it saves. No window is kept between frames: a tab that nothing comes to takes
// no more memory than without.
func compressed(o *websocket.AcceptOptions, r *http.Request) *websocket.AcceptOptions {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err == nil && isLoopback(host) {
		return o
	}
	if o == nil {
		o = new(websocket.AcceptOptions)
	}
	o.CompressionMode, o.CompressionThreshold = websocket.CompressionNoContextTakeover, compressFrom
	return o
}
