//go:build !js

package static

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Replaying returns the site with a page that shows the proxy's recording instead of a cluster.
func (s *Site) Replaying() (*Site, error) {
	page, err := s.marked("recording")
	if err != nil {
		return nil, err
	}
	out := &Site{maps.Clone(s.bodies), s.version}
	for _, e := range encodings {
		delete(out.bodies, indexFile+e.suffix)
	}
	out.bodies[indexFile] = func() ([]byte, error) { return page, nil }
	return out, nil
}

const indexFile = "index.html"

// marked returns a page that connects to no cluster. It shows the recording of a name; without a name, it
// asks for a file.
func (s *Site) marked(recording string) ([]byte, error) {
	load, ok := s.bodies[indexFile]
	if !ok {
		return nil, ErrNotBuilt
	}
	page, err := load()
	if err != nil {
		return nil, err
	}
	return replaceOnce(page, `<html `, `<html `+recordingMark(recording))
}

func recordingMark(recording string) string {
	return `data-recording="` + html.EscapeString(recording) + `" `
}

// Publishes reports whether a folder is a copy of the page that shows the recording of a name beside it.
func Publishes(dir, recording string) bool {
	page, err := os.ReadFile(filepath.Join(dir, indexFile))
	return err == nil && bytes.Contains(page, []byte(copyMark+recordingMark(recording)))
}

// replaceOnce replaces a text that must occur exactly once.
func replaceOnce(page []byte, old, new string) ([]byte, error) {
	if bytes.Count(page, []byte(old)) != 1 {
		return nil, fmt.Errorf("the page was not built by this version: it does not contain %q exactly once", old)
	}
	return bytes.Replace(page, []byte(old), []byte(new), 1), nil
}

// copyMark is in the page of each copy. It identifies a folder as a copy.
const copyMark = `<html data-copy `

// copyPolicy is the part of the page's policy that a document can set for itself. It can't restrict who
// shows the page in a frame, and does not cover the worker, which has the policy of its own response:
// none.
const copyPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types watchglass"

// ErrNotCopy means that a folder has files but is not a copy.
var ErrNotCopy = errors.New("the folder is neither empty nor a copy of the page")

// copied matches the names of a copy's files, except its page.
var copied = regexp.MustCompile(`^[a-z_]+\.[0-9a-f]{12}\.(js|css|svg|wasm\.bin)$`)

// Copy writes a copy of the page to a folder, for any web server. It replaces an earlier copy. The copy
// shows the recording of a name in the same folder; if the name is empty, it asks for a file.
func (s *Site) Copy(dir, recording string) error {
	page, err := s.copyPage(recording)
	if err != nil {
		return err
	}
	if err := clearCopy(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "-", "files"), 0o755); err != nil {
		return err
	}
	for name := range s.bodies {
		if file, ok := strings.CutPrefix(name, "files/"); ok {
			if err := s.copyFile(dir, file); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, indexFile), page, 0o644) // last, so that the files it names exist
}

// copyPage returns the page of a copy.
func (s *Site) copyPage(recording string) ([]byte, error) {
	page, err := s.marked(recording)
	for _, r := range [][2]string{
		{`<html `, copyMark},
		{`<meta charset="utf-8">`, `<meta charset="utf-8">` + "\n" + `<meta http-equiv="Content-Security-Policy" content="` + copyPolicy + `">` + "\n" + `<meta name="referrer" content="no-referrer">`},
		{`<script src="` + s.inPage("frame.js") + `" defer></script>` + "\n", ""},
		{`<script src="` + s.inPage("glimpse.js") + `" defer></script>` + "\n", ""},
		{`<script src="` + s.inPage("session.js") + `"`, `<script src="` + s.inPage("copy.js") + `"`},
		{`data-session="` + s.inPage("session.js") + `"`, `data-session="` + s.inPage("copy.js") + `"`},
		{`<link rel="preload" href="` + s.inPage("app.wasm"), `<link rel="preload" href="` + s.inPage("app.wasm") + ".bin"},
		{`data-wasm="` + s.inPage("app.wasm"), `data-wasm="` + s.inPage("app.wasm") + ".bin"},
	} {
		if err == nil {
			page, err = replaceOnce(page, r[0], r[1])
		}
	}
	return page, err
}

// inPage returns the address of a file in the page, given its name before the build.
func (s *Site) inPage(name string) string { return strings.TrimPrefix(s.Named(name), "/") }

// copyFile writes one of the site's files. It leaves out files that only a proxy needs, and all forms of
// the program, which is large, except the gzipped one.
func (s *Site) copyFile(dir, file string) error {
	to := file
	switch {
	case strings.HasSuffix(file, ".wasm.gz"):
		to = strings.TrimSuffix(file, ".gz") + ".bin"
	case path.Ext(file) == ".br", path.Ext(file) == ".gz", path.Ext(file) == ".wasm":
		return nil
	case strings.HasPrefix(file, "session."), strings.HasPrefix(file, "signin."), strings.HasPrefix(file, "frame."), strings.HasPrefix(file, "glimpse."):
		return nil
	}
	body, err := s.bodies["files/"+file]()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "-", "files", to), body, 0o644)
}

// clearCopy removes the files of an earlier copy, whose names differ. It removes no other files, and fails
// if the folder is not empty and not a copy.
func clearCopy(dir string) error {
	there, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(there) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(dir, indexFile))
	if err != nil || !bytes.Contains(page, []byte(copyMark)) {
		return fmt.Errorf("%s: %w", dir, ErrNotCopy)
	}
	files := filepath.Join(dir, "-", "files")
	old, err := os.ReadDir(files)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range old {
		if err == nil && e.Type().IsRegular() && copied.MatchString(e.Name()) {
			err = os.Remove(filepath.Join(files, e.Name()))
		}
	}
	return err
}
