package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"sigs.k8s.io/yaml"
)

// row is a class of fault, the test that finds it, and a mutation of the product that has it.
type row struct {
	Class   string `json:"class"`
	Package string `json:"package"`           // folder of the test, from the root of the repository
	Test    string `json:"test"`              // a test, or TEST/SUBTEST
	File    string `json:"file"`              // that the mutation changes, from the root of the repository
	Old     string `json:"old"`               // occurs once in the file
	New     string `json:"new"`               // takes its place
	Timeout string `json:"timeout,omitempty"` // of the test (default 2m); exceeding it counts as failing
	Binary  bool   `json:"binary,omitempty"`  // the test runs a watchglass that was built with the mutation
	Seen    string `json:"seen"`              // the commit at which the test was last seen to fail
}

// mutated returns the row's file with the mutation.
func (r row) mutated(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, r.File))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(text, []byte(r.Old)); n != 1 {
		return nil, fmt.Errorf("%s has the old text %d times, want once: %q", r.File, n, r.Old)
	}
	return bytes.Replace(text, []byte(r.Old), []byte(r.New), 1), nil
}

// rows are the table's rows, and its text.
type rows struct {
	rows []row
	file string
	text []byte
}

func readTable(file string) (*rows, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t := &rows{file: file, text: text}
	if err := yaml.UnmarshalStrict(text, &t.rows); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if n := len(seenLine.FindAllIndex(text, -1)); n != len(t.rows) {
		return nil, fmt.Errorf("%s has %d rows, and %d lines with their commit", file, len(t.rows), n)
	}
	return t, nil
}

// seenLine is a row's last line.
var seenLine = regexp.MustCompile(`(?m)^  seen: "(.*)"$`)

// see writes the commit into a row, and leaves the rest of the file as it is.
func (t *rows) see(i int, commit string) error {
	lines := seenLine.FindAllSubmatchIndex(t.text, -1)
	if i >= len(lines) {
		return errors.New("the row has no line for its commit")
	}
	from, to := lines[i][2], lines[i][3]
	t.text = append(append(append([]byte(nil), t.text[:from]...), commit...), t.text[to:]...)
	return os.WriteFile(t.file, t.text, 0o644)
}
