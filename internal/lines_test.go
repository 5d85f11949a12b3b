//go:build !js

package internal_test

import (
	"path"
	"strings"
	"testing"
)

// The most lines and files that a package may have, without its tests: as many as one person can keep in mind.
const (
	mostLines = 2500
	mostFiles = 30
)

// large are the packages that have more lines or files, with how many they have at most. They may only become smaller.
var large = map[string]struct{ lines, files int }{
	"internal/demo":              {3200, mostFiles},
	"internal/detail":            {4000, mostFiles},
	"internal/detail/log":        {3300, mostFiles},
	"internal/detail/related":    {3200, mostFiles},
	"internal/history/recording": {3300, mostFiles},
	"internal/hub/pane":          {3000, mostFiles},
	"internal/object":            {6150, 50},
	"internal/query":             {4200, mostFiles},
	"internal/reflector":         {3700, mostFiles},
	"internal/relay":             {4900, mostFiles},
	"internal/view":              {3050, mostFiles},
	"proxy":                      {3400, mostFiles},
}

// TestLines checks that no package grows beyond what one person can keep in mind, and that what is listed as large
// still is.
func TestLines(t *testing.T) {
	lines, files := map[string]int{}, map[string]int{}
	for _, s := range sources(t) {
		if !s.test() {
			dir := path.Dir(s.name)
			lines[dir] += strings.Count(s.text, "\n")
			files[dir]++
		}
	}
	for dir := range lines {
		most, listed := large[dir]
		if !listed {
			most.lines, most.files = mostLines, mostFiles
		} else if lines[dir] <= mostLines && files[dir] <= mostFiles {
			t.Errorf("%s is listed as large, and is not: %d lines, %d files", dir, lines[dir], files[dir])
		}
		if lines[dir] > most.lines || files[dir] > most.files {
			t.Errorf("%s has %d lines in %d files; at most %d in %d", dir, lines[dir], files[dir], most.lines, most.files)
		}
	}
}
