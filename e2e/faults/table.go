package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"sigs.k8s.io/yaml"
)

// table has all rows, and the text of its file.
type table struct {
	rows []row
	file string
	text []byte
}

func readTable(root string) (*table, error) {
	t := &table{file: filepath.Join(root, "e2e", "faults", "faults.yaml")}
	var err error
	if t.text, err = os.ReadFile(t.file); err != nil {
		return nil, err
	}
	if err := yaml.UnmarshalStrict(t.text, &t.rows); err != nil {
		return nil, fmt.Errorf("read %s: %w", t.file, err)
	}
	if n := len(seenLine.FindAllIndex(t.text, -1)); n != len(t.rows) {
		return nil, fmt.Errorf("%s has %d rows, but %d of them end in seen: \"COMMIT\"", t.file, len(t.rows), n)
	}
	return t, nil
}

// seenLine is a row's last line.
var seenLine = regexp.MustCompile(`(?m)^  seen: "(.*)"$`)

// see writes the commit into a row, and leaves the rest of the file as it is.
func (t *table) see(row int, commit string) error {
	at := seenLine.FindAllSubmatchIndex(t.text, -1)[row]
	t.text = slices.Replace(t.text, at[2], at[3], []byte(commit)...)
	return os.WriteFile(t.file, t.text, 0o644)
}
