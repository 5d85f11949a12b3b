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

// Pulse records when the apiserver last gave a sign of life: any byte on any of its connections,
// including the answers to HTTP/2 pings. If the protocol has no pings, it requests the server's
// version from time to time, as long as Heard is called.
type Pulse struct {
	heard atomic.Int64 // unix nanoseconds
	asked atomic.Int64
	probe func(ctx context.Context)
}

const (
	// probeAfter is longer than the silence after which HTTP/2 pings. Together with lookEvery and
	// the time until the tab hears of it, it is below the age at which a tab is stale.
	probeAfter  = 3300 * time.Millisecond
	probeWithin = 3 * time.Second
	lookEvery   = 200 * time.Millisecond
)

func newPulse() *Pulse { return &Pulse{} }

// Heard returns when the apiserver last gave a sign of life.
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

// version requests the server's version. Any answer is a sign of life.
func (t *Target) version(ctx context.Context) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.Base.JoinPath("version").String(), nil)
	if err != nil {
		return
	}
	resp, err := t.Transport.RoundTrip(req)
	if err != nil {
		return // no sign of life
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be reused
	resp.Body.Close()
}

// dial opens a connection that updates the pulse.
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
	clear(b) // the previous content; the next read may take long
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.pulse.heard.Store(time.Now().UnixNano())
	}
	return n, err
}
