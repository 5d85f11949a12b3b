package attack_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"watchglass/e2e/proxy"
)

// demo starts the proxy before the demo cluster: nothing here needs a real one.
func demo(t *testing.T, args ...string) *proxy.Proxy {
	t.Helper()
	p, err := proxy.Start(t.Context(), proxy.Options{Args: append([]string{"--demo", "--demo-objects", "10"}, args...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// resident is how much memory a process has, in bytes.
func resident(t *testing.T, p *proxy.Proxy) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("%s", status)
	}
	kilobytes, _ := strconv.Atoi(string(m[1]))
	return kilobytes << 10
}

// program is the path of the page's program, the largest file there is.
func program(t *testing.T, page string) string {
	t.Helper()
	m := regexp.MustCompile(`-/files/app\.[0-9a-f]+\.wasm`).FindString(page)
	if m == "" {
		t.Fatalf("the page names no program: %s", page)
	}
	return "/" + m
}

func fetch(t *testing.T, client *http.Client, address string) string {
	t.Helper()
	resp, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, err)
	}
	return string(body)
}

// most is what a thousand clients that do not read may cost.
const most = 64 << 20

// grown fails the test if a proxy has grown by more than it may.
func grown(t *testing.T, p *proxy.Proxy, before int) {
	t.Helper()
	after := resident(t, p)
	t.Logf("resident: %d → %d MB", before>>20, after>>20)
	if after-before > most {
		t.Errorf("it has grown by %d MB", (after-before)>>20)
	}
}

// TestReaders has a thousand clients, who have not signed in, ask for the page's program
// in every encoding, and not read it.
func TestReaders(t *testing.T) {
	for name, encoding := range map[string]string{"brotli": "Accept-Encoding: br\r\n", "gzip": "Accept-Encoding: gzip\r\n", "none": ""} {
		t.Run(name, func(t *testing.T) {
			p := demo(t)
			file := program(t, fetch(t, http.DefaultClient, p.Origin()+"/pods"))
			before := resident(t, p)
			host := strings.TrimPrefix(p.Origin(), "http://")
			for range 1000 {
				conn, err := net.Dial("tcp", host)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(conn, "GET "+file+" HTTP/1.1\r\nHost: "+host+"\r\n"+encoding+"\r\n"); err != nil {
					t.Fatal(err)
				}
				line, err := bufio.NewReaderSize(conn, 16).ReadString(' ') // it is being answered
				if err != nil || line != "HTTP/1.1 " {
					t.Fatal(line, err)
				}
			}
			grown(t, p, before)
			for deadline := time.Now().Add(soon); ; <-time.After(100 * time.Millisecond) { // until those have stalled for long enough
				resp, err := http.Get(p.Origin() + "/pods")
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					break
				}
				if resp.StatusCode != http.StatusServiceUnavailable || time.Now().After(deadline) {
					t.Fatalf("somebody else at the same address gets %s", resp.Status)
				}
			}
		})
	}
}

// TestStreams has clients that take nothing ask for the page's program over HTTP/2: on many
// connections, in many streams of each, with heads as large as may be, or larger.
func TestStreams(t *testing.T) {
	for name, c := range map[string]struct{ connections, streams, head int }{
		"many streams":              {16, 64, 0},
		"many connections":          {1000, 1, 0},
		"many of both":              {1000, 16, 0},
		"large heads":               {200, 16, 20 << 10},
		"large heads, many of both": {1000, 16, 20 << 10},
		"heads that are too large":  {64, 16, 40 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			cert, key := selfSigned(t)
			p := demo(t, "--tls-cert-file", cert, "--tls-private-key-file", key)
			host := "127.0.0.1:" + p.Port()
			config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}} // it is our own
			honest := &http.Client{Transport: &http.Transport{TLSClientConfig: config.Clone(), ForceAttemptHTTP2: true}}
			file := program(t, fetch(t, honest, "https://"+host+"/pods"))
			before := resident(t, p)
			answered, refused := 0, 0
			for range c.connections {
				conn, err := tls.Dial("tcp", host, config)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				a, r := streams(t, conn, host, file, c.streams, c.head)
				answered, refused = answered+a, refused+r
			}
			t.Logf("%d streams were answered, %d refused", answered, refused)
			if answered == 0 && c.head < 28<<10 {
				t.Error("none was answered, so that this shows nothing")
			}
			grown(t, p, before)
		})
	}
}

// selfSigned are the files of a certificate and its key.
func selfSigned(t *testing.T) (cert, key string) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	private, err := x509.MarshalPKCS8PrivateKey(s.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: s.Certificate().Raw}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// streams opens streams that ask for a file and have no room for it, each with a head of a
// size, and returns how many of them were answered and how many refused.
func streams(t *testing.T, conn net.Conn, host, file string, n, head int) (answered, refused int) {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(soon)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
	var block strings.Builder
	encoder := hpack.NewEncoder(&block)
	for i := range n {
		block.Reset()
		for _, f := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", host}, {":path", file}, {"accept-encoding", "br"}, {"cookie", strings.Repeat("x", head)}} {
			must(encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1], Sensitive: true})) // so that each is sent whole
		}
		if !headers(framer, uint32(2*i+1), []byte(block.String())) {
			return answered, n - answered // the connection ended for what it asked
		}
	}
	for answered+refused < n {
		f, err := framer.ReadFrame()
		if err != nil {
			return answered, n - answered // the connection ended for what it asked
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				must(framer.WriteSettingsAck())
			}
		case *http2.HeadersFrame:
			answered++ // or refused, with words
		case *http2.RSTStreamFrame:
			refused++
		case *http2.GoAwayFrame:
			return answered, n - answered
		}
	}
	return answered, refused
}

// headers sends the head of a request, in frames that any server takes.
func headers(framer *http2.Framer, stream uint32, block []byte) bool {
	const most = 16 << 10
	first, rest := block[:min(most, len(block))], block[min(most, len(block)):]
	err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndStream: true, EndHeaders: len(rest) == 0})
	for len(rest) > 0 && err == nil {
		first, rest = rest[:min(most, len(rest))], rest[min(most, len(rest)):]
		err = framer.WriteContinuation(stream, len(rest) == 0, first)
	}
	return err == nil
}

// TestManyConnections shows that whoever keeps all connections open that one machine may have,
// from as many of its addresses as they like, keeps nobody out.
func TestManyConnections(t *testing.T) {
	p := demo(t, "--max-open", "40")
	host := strings.TrimPrefix(p.Origin(), "http://")
	var held []net.Conn
	for n := range 60 {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(60+n/15))}}
		conn, err := d.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(soon)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "GET /-/livez HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReaderSize(conn, 16).ReadString(' '); line != "HTTP/1.1 " {
			t.Fatalf("connection %d is kept out: %q, %v", n, line, err)
		}
		held = append(held, conn)
	}
	if page := fetch(t, http.DefaultClient, p.Origin()+"/pods"); !strings.Contains(page, "Watchglass") {
		t.Errorf("somebody else gets %q", page)
	}
	closed := 0
	for _, conn := range held[:50] { // the others may be open still
		if _, err := io.Copy(io.Discard, conn); err == nil || errors.Is(err, syscall.ECONNRESET) {
			closed++
		}
	}
	if closed != 50 {
		t.Errorf("one machine had %d connections more than a quarter of 40", 50-closed)
	}
}
