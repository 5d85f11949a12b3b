//go:build !js

package edge

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"watchglass/internal/edge/session"
)

// TestPeers runs what let strangers into other views of a cluster. Each name begins with the issue,
// as e2e/PEERS.md lists it.
func TestPeers(t *testing.T) {
	t.Run("headlamp-2207 behind a proxy that signs in nobody is asked again", testFront)
	t.Run("octant-2384 a reverse proxy that rewrites the Host", testRewrittenHost)
	for name, c := range map[string]struct {
		edit func(*http.Request)
		code int
	}{
		"headlamp-6796 a page of another site":   {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example"); r.Header.Del("Sec-Fetch-Site") }, 403},
		"kueue-12734 a socket without an Origin": {func(r *http.Request) { r.Header.Del("Origin"); r.Header.Del("Sec-Fetch-Site") }, 403},
		"kubetail-1158 a page of the same site":  {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		"kubetail-1117 a Host in X-Forwarded-Host": {func(r *http.Request) {
			r.Header.Set("Origin", "http://evil.example")
			r.Header.Set("X-Forwarded-Host", "evil.example")
			r.Header.Set("X-Forwarded-Proto", "http")
		}, 403},
		"devframe-319 a name that begins like an address": {func(r *http.Request) {
			r.Host = "127.evil.example:8001"
			r.Header.Set("Origin", "http://127.evil.example:8001")
		}, 421},
		"aspire-19484 a rebound name that is Host and Origin": {func(r *http.Request) {
			r.Host = "evil.example:8001"
			r.Header.Set("Origin", "http://evil.example:8001")
		}, 421},
		"dashboard-2412 a socket without a session": {func(r *http.Request) { r.Header.Del("Cookie") }, 401},
	} {
		t.Run(name, func(t *testing.T) { opensNoSocket(t, c.edit, c.code) })
	}
}

// opensNoSocket signs a browser in, and then changes the request of its socket.
func opensNoSocket(t *testing.T, edit func(*http.Request), want int) {
	token := session.NewSecret()
	v := newBrowser(t, NewLocal(listen, token, Options{Key: session.NewKey(), Hosts: NewHosts(listen)}), here)
	v.want("in", v.login(token), http.StatusOK)
	code, _ := v.socket()
	v.want("the socket as it should be", code, http.StatusTeapot)
	v.edit = edit
	code, _ = v.socket()
	v.want("the socket", code, want)
	v.edit = func(*http.Request) {}
	code, _ = v.socket()
	v.want("the socket again", code, http.StatusTeapot)
}

// testRewrittenHost names the Host that a reverse proxy sends. Pages still have to be those of the
// public address.
func testRewrittenHost(t *testing.T) {
	u, err := url.Parse("https://wg.example.com")
	if err != nil {
		t.Fatal(err)
	}
	h := PublicHosts(u, "watchglass.default.svc")
	for _, c := range []struct {
		host, origin string
		want         bool
	}{
		{"watchglass.default.svc", "https://wg.example.com", true},
		{"wg.example.com", "https://wg.example.com", true},
		{"watchglass.default.svc", "http://watchglass.default.svc", false},
		{"watchglass.default.svc", "https://evil.example", false},
		{"other.default.svc", "https://wg.example.com", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = c.host
		r.Header.Set("Origin", c.origin)
		if got := h.Origin(r); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
