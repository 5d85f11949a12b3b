package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTable checks that every row can still be reproduced, without building anything: its test exists, its old text
// occurs once, its new text parses and leaves no import unused, and its class is no other row's.
func TestTable(t *testing.T) {
	root := filepath.Join("..", "..")
	all, err := readTable(root)
	if err != nil {
		t.Fatal(err)
	}
	commit, classes, tests := regexp.MustCompile(`^[0-9a-f]{7,}$`), map[string]bool{}, map[string]map[string]bool{}
	for _, r := range all.rows {
		if r.Class == "" || classes[r.Class] {
			t.Errorf("the class %q is empty, or another row's", r.Class)
		}
		classes[r.Class] = true
		if tests[r.Package] == nil {
			tests[r.Package] = testsOf(t, filepath.Join(root, r.Package))
		}
		if name, _, _ := strings.Cut(r.Test, "/"); !tests[r.Package][name] {
			t.Errorf("%s: %s has no test %s", r.Class, r.Package, name)
		}
		if text, err := r.mutated(root); err != nil {
			t.Errorf("%s: %v", r.Class, err)
		} else if strings.HasSuffix(r.File, ".go") {
			file := filepath.Join(root, r.File)
			for name := range imported(t, file, nil) {
				if !imported(t, file, text)[name] {
					t.Errorf("%s: the new text leaves the import %s unused, so it does not compile", r.Class, name)
				}
			}
		}
		if r.Old == r.New {
			t.Errorf("%s: old and new text are equal", r.Class)
		}
		if strings.HasSuffix(r.File, "_test.go") {
			t.Errorf("%s: %s is a test: the fault belongs into the product", r.Class, r.File)
		}
		if _, err := time.ParseDuration(cmp.Or(r.Timeout, "0")); err != nil {
			t.Errorf("%s: %v", r.Class, err)
		}
		if !commit.MatchString(r.Seen) {
			t.Errorf("%s: its test was not seen to fail: run 'make faults ARGS=-seen'", r.Class)
		}
	}
}

// imported returns the names of imports that a file uses. Its text is what the file contains, unless it is nil.
func imported(t *testing.T, file string, text []byte) map[string]bool {
	t.Helper()
	var source any
	if text != nil {
		source = text
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all, used := map[string]bool{}, map[string]bool{}
	for _, i := range f.Imports {
		name := strings.Trim(i.Path.Value, `"`)
		name = name[strings.LastIndex(name, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		all[name] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && all[x.Name] {
				used[x.Name] = true
			}
		}
		return true
	})
	return used
}

// testsOf returns the names of a package's tests.
func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// TestJudge checks that only the failure of the test itself counts.
func TestJudge(t *testing.T) {
	failed := errExit{}
	for _, c := range []struct {
		out  string
		err  error
		want verdict
	}{
		{"=== RUN   TestX\n--- FAIL: TestX (0.01s)\nFAIL\tx", failed, found},
		{"panic: test timed out after 2m0s\n\trunning tests:\n\t\tTestX", failed, found},
		{"=== RUN   TestX\n--- PASS: TestX (0.01s)\nok", nil, survived},
		{"--- FAIL: TestX (0.01s)\npanic: deadlock: main bubble goroutine has exited but blocked goroutines remain", failed, found},
		{"x.go:1:1: undefined: y\nFAIL\tx [build failed]", failed, broken},
		{"--- FAIL: TestX (0.01s)\npanic: nil map\nFAIL\tx", failed, broken},
		{"--- SKIP: TestX (0.01s)\nok", nil, broken},
		{"testing: warning: no tests to run\nok", nil, broken},
		{"--- FAIL: TestXY (0.01s)\nFAIL", failed, broken},
		{"--- PASS: TestX (0.01s)\nFAIL: leaked goroutines", failed, broken},
	} {
		if got, _ := (row{Test: "TestX/a"}).judge(c.out, c.err); got != c.want {
			t.Errorf("%q: %s, want %s", c.out, got, c.want)
		}
	}
}

type errExit struct{}

func (errExit) Error() string { return "exit status 1" }
