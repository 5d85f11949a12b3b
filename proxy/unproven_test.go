//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"net/http"
	"testing"

	"nhooyr.io/websocket"

	"watchglass/internal/edge/session"
	"watchglass/internal/wire"
)

// TestCopiedCookie checks that unproven sockets with a copied cookie do not block its user, and
// that the user's own tabs are limited.
func TestCopiedCookie(t *testing.T) {
	r := newRig(t, func(s *server) { s.sessions = session.NewRegistry(session.Limits{Connections: 2}) })
	as, err := r.signIn(t.Context(), http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Origin": {r.address}, "Cookie": {as.cookie.String()}}
	for range 4 {
		conn, _, err := websocket.Dial(t.Context(), r.address+"/-/socket", &websocket.DialOptions{HTTPHeader: header})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
	}
	for range 2 {
		conn, err := r.dial(t.Context(), http.DefaultClient, as)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		(&browserTab{t, conn, as.cookie.Value}).until(wire.KindWelcome, 0)
	}
	third, err := r.dial(t.Context(), http.DefaultClient, as)
	if err != nil {
		t.Fatal(err)
	}
	defer third.CloseNow()
	if _, _, err := third.Read(t.Context()); websocket.CloseStatus(err) != 4429 {
		t.Errorf("one tab too many: %v", err)
	}
}
