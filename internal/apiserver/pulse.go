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

// Pulse records when the apiserver last gave a sign of life: a response, or a part of one. Answers to HTTP/2
// pings don't count: a load balancer that terminates TLS sends them even if the apiserver hangs. While
// nothing else arrives, Pulse requests the server's version regularly, as long as Heard is called.
type Pulse struct {
	heard atomic.Int64 // unix nanoseconds
	asked atomic.Int64
	probe func(ctx context.Context)
}

const (
	// probeAfter allows for an apiserver that takes a second and a half to answer: together with lookEvery,
	// that time and the delay to the tab, it is below the age at which a tab is stale.
	probeAfter  = time.Second
	probeWithin = 3 * time.Second
	wantedFor   = 2 * time.Second // after a call of Heard: every connection of a tab calls it once a second
	lookEvery   = 200 * time.Millisecond
)

func newPulse() *Pulse { return &Pulse{} }

// Heard returns when the apiserver last gave a sign of life.
func (p *Pulse) Heard() time.Time {
	p.asked.Store(time.Now().UnixNano())
	return time.Unix(0, p.heard.Load())
}

// Run probes until the context ends. It returns at once if there is nothing to probe: the target of a replay has
// no server.
func (p *Pulse) Run(ctx context.Context) {
	if p.probe == nil {
		return
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			wanted := now.Sub(time.Unix(0, p.asked.Load())) < wantedFor
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

// heardTransport is a transport whose responses update a pulse.
type heardTransport struct {
	http.RoundTripper
	pulse *Pulse
}

// WrappedRoundTripper returns the transport inside, so that its idle connections are found and closed.
func (t *heardTransport) WrappedRoundTripper() http.RoundTripper { return t.RoundTripper }

// RoundTrip sends a request. An error from a gateway is no sign of life of the apiserver, whose own responses
// have an audit ID.
func (t *heardTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	if err != nil || resp.StatusCode >= 500 && resp.Header.Get("Audit-Id") == "" {
		return resp, err
	}
	t.pulse.hear()
	resp.Body = &heardBody{resp.Body, t.pulse}
	return resp, nil
}

// heardBody is the body of a response. Each part of it is a sign of life.
type heardBody struct {
	io.ReadCloser
	pulse *Pulse
}

func (b *heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.pulse.hear()
	}
	return n, err
}

func (p *Pulse) hear() { p.heard.Store(time.Now().UnixNano()) }

// dial opens a connection.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{
		Timeout:         10 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second, Interval: time.Second, Count: 3},
	}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return clearedConn{conn}, nil
}

// clearedConn is a connection that clears the buffer before each read, so that previous content does not stay
// in memory while the read waits.
type clearedConn struct{ net.Conn }

func (c clearedConn) Read(b []byte) (int, error) {
	clear(b)
	return c.Conn.Read(b)
}
