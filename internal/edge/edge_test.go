//go:build !js

package edge

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

func TestSeal(t *testing.T) {
	k := NewKey()
	sealed := k.seal("a", []byte("plain"))
	if again := k.seal("a", []byte("plain")); again == sealed || strings.Contains(sealed, "plain") {
		t.Error("what is sealed shows")
	}
	if plain, err := k.open("a", sealed); err != nil || string(plain) != "plain" {
		t.Fatal(plain, err)
	}
	last := "A"
	if strings.HasSuffix(sealed, last) {
		last = "Q"
	}
	for name, c := range map[string]struct {
		key         Key
		use, sealed string
	}{
		"for another use": {k, "b", sealed}, "of a purpose": {k.For("a"), "a", sealed}, "another key": {NewKey(), "a", sealed}, "changed": {k, "a", sealed[:len(sealed)-1] + last},
		"longer": {k, "a", sealed + "AAAA"}, "shorter": {k, "a", sealed[:20]}, "nothing": {k, "a", ""}, "no base64": {k, "a", "not base64 !"},
	} {
		if _, err := c.key.open(c.use, c.sealed); err == nil {
			t.Errorf("%s: it opens", name)
		}
	}
	if a, b := Token(), Token(); a == b || len(a) < 43 {
		t.Errorf("tokens %q %q", a, b)
	}
	s := Session{ID: Token()}
	if p := k.Proof(s); !k.proves(s, p) || k.proves(s, "") || k.proves(Session{ID: Token()}, p) || NewKey().proves(s, p) || strings.Contains(p, s.ID) {
		t.Error("the proof proves something else")
	}
	renewed := s
	renewed.Made, renewed.Expires = time.Now(), time.Now()
	visit := k.Visit(s)
	if visit != k.Visit(renewed) || visit == k.Visit(Session{ID: Token()}) || visit == NewKey().Visit(s) || visit == k.For("a").Visit(s) || strings.Contains(visit, s.ID) {
		t.Error("the key of the visit is that of another session, or no longer its own")
	}
}

func TestLoadKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "key")
	k, err := LoadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := LoadKey(file); err != nil || again != k {
		t.Fatal("another key", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(file); err == nil || !strings.Contains(err.Error(), "is not a key") {
		t.Fatal(err)
	}
}

// TestKeyFile checks which files are accepted as keys: random bytes that nobody else can read.
func TestKeyFile(t *testing.T) {
	key := NewKey()
	inBase64 := []byte(base64.StdEncoding.EncodeToString(key[:]) + "\n")
	for name, c := range map[string]struct {
		text        []byte
		mode        os.FileMode
		own, shared string // words of the error
	}{
		"as openssl writes it": {key[:], 0o600, "", ""},
		"in base64":            {inBase64, 0o400, "", ""},
		"of a mounted Secret":  {inBase64, 0o440, "by others", ""},
		"that all may read":    {key[:], 0o644, "by others", "by others"},
		"that a group writes":  {key[:], 0o620, "by others", "by others"},
		"that all may write":   {key[:], 0o602, "by others", "by others"},
		"of zeros":             {make([]byte, 32), 0o600, "not random", "not random"},
		"of zeros in base64":   {[]byte(base64.StdEncoding.EncodeToString(make([]byte, 32))), 0o600, "not random", "not random"},
		"of one byte":          {bytes.Repeat([]byte{7}, 32), 0o600, "not random", "not random"},
		"that is too short":    {key[:31], 0o600, "is not a key", "is not a key"},
		"that is empty":        {nil, 0o600, "is not a key", "is not a key"},
		"that is a whole disk": {make([]byte, 1<<20), 0o600, "is not a key", "is not a key"},
	} {
		file := filepath.Join(t.TempDir(), "key")
		if err := errors.Join(os.WriteFile(file, c.text, 0o600), os.Chmod(file, c.mode)); err != nil {
			t.Fatal(err)
		}
		for _, r := range []struct {
			read func(string) (Key, error)
			want string
		}{{ReadKey, c.own}, {ReadSharedKey, c.shared}} {
			got, err := r.read(file)
			if r.want == "" && (err != nil || got != key) || r.want != "" && (err == nil || !strings.Contains(err.Error(), r.want)) {
				t.Errorf("a file %s: %v, want %q", name, err, r.want)
			}
		}
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
