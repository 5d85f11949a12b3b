//go:build !js

// The WebSocket library is deprecated in favour of its successor, which differs
// in its import path; the design fixes this one.
//
//lint:file-ignore SA1019 see above

package main

import (
	"context"
	"net/http"

	"nhooyr.io/websocket"

	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// socket relays for one tab.
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil) // compression costs more than it saves on loopback
	if err != nil {
		s.log.Debug("no socket", "error", err)
		return
	}
	conn.SetReadLimit(wire.MaxControl)
	s.sockets.Add(1)
	defer s.sockets.Done()
	target := s.contexts.target(r.URL.Query().Get("c"))
	err = relay.Serve(s.ctx, wsConn{conn}, relay.Options{
		Upstream:  relay.Upstream{Base: target.Base, Transport: target.Transport, Heard: target.Pulse.Heard},
		Welcome:   s.welcome(target),
		Namespace: narrow(target),
		Log:       s.log,
	})
	if s.ctx.Err() != nil {
		conn.Close(websocket.StatusGoingAway, "the proxy is stopping")
		return
	}
	s.log.Debug("a tab has gone", "error", err)
	conn.Close(websocket.StatusPolicyViolation, "")
}

// wsConn is a socket as the relay wants it.
type wsConn struct{ *websocket.Conn }

var _ relay.Conn = wsConn{}

func (c wsConn) Read(ctx context.Context) ([]byte, error) {
	_, msg, err := c.Conn.Read(ctx)
	return msg, err
}

func (c wsConn) Write(ctx context.Context, msg []byte) error {
	return c.Conn.Write(ctx, websocket.MessageBinary, msg)
}
