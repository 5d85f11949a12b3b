package once

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind has sources that compare what a page showed at one moment, and others that do not.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"operand", `_ = stage.Eval[int](e, "1") > 2`, 1},
		{"both operands", `if e.Text("a") == e.Text("b") { t.Error() }`, 2},
		{"argument in a condition", `if !strings.Contains(e.Text(".banner"), "Stale") { t.Error() }`, 1},
		{"negated", `if !stage.Eval[bool](e, "true") { t.Error() }`, 1},
		{"assigned in the if statement", `if n := stage.Eval[int](e, "1"); n != 2 { t.Error(n) }`, 1},
		{"field of what is assigned", `if rows := e.Rows(); rows.Total != 2 { t.Error(rows) }`, 1},
		{"assigned just before", `got := e.Cell("a", "b"); want := "c"; if got != want { t.Error() }`, 1},
		{"several assigned just before", `a, b := e.Text("a"), e.Text("b"); if a != b { t.Error() }`, 2},
		{"in a switch", `switch i := e.Inspect(); len(i.Sources) { case 1: }`, 1},
		{"in a loop's condition", `for e.Text("a") != "b" { }`, 1},
		{"in a subtest", `t.Run("a", func(t *testing.T) { if e.Text("a") != "b" { t.Error() } })`, 1},
		{"by a function", `if seen(e) != "b" { t.Error() }`, 1},
		{"by a function that calls it", `if n := length(e); n > 0 { t.Error() }`, 1},
		{"with an error", `s, err := e.Tab.Text("a"); if err != nil || s != "a" { t.Error() }`, 1},

		{"only the error", `if _, err := browser.Eval[bool](page, "true"); err != nil { t.Error() }`, 0},
		{"once on purpose", `if n := stage.Now[int](e, "1"); n != 2 { t.Error(n) }`, 0},
		{"waited for", `stage.Is(e, "1", 2)`, 0},
		{"asked until it is true", `stage.WaitFor(t, "a", func() bool { rows := e.Rows(); return rows.Total == 2 })`, 0},
		{"a value that waits", `rows := stage.AwaitValue(e, all, func(r browser.Rows) bool { return r.Total > 0 }); if rows.Total > 2 { t.Error() }`, 0},
		{"used for something else", `key := e.Rows().Rows[0].Key; e.Click(key); if other == key { t.Error() }`, 0},
		{"an argument", `e.Await(fmt.Sprintf("n > %d", stage.Eval[int](e, "n")))`, 0},
		{"what has the same name", `for lines.Scan() { if lines.Text() == "" { } }`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := "package p\nfunc seen(e Eyes) string { return e.Text(`a`) }\nfunc length(e Eyes) int { return len(seen(e)) }\nfunc TestIt(t *testing.T) {\n" + c.body + "\n}"
			file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if got := Find([]*ast.File{file}); len(got) != c.want {
				t.Errorf("%d found, want %d in\n%s", len(got), c.want, c.body)
			}
		})
	}
}

// left are the packages that still compare at once, and how often. The numbers may only go down.
var left = map[string]int{
	"detail": 46,
	"list":   37,
	"soak":   2, // what a tab says of a named version, and that a tab has not crashed in the end
}

// TestSources checks that no test compares what a page shows at one moment, but for those that are left.
func TestSources(t *testing.T) {
	set, packages := token.NewFileSet(), make(map[string][]*ast.File)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		dir := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(filepath.ToSlash(path), "../../")))
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") && dir != "stage" {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err == nil && looks(file) {
			packages[dir] = append(packages[dir], file)
		}
		return err
	})
	if err != nil || len(packages) < 10 {
		t.Fatal(len(packages), err)
	}
	for dir, files := range packages {
		found := Find(files)
		if len(found) < left[dir] {
			t.Errorf("%s compares at once %d times: write that number above", dir, len(found))
		}
		if len(found) > left[dir] {
			for _, at := range found {
				t.Errorf("%s: what a page shows is compared once, and may come a moment later: use stage.Is or stage.AwaitValue; stage.Now, if it must hold at once", set.Position(at))
			}
			t.Errorf("%s has %d, and may have %d", dir, len(found), left[dir])
		}
	}
}

// looks reports whether a file may look at pages.
func looks(file *ast.File) bool {
	for _, i := range file.Imports {
		if path := i.Path.Value; path == `"watchglass/e2e/stage"` || path == `"watchglass/e2e/browser"` {
			return true
		}
	}
	return file.Name.Name == "stage"
}
