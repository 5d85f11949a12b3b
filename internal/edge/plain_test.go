//go:build !js

package edge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPlain shows which requests mean one thing.
func TestPlain(t *testing.T) {
	door := Plain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for _, c := range []struct {
		method, path, body string
		code               int
	}{
		{"GET", "/", "", 200},
		{"GET", "/pods", "", 200},
		{"GET", "/-/", "", 200},
		{"GET", "/pods%2F..%2Fsecrets", "", 200}, // one segment, whatever it looks like
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
		u.Path, u.RawPath = strings.ReplaceAll(c.path, "%2F", "/"), c.path
		r.URL = u
		w := httptest.NewRecorder()
		door.ServeHTTP(w, r)
		if w.Code != c.code {
			t.Errorf("%s %s %q: %d, want %d", c.method, c.path, c.body, w.Code, c.code)
		}
	}
}
