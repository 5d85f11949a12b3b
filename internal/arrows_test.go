//go:build !js

package internal_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// few is how many uses may run back up in any package: two files of a small one may know each other.
const few = 10

// TestArrows checks that a package can be read from the top down. A part is a file with those that begin with its name
// and a "_"; a use of something that another part declares, a method or a field, too, is an arrow from one to the
// other. In the order of the parts that leaves the fewest, at most a tenth of the arrows run back up.
func TestArrows(t *testing.T) {
	packages := make(map[string]pkg)
	for _, p := range list(t, "linux", "-export", "-deps", "./internal/...", "./proxy/...", "./web/...", "./wasm/...") {
		packages[p.ImportPath] = p
	}
	for path, p := range packages {
		name, ours := strings.CutPrefix(path, module)
		if !ours || len(p.GoFiles) == 0 {
			continue
		}
		arrows, all := arrowsOf(t, p, packages)
		up := arrows.up(arrows.order())
		if up > few && up*10 > all {
			t.Errorf("%s: %d of %d arrows run back up, %.1f %%: %s", name, up, all, 100*float64(up)/float64(all), arrows.text(arrows.order()))
		}
	}
}

// arrows counts the uses between two parts of a package, from one to the other.
type arrows map[[2]string]int

// arrowsOf returns the arrows of a package, and how many there are.
func arrowsOf(t *testing.T, p pkg, packages map[string]pkg) (found arrows, all int) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	uses := make(map[*ast.Ident]types.Object)
	c := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) })}
	here, err := c.Check(p.ImportPath, set, files, &types.Info{Uses: uses})
	if err != nil {
		t.Fatal(err)
	}
	part := func(at token.Pos) string {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(set.Position(at).Filename), ".go"), "_")
		return name
	}
	found = make(arrows)
	for id, object := range uses {
		if object.Pkg() != here {
			continue
		}
		if from, to := part(id.Pos()), part(object.Pos()); from != to {
			found[[2]string{from, to}]++
			all++
		}
	}
	return found, all
}

// order returns the parts in an order in which few arrows run back up: each stands where the fewest of its own do.
func (a arrows) order() []string {
	var parts []string
	for arrow := range a {
		parts = append(parts, arrow[0], arrow[1])
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	for moved := true; moved; {
		moved = false
		for i, p := range parts {
			best, to := 0, i
			for _, way := range []int{-1, 1} { // past one part after the other, up and down
				change := 0
				for j := i + way; j >= 0 && j < len(parts); j += way {
					if change += way * (a[[2]string{p, parts[j]}] - a[[2]string{parts[j], p}]); change < best {
						best, to = change, j
					}
				}
			}
			if to != i {
				parts, moved = slices.Insert(slices.Delete(parts, i, i+1), to, p), true
			}
		}
	}
	return parts
}

// up returns how many arrows run back up in an order of the parts.
func (a arrows) up(order []string) (n int) {
	for arrow, uses := range a {
		if slices.Index(order, arrow[0]) > slices.Index(order, arrow[1]) {
			n += uses
		}
	}
	return n
}

// text returns the arrows that run back up.
func (a arrows) text(order []string) string {
	var all []string
	for arrow := range a {
		if slices.Index(order, arrow[0]) > slices.Index(order, arrow[1]) {
			all = append(all, arrow[0]+"→"+arrow[1]+" "+strconv.Itoa(a[arrow]))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
