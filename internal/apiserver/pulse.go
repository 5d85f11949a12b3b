//go:build !js

package apiserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Pulse knows when the apiserver last gave a sign of life: any byte on any of
// its connections, the answers to HTTP/2 pings among them. Where the protocol
// has no pings, it asks for the server's version now and then, while somebody
// wants to know.
type Pulse struct {
	heard atomic.Int64 // unix nanoseconds
	asked atomic.Int64
	probe func(ctx context.Context)
}

const (
	// probeAfter is longer than the silence after which HTTP/2 pings. With lookEvery and
	// the time until the tab is told it stays below the age at which nothing is proven.
	probeAfter  = 3300 * time.Millisecond
	probeWithin = 3 * time.Second
	lookEvery   = 200 * time.Millisecond
)

func newPulse() *Pulse { return &Pulse{} }

// Heard is when the apiserver last gave a sign of life.
func (p *Pulse) Heard() time.Time {
	p.asked.Store(time.Now().UnixNano())
	return time.Unix(0, p.heard.Load())
}

// Run probes until the context ends.
func (p *Pulse) Run(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			wanted := now.Sub(time.Unix(0, p.asked.Load())) < probeAfter
			if wanted && now.Sub(time.Unix(0, p.heard.Load())) > probeAfter {
				probing, cancel := context.WithTimeout(ctx, probeWithin)
				p.probe(probing)
				cancel()
			}
		}
	}
}

// version asks for the server's version; that something answers is the answer.
func (t *Target) version(ctx context.Context) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.Base.JoinPath("version").String(), nil)
	if err != nil {
		return
	}
	resp, err := t.Transport.RoundTrip(req)
	if err != nil {
		return // no sign of life
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection is used again
	resp.Body.Close()
}

// dial connects with an ear on the connection.
func (p *Pulse) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{
		Timeout:         10 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second, Interval: time.Second, Count: 3},
	}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &heardConn{conn, p}, nil
}

type heardConn struct {
	net.Conn
	pulse *Pulse
}

func (c *heardConn) Read(b []byte) (int, error) {
	clear(b) // of what was read before; it may be long until something comes
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.pulse.heard.Store(time.Now().UnixNano())
	}
	return n, err
}
