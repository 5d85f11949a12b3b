//go:build !js

package apiserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// runPulse runs a pulse in a synctest bubble. The probe records the second of its call, and calls
// the given function.
func runPulse(t *testing.T, probe func(ctx context.Context, p *Pulse), during func(p *Pulse)) (probed []int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := newPulse()
		p.probe = func(ctx context.Context) {
			probed = append(probed, int(time.Since(start).Seconds()))
			probe(ctx, p)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p.Run(ctx)
		}()
		during(p)
		cancel()
		<-ended
	})
	return probed
}

// ask calls Heard every second, for a number of seconds.
func ask(p *Pulse, seconds int) {
	for range seconds {
		p.Heard()
		time.Sleep(time.Second)
	}
}

func hear(_ context.Context, p *Pulse) { p.hear() }

// TestPulseOfNothing runs the pulse of a target without a server while somebody asks for it, as a tab that was left open
// does of a replay.
func TestPulseOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPulse()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p.Run(t.Context())
		}()
		p.Heard()
		<-ended
	})
}

// TestPulseUnasked checks that there are no probes while nobody calls Heard.
func TestPulseUnasked(t *testing.T) {
	probed := runPulse(t, hear, func(*Pulse) { time.Sleep(time.Minute) })
	if len(probed) > 0 {
		t.Errorf("probed after %v s", probed)
	}
}

// TestPulseProbes checks that probes start after a silence, and stop
// when nobody has called Heard for as long.
func TestPulseProbes(t *testing.T) {
	probed := runPulse(t, hear, func(p *Pulse) {
		hear(t.Context(), p)
		time.Sleep(time.Millisecond) // so that a tick and an end of silence do not meet
		ask(p, 12)
		time.Sleep(time.Minute)
	})
	if !slices.Equal(probed, []int{1, 2, 3, 4, 6, 7, 8, 9, 10, 12}) {
		t.Errorf("probed after %v s", probed)
	}
}

// TestPulseYoung checks that a tab, which is told every second and is stale after four, is never
// stale while the apiserver answers probes within a second and a half.
func TestPulseYoung(t *testing.T) {
	oldest := time.Duration(0)
	runPulse(t, hear, func(p *Pulse) {
		hear(t.Context(), p)
		for range 600 {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			oldest = max(oldest, time.Since(p.Heard()))
		}
	})
	if oldest >= 1500*time.Millisecond {
		t.Errorf("silent for %v", oldest)
	}
}

// TestPulseHears checks that there are no probes while the apiserver sends data.
func TestPulseHears(t *testing.T) {
	probed := runPulse(t, hear, func(p *Pulse) {
		for range 60 {
			hear(t.Context(), p)
			ask(p, 1)
		}
	})
	if len(probed) > 0 {
		t.Errorf("probed after %v s", probed)
	}
}

// TestPulseGivesUp checks that a probe times out and is repeated.
func TestPulseGivesUp(t *testing.T) {
	var held []time.Duration
	probed := runPulse(t, func(ctx context.Context, _ *Pulse) {
		start := time.Now()
		<-ctx.Done()
		held = append(held, time.Since(start))
	}, func(p *Pulse) {
		ask(p, 8)
	})
	if len(probed) < 2 || held[0] != probeWithin {
		t.Errorf("probed after %v s, for %v", probed, held)
	}
}

// roundTrip is a function as a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// body records how much of it was read, and whether it was closed.
type body struct {
	io.Reader
	read   int
	closed bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.read += n
	return n, err
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

// TestVersion checks what a probe requests, and that its connection can be reused.
func TestVersion(t *testing.T) {
	answer := &body{Reader: strings.NewReader("{}")}
	asked := ""
	target := &Target{Base: &url.URL{Scheme: "https", Host: "h", Path: "/k8s"}, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.Method + " " + r.URL.String()
		return &http.Response{StatusCode: http.StatusOK, Body: answer}, nil
	})}
	target.version(t.Context())
	if asked != "GET https://h/k8s/version" || answer.read != 2 || !answer.closed {
		t.Errorf("asked %q, read %d bytes, closed %v", asked, answer.read, answer.closed)
	}
	endless := &body{Reader: endless{}}
	answer = endless
	target.version(t.Context())
	if endless.read > 1<<20 || !endless.closed {
		t.Errorf("read %d bytes of an endless answer, closed %v", endless.read, endless.closed)
	}
	target.Transport = roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") })
	target.version(t.Context()) // says nothing
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestHeardTransport checks what is a sign of life: answers and their parts, but not what a gateway says in
// the place of an apiserver.
func TestHeardTransport(t *testing.T) {
	for name, c := range map[string]struct {
		code   int
		audit  string
		failed error
		hears  bool
	}{
		"an answer":              {code: 200, hears: true},
		"a refusal":              {code: 403, hears: true},
		"its own error":          {code: 503, audit: "a1", hears: true},
		"the error of a gateway": {code: 502},
		"nothing":                {failed: errors.New("no route")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPulse()
				here, there := io.Pipe()
				rt := &heardTransport{roundTrip(func(*http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: c.code, Header: http.Header{"Audit-Id": {c.audit}}, Body: here}, c.failed
				}), p}
				resp, err := rt.RoundTrip(&http.Request{})
				if !errors.Is(err, c.failed) || (p.Heard().Unix() != 0) != c.hears {
					t.Errorf("%v, heard at %v", err, p.Heard())
				}
				if c.failed != nil {
					return
				}
				time.Sleep(time.Second)
				go func() { _, _ = there.Write([]byte("x")) }()
				_, err = resp.Body.Read(make([]byte, 1))
				if err != nil || p.Heard().Equal(time.Now()) != c.hears {
					t.Errorf("%v, heard at %v", err, p.Heard())
				}
				heard := p.Heard()
				time.Sleep(time.Second)
				there.Close()
				if _, err := resp.Body.Read(make([]byte, 1)); err == nil || !p.Heard().Equal(heard) {
					t.Errorf("heard an end at %v", p.Heard())
				}
			})
		})
	}
}

// TestDial checks that a connection clears what it reads into, and that a failed one is an error.
func TestDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	conn, err := dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	secret := []byte("secret")
	if _, err := conn.Read(secret); err == nil || string(secret) != "\x00\x00\x00\x00\x00\x00" {
		t.Errorf("%v, %q", err, secret)
	}
	l.Close()
	if _, err := dial(t.Context(), "tcp", address); err == nil {
		t.Error("nobody listens there")
	}
}
