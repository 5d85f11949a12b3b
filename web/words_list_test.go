//go:build !js

package web

import (
	"cmp"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "rewrite words.txt")

const rewriteWords = "run 'go test ./web -run TestWordsList -update' and review the diff of web/words.txt"

// TestWordsList compares the texts of the page with words.txt, so that every change of a text
// shows up in review.
func TestWordsList(t *testing.T) {
	var out strings.Builder
	out.WriteString("# The texts of the page, by file. Generated: " + rewriteWords + ".\n")
	for _, file := range pageTexts(t) {
		out.WriteString("\n" + file.name + "\n")
		for _, text := range file.texts {
			out.WriteString("  " + text + "\n")
		}
	}
	if *update {
		if err := os.WriteFile("words.txt", []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	have, want := strings.Split(string(committed), "\n"), strings.Split(out.String(), "\n")
	if slices.Equal(have, want) {
		return
	}
	for _, line := range want {
		if !slices.Contains(have, line) {
			t.Errorf("not in words.txt: %s", strings.TrimSpace(line))
		}
	}
	for _, line := range have {
		if !slices.Contains(want, line) {
			t.Errorf("no longer in the source: %s", strings.TrimSpace(line))
		}
	}
	t.Error("words.txt is out of date: " + rewriteWords)
}

// avoided are phrases that must not come back, each with the plain words to use.
var avoided = map[string]string{
	"none of them is what was asked for":   "None of 3,105 pods match.",
	"show all of them":                     "Clear filter",
	"between this page and the proxy":      "Can't reach the Watchglass proxy.",
	"may be old":                           "Data may be out of date.",
	"find  n":                              "Find namespace",
	"change waits":                         "Paused · 1 pending",
	"changes wait":                         "Paused · 11 pending",
	"kubectl cannot say":                   "No kubectl equivalent for:",
	"as kubectl has them":                  "Reset to kubectl's columns",
	"keep this view":                       "Save view",
	"kept view":                            "saved view",
	"run before":                           "previous logs",
	"beside its containers":                "debug container",
	"processor and memory":                 "CPU and memory",
	"what it belongs to":                   "related objects",
	"changes something":                    "modifies the cluster",
	"destroys something":                   "destructive",
	"not there":                            "Not found",
	"there is none of this name":           "Not found. It will appear here if it is created.",
	"is not of this launch":                "This link is from an earlier launch. Use the address printed last.",
	"tells the other keys":                 "lists all shortcuts",
	"narrows to it":                        "Click a value to include it; click again to exclude it",
	"keeps what is on screen":              "saves the view",
	"the rail":                             "the sidebar",
	"what else can be taken away":          "exports",
	"let go":                               "released",
	"how many went":                        "reports how many lines were dropped",
	"before and beside":                    "init and sidecar containers",
	"is told of":                           "is logged",
	"is served on":                         "stays in use",
	"else the files of kubeconfig":         "kubeconfig file (default: $KUBECONFIG, then ~/.kube/config, then the pod's service account)",
	"the pod's own account":                "the pod's service account",
	"users come in":                        "authentication mode",
	"go to a kind, a namespace or a view,": "Go to kind, namespace or view",
}

// TestAvoidedWords looks for avoided phrases in the page, the READMEs and --help.
func TestAvoidedWords(t *testing.T) {
	files := append(pageTexts(t), goTexts(t, "../proxy/flags.go"))
	for _, name := range []string{"../README.md", "README.md", "../proxy/README.md", "../e2e/bench/README.md", "../.github/SECURITY.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, textFile{name, strings.Split(string(text), "\n")})
	}
	for _, file := range files {
		for _, text := range file.texts {
			for phrase, instead := range avoided {
				if strings.Contains(strings.ToLower(text), phrase) {
					t.Errorf("%s: %q: instead of %q write %q", file.name, text, phrase, instead)
				}
			}
		}
	}
}

// detailDir is the package whose summaries the drawer shows.
const detailDir = "../internal/detail"

// textFile is a source file with its texts in order.
type textFile struct {
	name  string
	texts []string
}

// pageTexts returns the texts of the page: those of this package and of the packages below it, of the sign-in page, and of
// internal/detail and internal/document, which produce the content of the drawer, and of
// internal/problem, which produces the list of problems.
func pageTexts(t *testing.T) []textFile {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.go", "*/*.go", "*/*/*.go", "../internal/document/*.go", "../internal/problem/*.go", "../internal/problem/*/*.go", "../internal/edge/*.html", "../internal/edge/signin.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	if err := filepath.WalkDir(detailDir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var files []textFile
	for _, name := range names {
		var file textFile
		switch {
		case strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "static/") || strings.HasPrefix(name, "grid/") || noTexts[fileName(name)]:
		case strings.HasSuffix(name, ".go"):
			file = goTexts(t, name)
		case strings.HasSuffix(name, ".html"):
			file = htmlTexts(t, name)
		}
		if len(file.texts) > 0 {
			files = append(files, file)
		}
	}
	slices.SortFunc(files, func(a, b textFile) int { return cmp.Compare(a.name, b.name) })
	return files
}

// fileName returns a path relative to the repository.
func fileName(path string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "../"); ok {
		return rest
	}
	return "web/" + path
}

// alwaysShown are functions and fields whose strings are always shown. Of Attr, it is the second
// argument after one of shownAttrs.
var (
	alwaysShown = wordSet("Text Way Title Placeholder help Help text title hint Hint label Label Means Do By tag say message")
	shownAttrs  = wordSet("aria-label aria-description aria-roledescription aria-valuetext title placeholder alt")
)

// neverShown are functions and fields whose strings are never shown.
var neverShown = wordSet(`Class ID DataSet Type Href For Accept Value Call Get Set Mark Focus SetField Remember Recall Begins
	HasPrefix HasSuffix Contains ContainsAny ContainsRune Index IndexByte IndexAny Cut CutPrefix CutSuffix Split SplitSeq Trim TrimLeft TrimRight
	TrimPrefix TrimSuffix EqualFold Fields Replace ReplaceAll NewReplacer MustCompile Format Parse Has keys Keys value action Action Field id named panic on banner`)

// noTexts are files without texts, whose strings only look like some.
var noTexts = wordSet("internal/detail/log/line/clock.go internal/detail/log/line/line.go internal/detail/related/rules.go internal/detail/yaml/reader.go internal/document/quantity.go internal/problem/problemtest/crowd.go internal/problem/problemtest/docs.go")

// notTexts are literals that look like texts but are names of keys, columns, headers or kinds
// in code.
var notTexts = wordSet(`ArrowDown ArrowUp ArrowLeft ArrowRight PageDown PageUp Home End Enter Escape Backspace Delete Win INPUT SELECT Blob URL Array Error
	JSON Promise PerformanceObserver ResizeObserver Uint8Array Content-Type Content-Security-Policy Cache-Control F G N S A Y X D C L J K R E P T M W Ki Mi Gi Ti Pi Ei`)

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// notShown matches CSS, selectors, paths, formats of times and the like.
var notShown = regexp.MustCompile(`^(\.|#|\[|--|/|\*|[a-z-]+\[|default-src|require-trusted|attachment|application/|text/|rgb|Mon, |2006|15:04|namespaces $|facet $|values $|is glow-|M%d|20\d\d-|namespaces …$|(pods|deployments\.apps)( [a-z.]+)+$|spec: )|^[A-Z]+(_[A-Z]+)+$|^%[^ ]*$|^[A-Za-z0-9_.]*/[^ ]*$`)

// textCollector collects the texts of a Go file.
type textCollector struct {
	texts []string
	paths bool // the file's functions take paths of fields, not texts
}

// goTexts returns the strings of a Go file that users read. Arguments of alwaysShown are texts. Other
// strings are texts if they contain a space or begin with a capital letter, unless they are
// compared, matched or used as keys. Concatenations are one text, with … for other operands.
func goTexts(t *testing.T, path string) textFile {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	c := &textCollector{paths: strings.HasPrefix(path, detailDir)}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			c.collect(d, false)
		}
	}
	return textFile{fileName(path), c.texts}
}

// collect visits a node; certain means that its strings are always shown.
func (c *textCollector) collect(node ast.Node, certain bool) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			return n.Tag == nil
		case *ast.CaseClause:
			for _, s := range n.Body {
				c.collect(s, false)
			}
			return false
		case *ast.IndexExpr:
			c.collect(n.X, certain)
			return false
		case *ast.KeyValueExpr:
			c.keyValue(n, certain)
			return false
		case *ast.CallExpr:
			return c.call(n, certain)
		case *ast.BinaryExpr:
			return c.binary(n, certain)
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, _ := strconv.Unquote(n.Value)
				c.add(text, certain)
			}
		}
		return true
	})
}

func (c *textCollector) keyValue(n *ast.KeyValueExpr, certain bool) {
	if key, ok := n.Key.(*ast.Ident); ok {
		if neverShown[key.Name] {
			return
		}
		certain = alwaysShown[key.Name]
	}
	c.collect(n.Value, certain)
}

// call visits a call and reports whether its operands are still to be visited.
func (c *textCollector) call(n *ast.CallExpr, certain bool) bool {
	name := ""
	switch f := n.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		c.collect(f.X, false) // calls are chained: those before this one
	}
	switch {
	case name == "Attr" && len(n.Args) == 2:
		if attr, ok := n.Args[0].(*ast.BasicLit); ok && !shownAttrs[strings.Trim(attr.Value, `"`)] {
			return false
		}
		c.collect(n.Args[1], true)
	case neverShown[name]:
		for _, arg := range n.Args { // functions in them may show something
			if f, ok := arg.(*ast.FuncLit); ok {
				c.collect(f.Body, false)
			}
		}
	default:
		for _, arg := range n.Args {
			c.collect(arg, certain || alwaysShown[name])
		}
		if f, ok := n.Fun.(*ast.FuncLit); ok {
			c.collect(f.Body, false)
		}
	}
	return false
}

// binary visits an operation and reports whether its operands are still to be visited.
func (c *textCollector) binary(n *ast.BinaryExpr, certain bool) bool {
	switch n.Op {
	case token.EQL, token.NEQ:
		for _, side := range []ast.Expr{n.X, n.Y} {
			if _, ok := side.(*ast.BasicLit); !ok {
				c.collect(side, false)
			}
		}
		return false
	case token.ADD:
		var text strings.Builder
		var rest []ast.Expr
		literals := 0
		for _, e := range operands(n) {
			if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				part, _ := strconv.Unquote(lit.Value)
				text.WriteString(part)
				literals++
			} else {
				text.WriteString("…")
				rest = append(rest, e)
			}
		}
		if literals > 0 {
			c.add(text.String(), certain)
		}
		for _, e := range rest {
			c.collect(e, certain)
		}
		return false
	}
	return true
}

// operands returns the operands of nested additions.
func operands(e ast.Expr) []ast.Expr {
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		return append(operands(b.X), operands(b.Y)...)
	}
	return []ast.Expr{e}
}

// add adds a text, line by line, if it is one.
func (c *textCollector) add(text string, certain bool) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if !strings.ContainsFunc(line, unicode.IsLetter) || notTexts[line] {
			continue
		}
		first := []rune(line)[0]
		if certain && !c.paths || !notShown.MatchString(line) && (strings.Contains(line, " ") || unicode.IsUpper(first)) {
			c.texts = append(c.texts, line)
		}
	}
}

var (
	htmlTag    = regexp.MustCompile(`(?s)<(script|style)\b.*?</(script|style)>|<!--.*?-->|</?(?:html|head|body|main|p|h1|form|label|input|button|noscript|title|meta|link|img)\b[^>]*>`)
	htmlInline = regexp.MustCompile(`<[^>]*>`)
	htmlAction = regexp.MustCompile(`{{(if|else|end|range|with)[^}]*}}`)
	htmlValue  = regexp.MustCompile(`{{[^}]*}}`)
	htmlAttr   = regexp.MustCompile(`\b(?:title|alt|placeholder|aria-label)="([^"]+)"`)
)

// htmlTexts returns the visible text of a template, one line per element, with … for values.
func htmlTexts(t *testing.T, path string) textFile {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file := textFile{name: fileName(path)}
	add := func(text string) {
		text = htmlInline.ReplaceAllString(htmlValue.ReplaceAllString(text, "…"), "")
		if text = strings.Join(strings.Fields(text), " "); strings.ContainsFunc(text, unicode.IsLetter) {
			file.texts = append(file.texts, text)
		}
	}
	for _, match := range htmlAttr.FindAllStringSubmatch(string(source), -1) {
		add(match[1])
	}
	for line := range strings.SplitSeq(htmlTag.ReplaceAllString(htmlAction.ReplaceAllString(string(source), ""), "\n"), "\n") {
		add(line)
	}
	return file
}
