//go:build !js

// Package static holds the page's files: those written by hand beside this file, and the built
// site in dist.
//
// In: the output of web/static/build. Out: the files as the proxy serves them, compressed and
// named by their content.
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
	bodies  map[string]func() ([]byte, error) // of files, each read once, on first use
	version string
}

// ErrNotBuilt means that dist is empty.
var ErrNotBuilt = errors.New("the page has not been built: run 'make build'")

// Built returns the embedded site.
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

// Version returns a version that differs whenever the content differs, because the page names its
// files by their content.
func (s *Site) Version() string { return s.version }

// Named returns the path below the base of a file, given its name before the build.
func (s *Site) Named(name string) string {
	stem, ext := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	for file := range s.bodies {
		file = strings.TrimSuffix(strings.TrimSuffix(file, ".br"), ".gz") // large files are built only compressed
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

// Page serves the page at any address below the base.
func (s *Site) Page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		s.serve(w, r, "index.html")
	})
}

// reloadScript is served instead of a script of another build. Several proxies may serve one address, and during a
// rollout, a page may come from one build and a request for its files reach another. The page is loaded again, twenty
// times at most, until it and its files are of one build. A worker asks its pages for that, and ends before they do:
// they would all find it again.
const reloadScript = `"use strict";
if (self.document) {
  let times = 0;
  try { sessionStorage.setItem("watchglass:reloads", (times = Number(sessionStorage.getItem("watchglass:reloads") ?? 0) + 1)); } catch {}
  if (times <= 20) self.watchglassAgain ||= setTimeout(() => { self.watchglassAgain = 0; location.reload(); }, 500 + 1500 * Math.random());
} else {
  self.watchglassAgain = true;
  const tell = (page) => page.postMessage({ again: true });
  if ("onconnect" in self) self.onconnect = ({ ports: [page] }) => { tell(page); setTimeout(() => self.close(), 300); };
  else tell(self);
}
`

// ofOtherBuild reports whether a name is that of one of the site's scripts in another build.
func (s *Site) ofOtherBuild(name string) bool {
	if _, ok := s.bodies["files/"+name]; ok || path.Ext(name) != ".js" {
		return false
	}
	stem, _, _ := strings.Cut(name, ".")
	ours := path.Base(s.Named(stem + ".js"))
	return ours != stem+".js" && ours != name && len(ours) == len(name)
}

// File serves a file. A file never changes: different content has a different name.
func (s *Site) File(w http.ResponseWriter, r *http.Request, name string) {
	if name != path.Base(name) || !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	if s.ofOtherBuild(name) {
		w.Header().Set("Content-Type", contentType(name))
		w.Header().Set("Cache-Control", "no-store")
		write(w, r, []byte(reloadScript))
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	s.serve(w, r, path.Join("files", name))
}

// encodings are the built ones, the best first. Large files are built only compressed.
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
	h.Set("Cache-Control", "no-store") // another proxy may have it
	if !there {
		h.Del("Content-Type")
		http.NotFound(w, r)
		return
	}
	http.Error(w, "this file is served compressed only: send Accept-Encoding: br or gzip", http.StatusNotAcceptable)
}

// A client must read each piece within stalled, which even a 64 kbit/s line can do. A slower client
// is disconnected, so that it does not hold a connection for longer.
const (
	piece   = 64 << 10
	stalled = 20 * time.Second
)

// Send sends a body of a size, in pieces.
func Send(w http.ResponseWriter, body io.Reader, size int64) {
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	control := http.NewResponseController(w)
	for err := error(nil); size > 0 && err == nil; size -= piece {
		_ = control.SetWriteDeadline(time.Now().Add(stalled)) // fails for a test's recorder
		_, err = io.CopyN(w, body, min(size, piece))
	}
}

// write writes a body that all clients share.
func write(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	control := http.NewResponseController(w)
	for part := range slices.Chunk(body, piece) {
		_ = control.SetWriteDeadline(time.Now().Add(stalled)) // fails for a test's recorder
		if _, err := w.Write(part); err != nil {
			return // the client has gone
		}
	}
}

// contentTypes are the types of the site's files by extension. They are not those of the mime
// package, which asks the machine: on Windows any program may have changed them in the registry,
// and a browser uses no style sheet or script of another type.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
	".wasm": "application/wasm",
}

// contentType returns the type of a file of the site.
func contentType(name string) string {
	if known, ok := contentTypes[path.Ext(name)]; ok {
		return known
	}
	return "application/octet-stream"
}

// accepts reports whether a client accepts an encoding: it names it, with a weight above 0.
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
