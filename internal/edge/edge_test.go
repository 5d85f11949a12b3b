//go:build !js

package edge

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var listen = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8001}

func TestHost(t *testing.T) {
	h := NewHosts(listen, "wg.example.com", "other.example.com:8443")
	for host, want := range map[string]bool{
		"127.0.0.1:8001": true, "localhost:8001": true, "LocalHost:8001": true, "localhost.:8001": true, "[::1]:8001": true,
		"wg.example.com": true, "WG.example.com.": true, "wg.example.com:80": true, "other.example.com:8443": true,
		"127.0.0.1": false, "127.0.0.1:8002": false, "localhost": false, "evil.example": false, "evil.example:8001": false,
		"127.0.0.1.evil.example:8001": false, "127.evil.example:8001": false, "localhost.evil.example:8001": false,
		"0.0.0.0:8001": false, "2130706433:8001": false, "127.0.0.1:8001:8001": false, "": false, "wg.example.com:8001": false,
		"evilwg.example.com": false, "wg.example.com.evil.example": false, "[::1]": false, "::1:8001": false, "other.example.com": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		if got := h.Host(r); got != want {
			t.Errorf("Host %q: want %v, got %v", host, want, got)
		}
	}
}

// TestHostOfOne checks that localhost does not stand for other loopback addresses.
func TestHostOfOne(t *testing.T) {
	h := NewHosts(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 7), Port: 8001})
	for host, want := range map[string]bool{"127.0.0.7:8001": true, "localhost:8001": false, "127.0.0.1:8001": false, "[::1]:8001": false} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		if got := h.Host(r); got != want {
			t.Errorf("Host %q: want %v, got %v", host, want, got)
		}
	}
}

func TestOrigin(t *testing.T) {
	h := NewHosts(listen)
	for _, c := range []struct {
		host, origin string
		tls, want    bool
	}{
		{"127.0.0.1:8001", "http://127.0.0.1:8001", false, true},
		{"localhost:8001", "http://localhost:8001", false, true},
		{"LocalHost:8001", "http://localhost:8001", false, true},
		{"localhost.:8001", "http://localhost.:8001", false, true},
		{"localhost:8001", "http://LOCALHOST:8001", false, false},
		{"localhost:8001", "http://localhost.:8001", false, false},
		{"[::1]:8001", "http://[::1]:8001", false, true},
		{"127.0.0.1:8001", "https://127.0.0.1:8001", true, true},
		{"127.0.0.1:8001", "https://127.0.0.1:8001", false, false},
		{"127.0.0.1:8001", "http://127.0.0.1:8001", true, false},
		{"127.0.0.1:8001", "http://localhost:8001", false, false},
		{"127.0.0.1:8001", "http://127.0.0.1:8002", false, false},
		{"127.0.0.1:8001", "http://127.0.0.1", false, false},
		{"127.0.0.1:8001", "http://127.0.0.1:8001/", false, false},
		{"127.0.0.1:8001", "http://127.0.0.1:8001.evil.example", false, false},
		{"127.0.0.1:8001", "http://evil.example", false, false},
		{"127.0.0.1:8001", "http://user@127.0.0.1:8001", false, false},
		{"127.0.0.1:8001", "null", false, false},
		{"127.0.0.1:8001", "", false, false},
		{"127.0.0.1:8001", "127.0.0.1:8001", false, false},
		{"127.0.0.1:8001", "file://", false, false},
		{"evil.example", "http://evil.example", false, false},
		{"evil.example:8001", "http://evil.example:8001", false, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.tls {
			r.TLS = new(tls.ConnectionState)
		}
		if got := h.Origin(r); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
	twice := httptest.NewRequest(http.MethodGet, "/", nil)
	twice.Host = "127.0.0.1:8001"
	twice.Header["Origin"] = []string{"http://127.0.0.1:8001", "http://evil.example"}
	if h.Origin(twice) {
		t.Error("two Origins were accepted")
	}
}

func TestStrict(t *testing.T) {
	w := httptest.NewRecorder()
	Strict(true, http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	csp := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types watchglass"} {
		if !strings.Contains(csp, want) {
			t.Errorf("no %s in %s", want, csp)
		}
	}
	if w.Header().Get("Strict-Transport-Security") == "" {
		t.Error("browsers are not held to https")
	}
	if strings.Contains(csp, "unsafe-inline") || strings.Contains(csp, "'unsafe-eval'") || strings.Contains(csp, "*") {
		t.Errorf("a hole in %s", csp)
	}
}
