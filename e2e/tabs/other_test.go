package tabs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// otherHash stands in the other build's file names instead of the hash of the content.
const otherHash = ".0123456789ab."

// buildOther builds the proxy with a page whose files have other names, as another release's
// have.
func buildOther(t *testing.T) (binary string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	binary = filepath.Join(dir, "watchglass")
	c := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-overlay", overlay(t, filepath.Join(root, "web", "static", "dist"), dir), "-o", binary, "./proxy")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

// overlay writes what the compiler needs in order to embed the built page under other file
// names.
func overlay(t *testing.T, dist, dir string) (path string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dist, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dist, "files", "*"))
	if err != nil {
		t.Fatal(err)
	}
	text, path := string(page), filepath.Join(dir, "overlay.json")
	replace := map[string]string{"index.html": filepath.Join(dir, "index.html"), "index.html.br": "", "index.html.gz": ""}
	for _, file := range files {
		stem, rest, _ := strings.Cut(filepath.Base(file), ".")
		hash, ext, _ := strings.Cut(rest, ".")
		text = strings.ReplaceAll(text, stem+"."+hash+".", stem+otherHash)
		replace[filepath.Join("files", filepath.Base(file))] = ""
		replace[filepath.Join("files", stem+otherHash+ext)] = file
	}
	write(t, replace["index.html"], []byte(text))
	whole := make(map[string]string)
	for name, file := range replace {
		whole[filepath.Join(dist, name)] = file
	}
	doc, err := json.Marshal(map[string]any{"Replace": whole})
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, doc)
	return path
}

func write(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}
