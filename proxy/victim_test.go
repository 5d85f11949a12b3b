//go:build !js

package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge/edgetest"
	"watchglass/internal/wire"
)

// victim is a proxy with an upstream that records every byte.
type victim struct {
	host     string // HOST:PORT of the proxy
	cookie   string // of one browser that came in
	key      *edgetest.Key
	upstream *capture
}

// credential is the credential in the kubeconfig.
const credential = "the-kubeconfigs-own"

func newVictim(t *testing.T) *victim {
	t.Helper()
	s := httptest.NewTLSServer(nil) // for its certificate
	s.Close()
	config := &tls.Config{Certificates: s.TLS.Certificates, NextProtos: []string{"http/1.1"}}
	return newVictimOf(t, newCapture(t, config, s.Certificate()))
}

// newVictimOf starts a proxy for a fake apiserver.
func newVictimOf(t *testing.T, upstream *capture) *victim {
	t.Helper()
	v := &victim{upstream: upstream, key: edgetest.NewKey()}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	config := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],"clusters":[{"name":"k","cluster":{"server":"https://%s","certificate-authority-data":%q}}],"users":[{"name":"u","user":{"token":%q}}]}`, v.upstream.address, v.upstream.authority, credential)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	target, err := apiserver.Load(apiserver.Options{Kubeconfig: file, UserAgent: "watchglass/test"})
	if err != nil {
		t.Fatal(err)
	}
	address, token := testServerOf(t, "", target)
	v.host = strings.TrimPrefix(address, "http://")
	v.comeIn(t, token)
	return v
}

// comeIn signs in with the token of the launch.
func (v *victim) comeIn(t *testing.T, token string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+v.host+"/-/login", strings.NewReader(token))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "http://"+v.host)
	v.key.Sign(req)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 || len(resp.Cookies()) != 1 {
		t.Fatalf("login: %s", resp.Status)
	}
	v.cookie = resp.Cookies()[0].Name + "=" + resp.Cookies()[0].Value
}

// hello is the first message of a tab.
func (v *victim) hello() []byte {
	return v.key.Hello(wire.Version, "http://"+v.host, "", "", "")
}

// upgrade returns the request that a browser sends to open the socket.
func (v *victim) upgrade() string {
	return "GET /-/socket HTTP/1.1\r\n" +
		"Host: " + v.host + "\r\n" +
		"Origin: http://" + v.host + "\r\n" +
		"Cookie: " + v.cookie + "\r\n" +
		"Connection: Upgrade\r\n" +
		"Upgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
}

// patience is a timeout that is far longer than anything in these tests takes.
const patience = 10 * time.Second

// send writes raw bytes, and reads the header of the response. The code is 0 if there is none.
func (v *victim) send(t *testing.T, raw string) (code int, conn net.Conn, from *bufio.Reader, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", v.host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(conn, raw) }() // who is refused early does not read it all
	from = bufio.NewReader(conn)
	resp, err := http.ReadResponse(from, nil)
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("no answer: %v", err)
		}
		return 0, conn, from, ""
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.StatusCode, conn, from, ""
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // a connection that breaks off tells as much
	return resp.StatusCode, conn, from, string(text)
}

// ask sends the hello and a request on an open socket, and waits for the end of the request.
func (v *victim) ask(conn net.Conn, from *bufio.Reader, r wire.Request) (wire.End, error) {
	const text, binary = 1, 2
	frames := append(maskedFrame(text, v.hello()), maskedFrame(binary, wire.JSONFrame(wire.KindOpen, 2, r))...)
	if _, err := conn.Write(frames); err != nil {
		return wire.End{}, err
	}
	for {
		msg, err := readFrame(from)
		if err != nil {
			return wire.End{}, err
		}
		f, err := wire.ParseFrame(msg)
		if err != nil {
			return wire.End{}, err
		}
		if f.Kind == wire.KindEnd {
			var end wire.End
			return end, f.JSON(&end)
		}
	}
}

// maskedFrame returns a WebSocket frame as a browser sends it (RFC 6455).
func maskedFrame(opcode byte, payload []byte) []byte {
	frame := []byte{0x80 | opcode, 0x80 | 126}
	frame = binary.BigEndian.AppendUint16(frame, uint16(len(payload)))
	mask := []byte{1, 2, 3, 4}
	frame = append(frame, mask...)
	for i, b := range payload {
		frame = append(frame, b^mask[i%4])
	}
	return frame
}

// readFrame reads a frame of the server, which is a whole message and not masked.
func readFrame(from *bufio.Reader) ([]byte, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	size := uint64(head[1])
	for long, bytes := range map[byte]int{126: 2, 127: 8} {
		if head[1] == long {
			wide := make([]byte, 8)
			if _, err := io.ReadFull(from, wide[8-bytes:]); err != nil {
				return nil, err
			}
			size = binary.BigEndian.Uint64(wide)
		}
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(from, payload); err != nil {
		return nil, err
	}
	if opcode := head[0] & 0xf; opcode == 8 {
		return nil, fmt.Errorf("the socket was closed: %q", payload)
	}
	return payload, nil
}

// capture is a fake apiserver that records requests as raw bytes. It uses HTTP/1.1 over TLS, since
// client-go sends no credentials without TLS.
type capture struct {
	address   string
	authority string // in PEM and Base64
	plain     bool   // it knows no TLS

	mu       sync.Mutex
	requests []string
}

// nothing is the list in its responses.
const nothing = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`

// newCapture listens, with TLS if it has a configuration, for clients that trust a CA.
func newCapture(t *testing.T, config *tls.Config, authority *x509.Certificate) *capture {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if config != nil {
		l = tls.NewListener(l, config)
	}
	known := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw})
	c := &capture{plain: config == nil, address: l.Addr().String(), authority: base64.StdEncoding.EncodeToString(known)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			go c.serve(conn)
		}
	}()
	return c
}

// serve reads the header of each request. An incomplete one is recorded when the connection ends.
func (c *capture) serve(conn net.Conn) {
	defer conn.Close()
	if c.plain {
		hello := make([]byte, 16<<10)
		n, _ := conn.Read(hello)
		c.keep(string(hello[:n]))
		fmt.Fprint(conn, "HTTP/1.0 400 Bad Request\r\n\r\nthis is plain HTTP")
		return
	}
	var head bytes.Buffer
	for from := bufio.NewReader(conn); ; {
		line, err := from.ReadString('\n')
		head.WriteString(line)
		if err != nil {
			if head.Len() > 0 {
				c.keep(head.String())
			}
			return
		}
		if line == "\r\n" {
			c.keep(head.String())
			head.Reset()
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(nothing), nothing)
		}
	}
}

func (c *capture) keep(request string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, request)
}

// take returns the requests since the last call.
func (c *capture) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.requests)
	c.requests = nil
	return all
}
