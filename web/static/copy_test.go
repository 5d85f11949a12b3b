//go:build !js

package static

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// built returns a site as the build makes it, with a program of some content.
func built(t *testing.T, hash string) *Site {
	t.Helper()
	page, err := os.ReadFile("index.html")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	files := fstest.MapFS{"licenses.txt.gz": {Data: []byte("licenses")}}
	for _, name := range []string{"app.wasm", "wasm_exec.js", "paint.js", "session.js", "signin.js", "frame.js", "glimpse.js", "copy.js", "disk.js", "visits.js", "boot.js", "worker.js", "style.css", "icon.svg"} {
		stem, ext, _ := strings.Cut(name, ".")
		hashed := "files/" + stem + "." + hash + "." + ext
		text = strings.ReplaceAll(text, "{{"+name+"}}", "-/"+hashed)
		if ext != "wasm" {
			files[hashed] = &fstest.MapFile{Data: []byte(name)}
		}
		files[hashed+".br"], files[hashed+".gz"] = &fstest.MapFile{Data: []byte("br " + name)}, &fstest.MapFile{Data: []byte("gz " + name)}
	}
	for _, suffix := range []string{"", ".br", ".gz"} {
		files["index.html"+suffix] = &fstest.MapFile{Data: []byte(text)}
	}
	s, err := Open(files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// content returns the names of the files below a folder.
func content(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCopy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "copy")
	const first, second = "0123456789ab", "ba9876543210"
	if err := built(t, first).Copy(dir, ""); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "-", "files", "notes.txt") // the user's
	if err := os.WriteFile(own, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := built(t, second).Copy(dir, `a"b.watchglass`); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{"app", "boot", "copy", "disk", "icon", "paint", "style", "visits", "wasm_exec", "worker"} {
		ext := map[string]string{"app": "wasm.bin", "icon": "svg", "style": "css"}[name]
		if ext == "" {
			ext = "js"
		}
		want = append(want, "-/files/"+name+"."+second+"."+ext)
	}
	want = append(want, "-/files/notes.txt", "index.html")
	slices.Sort(want)
	if got := content(t, dir); !slices.Equal(got, want) {
		t.Errorf("the copy has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"session.", "frame.", `"/-/`, "app." + second + `.wasm"`} {
		if strings.Contains(string(page), part) {
			t.Errorf("the page of the copy has %s:\n%s", part, page)
		}
	}
	for _, part := range []string{`data-recording="a&#34;b.watchglass"`, `http-equiv="Content-Security-Policy"`, `data-wasm="-/files/app.` + second + `.wasm.bin"`, `data-session="-/files/copy.` + second + `.js"`} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page of the copy lacks %s:\n%s", part, page)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "-", "files", "app."+second+".wasm.bin")); err != nil || string(b) != "gz app.wasm" {
		t.Errorf("the program: %q %v", b, err)
	}
}

func TestCopyRefuses(t *testing.T) {
	s := built(t, "0123456789ab")
	for name, file := range map[string]string{"somebody's page": "index.html", "a file": "notes.txt"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), []byte("<html lang=en>"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.Copy(dir, ""); !errors.Is(err, ErrNotCopy) {
			t.Errorf("%s: %v", name, err)
		}
		if got := content(t, dir); len(got) != 1 {
			t.Errorf("%s: %v was written", name, got)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(file, ""); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// TestReplaying holds that no client gets the page of a cluster, whichever encoding it accepts.
func TestReplaying(t *testing.T) {
	s := built(t, "0123456789ab")
	r, err := s.Replaying()
	if err != nil {
		t.Fatal(err)
	}
	for name := range s.bodies {
		load, ok := r.bodies[name]
		switch {
		case strings.HasPrefix(name, "index.html."):
			if ok {
				t.Errorf("%s is served", name)
			}
		case !ok:
			t.Errorf("%s is missing", name)
		case name == "index.html":
			if page, err := load(); err != nil || !strings.Contains(string(page), `<html data-recording="recording" `) {
				t.Errorf("%s %v", page, err)
			}
		}
	}
}
