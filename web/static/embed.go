//go:build !js

// Package static holds the page's files: what is written by hand beside this
// file, and the built site under dist. In: the output of web/static/build. Out:
// the files as the proxy serves them, compressed, named by what is in them.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Site is the built site.
type Site struct {
	files   fs.FS
	version string
}

// ErrNotBuilt says that dist is empty.
var ErrNotBuilt = errors.New("the page has not been built: run 'make build'")

// Built returns the site that was embedded.
func Built() (*Site, error) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	return Open(files)
}

// Open returns the site in a folder.
func Open(files fs.FS) (*Site, error) {
	page, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return nil, ErrNotBuilt
	}
	sum := sha256.Sum256(page)
	return &Site{files, hex.EncodeToString(sum[:6])}, nil
}

// Version is another for every other content: the page names its files by theirs.
func (s *Site) Version() string { return s.version }

// Named is the path of a file below the base, by the name it was built from.
func (s *Site) Named(name string) string {
	stem, ext := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	found, err := fs.Glob(s.files, "files/"+stem+".*"+ext)
	if err != nil || len(found) == 0 {
		return "/-/files/" + name
	}
	return "/-/" + found[0]
}

// Page serves the page, whatever the address below it.
func (s *Site) Page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		s.serve(w, r, "index.html")
	})
}

// File serves one of the files, which never change: another content has another
// name.
func (s *Site) File(w http.ResponseWriter, r *http.Request, name string) {
	if name != path.Base(name) || !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	s.serve(w, r, path.Join("files", name))
}

// encodings that are built, the best first.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

func (s *Site) serve(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Vary", "Accept-Encoding")
	for _, e := range encodings {
		if !accepts(r, e.name) {
			continue
		}
		if body, err := fs.ReadFile(s.files, name+e.suffix); err == nil {
			h.Set("Content-Encoding", e.name)
			s.write(w, r, body)
			return
		}
	}
	body, err := s.plain(name)
	if err != nil {
		h.Del("Content-Type")
		h.Del("Cache-Control")
		http.NotFound(w, r)
		return
	}
	s.write(w, r, body)
}

func (s *Site) write(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that went is no error of ours
	}
}

// plain is a file uncompressed; large ones are kept compressed only.
func (s *Site) plain(name string) ([]byte, error) {
	body, err := fs.ReadFile(s.files, name)
	if err == nil {
		return body, nil
	}
	zipped, err := fs.ReadFile(s.files, name+".gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func contentType(name string) string {
	if strings.HasSuffix(name, ".wasm") {
		return "application/wasm"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// accepts reports whether a client takes an encoding: it names it, and not with
// a weight of nothing.
func accepts(r *http.Request, encoding string) bool {
	for _, header := range r.Header.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(header, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
			weight = strings.ReplaceAll(weight, " ", "")
			if strings.EqualFold(strings.TrimSpace(name), encoding) && weight != "q=0" && weight != "q=0.0" && weight != "q=0.00" && weight != "q=0.000" {
				return true
			}
		}
	}
	return false
}
