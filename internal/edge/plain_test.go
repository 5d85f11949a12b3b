//go:build !js

package edge

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestPlain checks which requests are unambiguous.
func TestPlain(t *testing.T) {
	plain := Plain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for _, c := range []struct {
		method, path, body string
		code               int
	}{
		{"GET", "/", "", 200},
		{"GET", "/pods", "", 200},
		{"GET", "/-/", "", 200},
		{"GET", "/pods%2F..%2Fsecrets", "", 404},
		{"GET", "/%2Fevil.example", "", 404}, // which becomes //evil.example
		{"GET", "/%2F%2Fevil.example", "", 404},
		{"GET", "/%5Cevil.example", "", 404},
		{"GET", "/pods%2F", "", 404},
		{"GET", "/-%2Fsocket", "", 404},
		{"GET", "/p%C3%B6ds", "", 200},
		{"GET", "/widgets.example.com", "", 200},
		{"GET", "//", "", 404},
		{"GET", "/pods//", "", 404},
		{"GET", "/.", "", 404},
		{"GET", "/a/../pods", "", 404},
		{"GET", "/a/..", "", 404},
		{"OPTIONS", "*", "", 404},
		{"POST", "/-/login", "token", 200},
		{"POST", "/-/../login", "token", 404},
		{"GET", "/pods", "x", 400},
		{"HEAD", "/pods", "x", 400},
	} {
		r := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
		u, err := r.URL.Parse("/")
		if err != nil {
			t.Fatal(err)
		}
		if u.Path, err = url.PathUnescape(c.path); err != nil {
			t.Fatal(err)
		}
		u.RawPath = c.path
		r.URL = u
		w := httptest.NewRecorder()
		plain.ServeHTTP(w, r)
		if w.Code != c.code {
			t.Errorf("%s %s %q: %d, want %d", c.method, c.path, c.body, w.Code, c.code)
		}
	}
}

// TestChunked checks that a chunked request is refused and its connection closed: it may also have
// a length, which another server on the way used.
func TestChunked(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/-/login", strings.NewReader("token"))
	r.TransferEncoding = []string{"chunked"}
	w := httptest.NewRecorder()
	Plain(http.NotFoundHandler()).ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || w.Header().Get("Connection") != "close" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}
