//go:build !js

package internal_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// part is one noun of a package: the file of its name and those that begin with it and a "_".
type part struct {
	name  string
	below string // the parts that it may know
}

// parts draws the packages of the hub. Each stands from the top down, so that no arrow can be
// drawn that runs back up.
var parts = map[string][]part{
	"internal/hub": {
		{"hub", "page"},
		{"page", ""},
	},
	"internal/hub/cluster": {
		{"cluster", "uid waking"},
		{"uid", ""},
		{"waking", ""},
	},
	"internal/hub/find": {
		{"find", "finder"},
		{"finder", ""},
	},
	"internal/hub/focus": {
		{"object", "host"},
		{"host", ""},
	},
	"internal/hub/past": {
		{"files", "past host"},
		{"past", "host"},
		{"stepper", ""},
		{"host", ""},
	},
	"internal/hub/inspect": {
		{"source", "meters"},
		{"meters", ""},
	},
	"internal/hub/list": {
		{"list", "listing memory reporter"},
		{"listing", ""},
		{"memory", ""},
		{"reporter", ""},
	},
	"internal/hub/listcache": {
		{"cache", ""},
	},
	"internal/hub/local": {
		{"kind", ""},
	},
	"internal/hub/loop": {
		{"loop", ""},
		{"latest", ""},
		{"sender", ""},
	},
	"internal/hub/timelines": {
		{"tracker", ""},
	},
	"internal/hub/problems/recorded": {
		{"player", "recording"},
		{"recorder", "recording"},
		{"tab", "table"},
		{"table", ""},
		{"recording", ""},
	},
	"internal/hub/problems": {
		{"monitor", ""},
	},
	"internal/hub/releases": {
		{"source", "stream book row"},
		{"stream", "book row"},
		{"identity", "row"},
		{"row", "book revision"},
		{"book", "revision"},
		{"revision", ""},
	},
	"internal/hub/kinds": {
		{"set", "printing"},
		{"printing", ""},
		{"discover", ""},
	},
	"internal/hub/recorder": {
		{"recorder", ""},
	},
	"internal/hub/report": {
		{"overview", ""},
		{"timeline", "host"},
		{"host", ""},
	},
	"internal/hub/source": {
		{"feed", "status"},
		{"status", ""},
		{"body", "list"},
		{"list", ""},
		{"request", ""},
		{"restoring", ""},
		{"seed", ""},
		{"variant", ""},
	},
	"internal/hub/sums": {
		{"endpoints", "sums columns"},
		{"usage", "sums measurement excerpt columns"},
		{"samples", "sums measurement"},
		{"measurement", ""},
		{"sums", "sum excerpt columns"},
		{"requests", "excerpt columns"},
		{"excerpt", "columns"},
		{"sum", ""},
		{"columns", ""},
	},
	"internal/hub/pane": {
		{"related", "search neighbours pane"},
		{"events", "search neighbours neighbour pane"},
		{"summary", "revisions wanted body message pane"},
		{"changes", "revisions pane"},
		{"revisions", "wanted body pane"},
		{"wanted", "body message pane"},
		{"compare", "pane"},
		{"access", "message pane"},
		{"yaml", "pane"},
		{"search", "neighbours neighbour sweep message pane"},
		{"neighbours", "neighbour message pane"},
		{"neighbour", "pane"},
		{"sweep", "pane"},
		{"pane", ""},
		{"body", ""},
		{"message", ""},
	},
	"internal/hub/pane/logs": {
		{"pane", "streamset podset lines pace"},
		{"streamset", "stream pod container"},
		{"stream", "reader pod container backoff speaker"},
		{"reader", ""},
		{"podset", "candidates selector pod speaker"},
		{"candidates", "speaker"},
		{"pod", "container"},
		{"container", ""},
		{"selector", ""},
		{"lines", ""},
		{"pace", ""},
		{"backoff", ""},
		{"speaker", ""},
	},
	"internal/hub/pane/panetest": {
		{"host", ""},
		{"stream", ""},
	},
}

// TestHubParts checks that no part of the hub's packages knows one that stands above it: it
// names nothing declared there, calls none of its methods and uses none of its fields. A part
// reaches up only through an interface or a func that it declares itself.
func TestHubParts(t *testing.T) {
	packages := make(map[string]pkg)
	for _, p := range list(t, "linux", "-export", "-deps", "./internal/hub/...") {
		packages[p.ImportPath] = p
	}
	set := token.NewFileSet()
	from := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) })
	checked := 0
	for path, p := range packages {
		name, ours := strings.CutPrefix(path, module)
		if !ours || !strings.HasPrefix(name+"/", "internal/hub/") {
			continue
		}
		checked++
		var files []*ast.File
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		below, err := belowOf(parts[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wrong, err := arrowsUp(set, files, below, from)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, w := range wrong {
			t.Error(name + "/" + w)
		}
	}
	if checked != len(parts) {
		t.Errorf("%d packages are drawn, and the hub has %d", len(parts), checked)
	}
}

// belowOf returns what each part may know. It fails if an arrow is drawn to a part that does
// not stand further down.
func belowOf(drawn []part) (map[string][]string, error) {
	below := map[string][]string{"doc": nil}
	for _, p := range slices.Backward(drawn) {
		names := strings.Fields(p.below)
		for _, name := range names {
			if _, ok := below[name]; !ok {
				return nil, fmt.Errorf("%s does not stand below %s", name, p.name)
			}
		}
		below[p.name] = names
	}
	return below, nil
}

// arrowsUp returns each use of something that a part may not know, by its place. It resolves
// names by their types, so it sees methods and fields too, and those that are promoted.
func arrowsUp(set *token.FileSet, files []*ast.File, below map[string][]string, from types.Importer) (wrong []string, err error) {
	uses := make(map[*ast.Ident]types.Object)
	c := types.Config{Importer: from}
	if _, err := c.Check("watchglass/checked", set, files, &types.Info{Uses: uses}); err != nil {
		return nil, err
	}
	place, err := partOf(set, files, below)
	if err != nil {
		return nil, err
	}
	for id, object := range uses {
		if !object.Pos().IsValid() {
			continue // predeclared
		}
		here, there := place[set.File(id.Pos())], place[set.File(object.Pos())]
		if there != "" && there != here && !slices.Contains(below[here], there) {
			at := set.Position(id.Pos())
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s knows %s of %s", filepath.Base(at.Filename), at.Line, here, object.Name(), there))
		}
	}
	slices.SortFunc(wrong, cmp.Compare)
	return wrong, nil
}

// partOf returns the part of each file. It fails if a file is of no part, or a part of no file.
func partOf(set *token.FileSet, files []*ast.File, below map[string][]string) (map[*token.File]string, error) {
	place, empty := make(map[*token.File]string), maps.Clone(below)
	for _, f := range files {
		file := set.File(f.Package)
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file.Name()), ".go"), "_")
		if _, drawn := below[name]; !drawn {
			return nil, fmt.Errorf("%s is of no part", filepath.Base(file.Name()))
		}
		place[file] = name
		delete(empty, name)
	}
	for name := range empty {
		if name != "doc" {
			return nil, fmt.Errorf("%s has no file", name)
		}
	}
	return place, nil
}

// TestArrowsUp checks that arrowsUp finds every way to know a part: its names, its methods and
// fields, also promoted ones and those of generic types. An interface is no arrow.
func TestArrowsUp(t *testing.T) {
	const upper = `package p
		const Size = 1
		type Upper struct { field int }
		func (*Upper) Method() {}
		type Box[T any] struct { item T }
		func (Box[T]) open() {}
		func run() { call(new(Upper)) }`
	for _, c := range []struct{ lower, want string }{
		{`type caller interface { Method() }; func call(c caller) { c.Method() }`, ""},
		{`func call(any) {}; var _ = Size`, "Size"},
		{`func call(u *Upper) {}`, "Upper"},
		{`func call(any) {}; func (*Upper) more() {}`, "Upper"},
		{`func call(u *Upper) { u.Method() }`, "Method Upper"},
		{`func call(u *Upper) { u.field++ }`, "Upper field"},
		{`func call(any) {}; var _ = Upper{field: 1}`, "Upper field"},
		{`func call(any) {}; type lower struct { Upper }; func (l lower) f() { l.Method(); l.field++ }`, "Method Upper field"},
		{`func call(any) {}; func f(b Box[int]) { b.open(); _ = b.item }`, "Box item open"},
	} {
		set, files := token.NewFileSet(), []*ast.File(nil)
		for name, text := range map[string]string{"upper.go": upper, "lower_more.go": "package p; " + c.lower} {
			f, err := parser.ParseFile(set, name, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		wrong, err := arrowsUp(set, files, map[string][]string{"upper": {"lower"}, "lower": nil}, nil)
		var want []string
		for _, name := range strings.Fields(c.want) {
			want = append(want, "lower_more.go:1: lower knows "+name+" of upper")
		}
		if err != nil || !slices.Equal(wrong, want) {
			t.Errorf("%s: %q, want %q (%v)", c.lower, wrong, want, err)
		}
	}
	if _, err := belowOf([]part{{"lower", "upper"}, {"upper", "lower"}}); err == nil {
		t.Error("two parts that know each other can be drawn")
	}
}
