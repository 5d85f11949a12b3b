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
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed all:dist
var dist embed.FS

// Site is the built site.
type Site struct {
	bodies  map[string]func() ([]byte, error) // of files, each read once, when it is first asked for
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
	s := &Site{make(map[string]func() ([]byte, error)), hex.EncodeToString(sum[:6])}
	return s, fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.bodies[name] = sync.OnceValues(func() ([]byte, error) { return fs.ReadFile(files, name) })
		}
		return err
	})
}

// Version is another for every other content: the page names its files by theirs.
func (s *Site) Version() string { return s.version }

// Named is the path of a file below the base, by the name it was built from.
func (s *Site) Named(name string) string {
	stem, ext := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	for file := range s.bodies {
		if hash, ok := strings.CutPrefix(file, "files/"+stem+"."); ok && strings.HasSuffix(hash, ext) && !strings.Contains(strings.TrimSuffix(hash, ext), ".") {
			return "/-/" + file
		}
	}
	return "/-/files/" + name
}

// Licenses returns the licenses of the third-party software in the proxy and the page.
func (s *Site) Licenses() ([]byte, error) {
	load, ok := s.bodies["licenses.txt.gz"]
	if !ok {
		return nil, ErrNotBuilt
	}
	body, err := load()
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
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

// encodings that are built, the best first. Large files are built compressed only.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}, {"", ""}}

func (s *Site) serve(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Vary", "Accept-Encoding")
	there := false
	for _, e := range encodings {
		load, ok := s.bodies[name+e.suffix]
		there = there || ok
		if !ok || e.name != "" && !accepts(r, e.name) {
			continue
		}
		body, err := load()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if e.name != "" {
			h.Set("Content-Encoding", e.name)
		}
		write(w, r, body)
		return
	}
	h.Del("Cache-Control")
	if !there {
		h.Del("Content-Type")
		http.NotFound(w, r)
		return
	}
	http.Error(w, "this file is served compressed only: send Accept-Encoding: br or gzip", http.StatusNotAcceptable)
}

// A client has to read a piece of a file within stalled, be it over 64 kbit/s. Whoever
// does not is disconnected, and costs a connection for no longer.
const (
	piece   = 64 << 10
	stalled = 20 * time.Second
)

// write writes a body that all clients share.
func write(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	control := http.NewResponseController(w)
	for part := range slices.Chunk(body, piece) {
		_ = control.SetWriteDeadline(time.Now().Add(stalled)) // a recorder has none
		if _, err := w.Write(part); err != nil {
			return // the client has gone
		}
	}
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
