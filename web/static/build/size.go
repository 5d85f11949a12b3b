//go:build !js

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// budget is the maximum size of the whole page on the wire, in bytes.
const budget = 2_800_000

// size prints the size of the built page, and fails if it is over budget.
func size(dist string) error {
	var raw, sent int64
	fmt.Printf("%-28s %12s %12s\n", "file", "raw", "brotli")
	err := filepath.WalkDir(dist, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".br") {
			return err
		}
		small, err := os.Stat(path)
		if err != nil {
			return err
		}
		plain, err := plainSize(strings.TrimSuffix(path, ".br"))
		if err != nil {
			return err
		}
		fmt.Printf("%-28s %12d %12d\n", strings.TrimSuffix(filepath.Base(path), ".br"), plain, small.Size())
		raw, sent = raw+plain, sent+small.Size()
		return nil
	})
	if err != nil {
		return err
	}
	if sent == 0 {
		return fmt.Errorf("%s is empty: run 'make build'", dist)
	}
	fmt.Printf("%-28s %12d %12d of %d (%.0f %%)\n", "together", raw, sent, budget, 100*float64(sent)/budget)
	if sent > budget {
		return fmt.Errorf("the page weighs %d bytes more than it may", sent-budget)
	}
	return nil
}

// plainSize returns a file's uncompressed size. For a file that is kept only compressed, it reads
// that from gzip's trailer.
func plainSize(path string) (int64, error) {
	if info, err := os.Stat(path); err == nil {
		return info.Size(), nil
	}
	b, err := os.ReadFile(path + ".gz")
	if err != nil || len(b) < 4 {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	t := b[len(b)-4:]
	return int64(t[0]) | int64(t[1])<<8 | int64(t[2])<<16 | int64(t[3])<<24, nil
}
