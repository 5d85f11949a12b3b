//go:build !js

package static

import (
	"mime"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

// TestContentTypes checks that a file's type does not depend on what the machine calls it.
func TestContentTypes(t *testing.T) {
	machine := mime.TypeByExtension(".css")
	if err := mime.AddExtensionType(".css", "application/x-css"); err != nil {
		t.Fatal(err)
	}
	defer mime.AddExtensionType(".css", machine)
	s, err := Open(fstest.MapFS{"index.html": {}, "files/style.ba9876543210.css": {Data: []byte("a{}")}})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.File(w, httptest.NewRequest("GET", "/", nil), "style.ba9876543210.css")
	if got := w.Header().Get("Content-Type"); w.Code != 200 || got != "text/css; charset=utf-8" {
		t.Errorf("%d, %q", w.Code, got)
	}
}

// TestOtherBuild asks for files of other builds: only for a script that the page has, too, is there one
// that loads the page again, and nothing stores it.
func TestOtherBuild(t *testing.T) {
	s, err := Open(fstest.MapFS{"index.html": {}, "files/boot.ba9876543210.js": {Data: []byte("ours")}, "files/app.ba9876543210.wasm.br": {}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"boot.ba9876543210.js":    "200 ours",
		"boot.0123456789ab.js":    "200 tries again",
		"boot.0123456789ab.js.br": "404",
		"boot.js":                 "404",
		"boot.0123.js":            "404",
		"cart.0123456789ab.js":    "404",
		"app.0123456789ab.wasm":   "404",
	} {
		w := httptest.NewRecorder()
		s.File(w, httptest.NewRequest("GET", "/-/files/"+name, nil), name)
		got := strings.TrimSuffix(w.Result().Status, " Not Found")
		if w.Code == 200 {
			got = "200 " + w.Body.String()
		}
		if w.Body.String() == reloadScript && w.Header().Get("Cache-Control") == "no-store" && strings.HasPrefix(w.Header().Get("Content-Type"), "text/javascript") {
			got = "200 tries again"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
