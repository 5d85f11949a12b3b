package stage

import (
	"bytes"
	"context"
	"sync"

	"watchglass/internal/socket"
)

// Sniffed keeps all that a proxy sends over the connections of a tab without a page.
type Sniffed struct {
	mu   sync.Mutex
	seen bytes.Buffer
}

// Dial returns a dialer whose connections are sniffed.
func (s *Sniffed) Dial(dial func(context.Context) (socket.Connection, error)) func(context.Context) (socket.Connection, error) {
	return func(ctx context.Context) (socket.Connection, error) {
		dialed, err := dial(ctx)
		if err == nil {
			dialed.Conn = sniffedConn{dialed.Conn, s}
		}
		return dialed, err
	}
}

// Bytes returns all messages that came so far, a line break after each.
func (s *Sniffed) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.seen.Bytes())
}

// sniffedConn is one of the connections.
type sniffedConn struct {
	socket.Conn
	by *Sniffed
}

func (c sniffedConn) Read(ctx context.Context) ([]byte, error) {
	msg, err := c.Conn.Read(ctx)
	c.by.mu.Lock()
	defer c.by.mu.Unlock()
	c.by.seen.Write(msg)
	c.by.seen.WriteByte('\n')
	return msg, err
}
