//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"net"
	"net/http"

	"nhooyr.io/websocket"
)

// compressFrom is the size from which frames are compressed. Heartbeats, credits and most
// single events are smaller. They would hardly shrink, and would wait for a compressor.
const compressFrom = 4 << 10

// compressed enables compression, except in local mode for tabs on this machine, where it costs more than
// it saves. In the other modes, a client on this machine is a front that passes frames on to browsers elsewhere.
// No window is kept between frames, so that an idle tab takes no more memory than without compression.
func (s *server) compressed(o *websocket.AcceptOptions, r *http.Request) *websocket.AcceptOptions {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err == nil && isLoopback(host) && s.options.local() {
		return o
	}
	o.CompressionMode, o.CompressionThreshold = websocket.CompressionNoContextTakeover, compressFrom
	return o
}
