package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// row is a class of fault, the test that finds it, and a mutation of the product that has it. Paths are from the root
// of the repository.
type row struct {
	Class   string `json:"class"`
	Package string `json:"package"` // of the test
	Test    string `json:"test"`    // or TEST/SUBTEST
	File    string `json:"file"`    // that the mutation changes
	Old     string `json:"old"`     // occurs once in the file
	New     string `json:"new"`     // takes its place
	Timeout string `json:"timeout"` // of the test (default 2m); exceeding it counts as failing
	Binary  bool   `json:"binary"`  // the test runs a watchglass that is built with the mutation
	Seen    string `json:"seen"`    // the commit at which the test was last seen to fail
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
