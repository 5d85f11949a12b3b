//go:build !js

package edge

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
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

func TestOrigin(t *testing.T) {
	h := NewHosts(listen)
	for _, c := range []struct {
		host, origin string
		tls, want    bool
	}{
		{"127.0.0.1:8001", "http://127.0.0.1:8001", false, true},
		{"localhost:8001", "http://LOCALHOST:8001", false, true},
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

func TestKey(t *testing.T) {
	k, now := NewKey(), time.Now()
	value := k.sign("8001", now.Add(time.Hour))
	for name, c := range map[string]struct {
		key     Key
		purpose string
		value   string
		at      time.Time
		want    bool
	}{
		"good":              {k, "8001", value, now, true},
		"another port":      {k, "8002", value, now, false},
		"another key":       {NewKey(), "8001", value, now, false},
		"too late":          {k, "8001", value, now.Add(2 * time.Hour), false},
		"changed":           {k, "8001", "A" + value[1:], now, false},
		"longer life":       {k, "8001", k.sign("8002", now.Add(9*time.Hour)), now, false},
		"empty":             {k, "8001", "", now, false},
		"short":             {k, "8001", value[:20], now, false},
		"something else":    {k, "8001", "not base64 !", now, false},
		"longer than it is": {k, "8001", value + "AAAA", now, false},
	} {
		if got := c.key.verify(c.purpose, c.value, c.at); got != c.want && !(name == "changed" && value[0] == 'A') {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if a, b := Token(), Token(); a == b || len(a) < 43 {
		t.Errorf("tokens %q %q", a, b)
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
	if _, err := LoadKey(file); err == nil || !strings.Contains(err.Error(), "is no key") {
		t.Fatal(err)
	}
}

// door runs a request through one of the doors of a launch.
func door(l *Local, which func(http.Handler) http.Handler, edit func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/-/socket", nil)
	r.Host = "127.0.0.1:8001"
	r.Header.Set("Origin", "http://127.0.0.1:8001")
	edit(r)
	w := httptest.NewRecorder()
	which(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })).ServeHTTP(w, r)
	return w
}

func login(l *Local, body string, edit func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/-/login", strings.NewReader(body))
	r.Host = "127.0.0.1:8001"
	r.Header.Set("Origin", "http://127.0.0.1:8001")
	edit(r)
	w := httptest.NewRecorder()
	l.Login().ServeHTTP(w, r)
	return w
}

func TestLocal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key, token := NewKey(), Token()
		l := NewLocal(listen, token, key)
		same := func(*http.Request) {}
		w := login(l, token, same)
		cookies := w.Result().Cookies()
		if w.Code != http.StatusNoContent || len(cookies) != 1 {
			t.Fatal(w.Code, cookies)
		}
		c := cookies[0]
		if c.Name != "watchglass-8001" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.Path != "/" || c.Domain != "" || strings.Contains(c.Value, token) {
			t.Fatalf("%+v", c)
		}
		with := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value}) }
		codes := map[string]int{
			"socket":               door(l, l.Socket, with).Code,
			"page":                 door(l, l.Page, same).Code,
			"renew":                login(l, "", with).Code,
			"after a new start":    door(l, NewLocal(listen, Token(), key).Socket, with).Code,
			"the key was changed":  door(l, NewLocal(listen, token, NewKey()).Socket, with).Code,
			"no cookie":            door(l, l.Socket, same).Code,
			"cross-site":           door(l, l.Socket, func(r *http.Request) { with(r); r.Header.Set("Origin", "http://evil.example") }).Code,
			"no Origin":            door(l, l.Socket, func(r *http.Request) { with(r); r.Header.Del("Origin") }).Code,
			"rebound":              door(l, l.Socket, func(r *http.Request) { with(r); r.Host = "evil.example:8001" }).Code,
			"rebound page":         door(l, l.Page, func(r *http.Request) { r.Host = "evil.example:8001" }).Code,
			"POST to the page":     door(l, l.Page, func(r *http.Request) { r.Method = http.MethodPost }).Code,
			"wrong token":          login(l, Token(), same).Code,
			"no token":             login(l, "", same).Code,
			"long token":           login(l, strings.Repeat("x", maxToken+1), same).Code,
			"login cross-site":     login(l, token, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }).Code,
			"login without Origin": login(l, token, func(r *http.Request) { r.Header.Del("Origin") }).Code,
			"login rebound":        login(l, token, func(r *http.Request) { r.Host = "evil.example:8001" }).Code,
			"login by GET":         login(l, token, func(r *http.Request) { r.Method = http.MethodGet }).Code,
			"another port's": door(l, l.Socket, func(r *http.Request) {
				r.AddCookie(&http.Cookie{Name: "watchglass-8001", Value: key.sign("8002", time.Now().Add(time.Hour))})
			}).Code,
		}
		for name, want := range map[string]int{
			"socket": 418, "page": 418, "renew": 204, "after a new start": 418, "the key was changed": 401, "no cookie": 401,
			"cross-site": 403, "no Origin": 403, "rebound": 421, "rebound page": 421, "POST to the page": 405,
			"wrong token": 401, "no token": 401, "long token": 413, "login cross-site": 403, "login without Origin": 403,
			"login rebound": 421, "login by GET": 405, "another port's": 401,
		} {
			if codes[name] != want {
				t.Errorf("%s: want %d, got %d", name, want, codes[name])
			}
		}
		time.Sleep(cookieFor)
		if code := door(l, l.Socket, with).Code; code != 401 {
			t.Errorf("a cookie past its time: %d", code)
		}
	})
}

func TestStrict(t *testing.T) {
	w := httptest.NewRecorder()
	Strict(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	csp := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types watchglass"} {
		if !strings.Contains(csp, want) {
			t.Errorf("no %s in %s", want, csp)
		}
	}
	if strings.Contains(csp, "unsafe-inline") || strings.Contains(csp, "'unsafe-eval'") || strings.Contains(csp, "*") {
		t.Errorf("a hole in %s", csp)
	}
}
