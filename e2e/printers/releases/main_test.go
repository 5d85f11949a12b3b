package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewest holds what was written down of the newest release to what it prints.
func TestNewest(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "internal", "object", "testdata", "releases")
	doc, err := stored(filepath.Join(folder, "objects.json"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "../table")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(doc), os.Stderr
	tables, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := written(tables)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "printed.txt"))
	if err != nil {
		t.Fatal(err)
	}
	last, kind := make(map[string]string), ""
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") {
			last[kind] += line
			continue
		}
		_, kind, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		last[kind] = ""
	}
	for name, text := range printed {
		if last[name] != text && name != "apiregistration.k8s.io/v1 APIService" {
			t.Errorf("%s prints\n%sand was written down as\n%s", name, text, last[name])
		}
	}
}
