//go:build !js

// Package internal_test holds the house to its drawing: what may import what,
// which files carry a build tag, where JavaScript and the apiserver are touched,
// what is linked into the tab and how large it is.
package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "watchglass/"

// imports is the drawing: each package, and what of ours it may import. Data
// moves from left to right.
var imports = map[string][]string{
	"proxy":                  {"internal/apiserver", "internal/edge", "internal/edge/limit", "internal/edge/oidc", "internal/edge/session", "internal/history/recording", "internal/query", "internal/relay", "internal/wire", "web/static"},
	"internal/apiserver":     {"internal/demo"},
	"internal/demo":          {"internal/demo/api", "internal/demo/store"},
	"internal/demo/api":      {"internal/demo/store", "internal/object/encoded"},
	"internal/demo/contract": {},
	"internal/demo/store":    {},
	"internal/edge":          {"internal/edge/limit", "internal/edge/oidc", "internal/edge/session"},

	"internal/edge/edgetest":      {},
	"internal/edge/limit":         {},
	"internal/edge/oidc":          {},
	"internal/edge/oidc/oidctest": {},
	"internal/edge/session":       {},

	"internal/relay":         {"internal/object", "internal/object/encoded", "internal/object/schema", "internal/relay/queue", "internal/wire"},
	"internal/relay/queue":   {},
	"internal/wire":          {},
	"internal/cputest":       {},
	"internal/wire/wiretest": {},
	"internal/socket":        {"internal/wire"},
	"internal/reflector":     {"internal/wire"},
	"internal/deltafifo":     {},
	"internal/indexer":       {"internal/slots"},
	"internal/informer":      {"internal/deltafifo", "internal/indexer", "internal/query", "internal/reflector", "internal/wire"},
	"internal/object":        {"internal/object/encoded", "internal/object/schema", "internal/object/tree", "internal/query", "internal/object/tone"},
	"internal/query":         {"internal/detail/log/line", "internal/object/tree", "internal/slots"},
	"internal/quote":         {},
	"internal/columns":       {"internal/object", "internal/slots", "internal/sorting"},
	"internal/view":          {"internal/columns", "internal/object", "internal/query", "internal/slots", "internal/sorting", "internal/view/meter"},
	"internal/view/meter":    {"internal/document", "internal/object", "internal/object/tone", "internal/query"},
	"internal/document":      {},
	"internal/detail":        {"internal/detail/diff", "internal/detail/revision", "internal/document", "internal/object", "internal/object/tone", "internal/object/schema", "internal/query", "internal/series", "internal/wire"},
	"internal/detail/log":    {"internal/detail/log/line", "internal/detail/text", "internal/query"},
	"internal/detail/text":   {},
	"internal/detail/yaml":   {"internal/detail/text"},
	"internal/detail/diff":   {},
	"internal/message":       {},
	"internal/problem":       {"internal/document", "internal/object", "internal/object/tone", "internal/problem/facts", "internal/problem/joint", "internal/problem/kinds", "internal/problem/rule", "internal/problem/text", "internal/problem/topic"},
	"internal/port":          {"internal/view", "internal/wire"},
	"internal/series":        {},
	"internal/inspection":    {},
	"internal/savedlist":     {"internal/timeslice", "internal/object", "internal/sorting"},
	"internal/slots":         {},
	"internal/sorting":       {},
	"internal/timeslice":     {},
	"internal/history":       {"internal/timeslice", "internal/object", "internal/sorting", "internal/wire"},

	"internal/object/encoded": {},
	"internal/object/schema":  {},
	"internal/object/tree":    {"internal/object/encoded", "internal/object/schema"},
	"internal/object/tone":    {},
	"internal/object/rewrite": {"internal/object", "internal/object/encoded", "internal/object/schema"},

	"internal/history/historytest": {"internal/history", "internal/object", "internal/wire"},
	"internal/history/timeline":    {"internal/history", "internal/message", "internal/object", "internal/object/tree", "internal/query"},
	"internal/history/replay":      {"internal/timeslice", "internal/history", "internal/object", "internal/object/encoded", "internal/query", "internal/socket", "internal/sorting", "internal/wire"},
	"internal/history/disk":        {"internal/timeslice", "internal/history", "internal/history/recording", "internal/object", "internal/sorting", "internal/wire"},
	"internal/history/recording":   {"internal/history", "internal/object", "internal/object/rewrite", "internal/object/schema", "internal/sorting", "internal/wire"},

	"internal/savedlist/savedlisttest": {"internal/savedlist"},

	"internal/problem/joint":       {"internal/object", "internal/object/tone", "internal/problem/facts", "internal/problem/kinds", "internal/problem/rule", "internal/problem/text"},
	"internal/problem/rule":        {"internal/document", "internal/object", "internal/object/tone", "internal/problem/facts", "internal/problem/kinds", "internal/problem/text"},
	"internal/problem/topic":       {"internal/object/tone", "internal/problem/rule", "internal/problem/text"},
	"internal/problem/facts":       {"internal/document", "internal/object", "internal/object/tone", "internal/object/schema", "internal/problem/kinds", "internal/problem/text"},
	"internal/problem/kinds":       {},
	"internal/problem/text":        {"internal/document", "internal/message"},
	"internal/problem/problemtest": {"internal/document", "internal/object"},

	"web":                     {"internal/detail", "internal/detail/yaml", "internal/port", "internal/query", "internal/quote", "internal/view", "internal/wire", "web/access", "web/chart", "web/columns", "web/commands", "web/dialog", "web/dom", "web/drawer", "web/facets", "web/filter", "web/grid", "web/inspector", "web/kubectl", "web/list", "web/notice", "web/overview", "web/palette", "web/panel", "web/past", "web/recording", "web/route", "web/session", "web/share", "web/sidebar", "web/tab", "web/tab/compare", "web/tab/logs", "web/tab/whocan", "web/ui", "web/views", "web/words"},
	"web/access":              {"internal/port", "internal/view", "internal/wire", "web/route", "web/ui", "web/words"},
	"web/columns":             {"internal/query", "internal/view", "web/grid", "web/route", "web/ui", "web/words"},
	"web/drawer":              {"internal/detail", "internal/port", "web/grid", "web/route", "web/tab", "web/tab/changes", "web/tab/compare", "web/tab/events", "web/tab/logs", "web/tab/manifest", "web/tab/relations", "web/tab/summary", "web/tab/whocan", "web/ui", "web/words"},
	"web/facets":              {"internal/port", "internal/query", "internal/view", "web/grid", "web/route", "web/ui", "web/words"},
	"web/filter":              {"internal/port", "internal/query", "internal/view", "web/route", "web/ui", "web/words"},
	"web/commands":            {"internal/quote", "web/dialog", "web/kubectl", "web/ui"},
	"web/dialog":              {"web/ui"},
	"web/dom":                 {"internal/port", "web/grid", "web/route", "web/ui", "web/words"}, // no part of the page: what both sides name is in web/ui
	"web/grid":                {"internal/detail/text", "internal/object", "internal/object/tone", "internal/view", "web/words"},
	"web/inspector":           {"internal/inspection", "internal/port", "web/dialog", "web/ui", "web/words"},
	"web/kubectl":             {"internal/detail", "internal/query", "internal/quote", "internal/view", "web/route"},
	"web/list":                {"internal/port", "internal/view", "web/grid", "web/route", "web/ui"},
	"web/notice":              {"web/ui"},
	"web/overview":            {"internal/detail", "internal/port", "internal/view", "internal/wire", "web/route", "web/ui", "web/words"},
	"web/palette":             {"internal/port", "web/route", "web/tools", "web/ui", "web/words"},
	"web/panel":               {"internal/port", "internal/view", "internal/wire", "web/route", "web/ui", "web/words"},
	"web/past":                {"internal/detail", "internal/detail/yaml", "internal/port", "web/route", "web/ui", "web/words"},
	"web/chart":               {"internal/detail", "internal/detail/yaml", "internal/history/timeline", "internal/port", "internal/query", "internal/view", "web/route", "web/ui", "web/words"},
	"web/recording":           {"internal/detail/yaml", "internal/port", "internal/sorting", "web/dialog", "web/route", "web/ui", "web/words"},
	"web/route":               {"internal/detail", "internal/port", "internal/query", "internal/view"},
	"web/session":             {"internal/port", "web/dialog", "web/route", "web/ui", "web/words"},
	"web/share":               {"internal/port", "internal/view", "web/dialog", "web/kubectl", "web/route", "web/tools", "web/ui", "web/words"},
	"web/sidebar":             {"internal/detail", "internal/port", "internal/view", "web/route", "web/tools", "web/ui", "web/words"},
	"web/tab":                 {"internal/detail", "internal/detail/related", "internal/port", "internal/view", "web/grid", "web/route", "web/ui", "web/words"},
	"web/tab/changes":         {"internal/detail", "internal/detail/diff", "internal/detail/revision", "internal/detail/yaml", "web/route", "web/tab", "web/ui", "web/words"},
	"web/tab/compare":         {"internal/detail", "internal/detail/diff", "internal/detail/yaml", "internal/port", "internal/sorting", "web/route", "web/tab", "web/ui", "web/words"},
	"web/tab/events":          {"internal/detail", "internal/detail/related", "web/grid", "web/tab", "web/ui", "web/words"},
	"web/tab/manifest":        {"internal/detail", "internal/detail/yaml", "internal/wire", "web/grid", "web/tab", "web/ui", "web/words"},
	"web/tab/relations":       {"internal/detail", "internal/detail/related", "web/grid", "web/route", "web/tab", "web/ui", "web/words"},
	"web/tab/tabtest":         {"internal/detail", "web/grid", "web/route", "web/tab", "web/ui"},
	"web/tab/logs":            {"internal/detail", "internal/detail/log", "internal/detail/log/line", "internal/port", "internal/query", "web/grid", "web/kubectl", "web/route", "web/tab", "web/ui", "web/words"},
	"web/tab/whocan":          {"internal/detail", "internal/detail/rbac", "internal/detail/yaml", "internal/port", "internal/quote", "internal/view", "web/route", "web/tab", "web/ui", "web/words"},
	"web/tab/summary":         {"internal/detail", "internal/detail/revision", "internal/detail/yaml", "web/grid", "web/route", "web/tab", "web/ui", "web/words"},
	"web/tools":               {"internal/sorting", "web/route", "web/ui"},
	"web/ui":                  {"internal/series", "web/grid"},
	"web/views":               {"web/dialog", "web/route", "web/tools", "web/ui", "web/words"},
	"web/words":               {"internal/detail", "internal/detail/diff", "internal/detail/rbac", "internal/detail/related", "internal/detail/revision", "internal/detail/yaml", "internal/history/timeline", "internal/port", "internal/series", "internal/view", "internal/wire"},
	"web/static":              {},
	"web/static/build":        {},
	"wasm":                    {"internal/history/disk", "internal/hub", "internal/port", "internal/socket", "internal/savedlist", "web"},
	"internal/detail/related": {"internal/detail", "internal/object", "internal/object/tone", "internal/object/schema", "internal/query", "internal/wire"},

	"internal/hub":           {"internal/timeslice", "internal/history", "internal/history/disk", "internal/history/replay", "internal/hub/cluster", "internal/hub/find", "internal/hub/focus", "internal/hub/inspect", "internal/hub/list", "internal/hub/loop", "internal/hub/pane", "internal/hub/past", "internal/hub/report", "internal/hub/source", "internal/informer", "internal/inspection", "internal/object", "internal/port", "internal/socket", "internal/view", "internal/savedlist", "internal/wire"},
	"internal/hub/find":      {"internal/hub/cluster", "internal/hub/source", "internal/informer", "internal/object", "internal/object/tone", "internal/sorting", "internal/wire"},
	"internal/hub/focus":     {"internal/detail", "internal/detail/log", "internal/document", "internal/history", "internal/hub/cluster", "internal/hub/kinds", "internal/hub/loop", "internal/hub/pane", "internal/hub/pane/logs", "internal/hub/source", "internal/informer", "internal/object", "internal/port", "internal/problem", "internal/reflector", "internal/sorting", "internal/wire"},
	"internal/hub/past":      {"internal/timeslice", "internal/history", "internal/history/disk", "internal/history/recording", "internal/history/replay", "internal/hub/cluster", "internal/hub/list", "internal/hub/loop", "internal/hub/source", "internal/object", "internal/port", "internal/view", "internal/wire"},
	"internal/hub/local":     {"internal/hub/source", "internal/object", "internal/reflector", "internal/wire"},
	"internal/hub/report":    {"internal/history", "internal/history/timeline", "internal/hub/cluster", "internal/hub/focus", "internal/hub/list", "internal/hub/loop", "internal/hub/problems", "internal/hub/source", "internal/hub/timelines", "internal/informer", "internal/object", "internal/port", "internal/view"},
	"internal/hub/inspect":   {"internal/hub/kinds", "internal/informer", "internal/inspection", "internal/object", "internal/series", "internal/sorting", "internal/wire"},
	"internal/hub/listcache": {"internal/hub/loop", "internal/informer", "internal/object", "internal/reflector", "internal/socket", "internal/savedlist", "internal/wire"},
	"internal/hub/loop":      {"internal/timeslice"},
	"internal/hub/cluster":   {"internal/columns", "internal/detail", "internal/detail/rbac", "internal/history", "internal/history/disk", "internal/history/replay", "internal/hub/inspect", "internal/hub/kinds", "internal/hub/listcache", "internal/hub/local", "internal/hub/loop", "internal/hub/problems", "internal/hub/recorder", "internal/hub/releases", "internal/hub/source", "internal/hub/sums", "internal/hub/timelines", "internal/informer", "internal/inspection", "internal/object", "internal/object/encoded", "internal/port", "internal/problem", "internal/query", "internal/reflector", "internal/socket", "internal/savedlist", "internal/wire"},
	"internal/hub/list":      {"internal/hub/cluster", "internal/hub/kinds", "internal/hub/local", "internal/hub/loop", "internal/hub/problems", "internal/hub/source", "internal/hub/sums", "internal/informer", "internal/object", "internal/port", "internal/view", "internal/wire"},
	"internal/hub/timelines": {"internal/history", "internal/history/timeline", "internal/object", "internal/port", "internal/query", "internal/reflector", "internal/wire"},
	"internal/hub/problems":  {"internal/hub/source", "internal/informer", "internal/object", "internal/object/tone", "internal/port", "internal/problem", "internal/problem/facts", "internal/problem/kinds", "internal/reflector", "internal/series", "internal/sorting", "internal/wire"},
	"internal/hub/releases":  {"internal/detail", "internal/detail/related", "internal/object", "internal/object/encoded", "internal/reflector", "internal/sorting", "internal/wire"},
	"internal/hub/recorder":  {"internal/history", "internal/hub/loop", "internal/hub/source", "internal/informer", "internal/object", "internal/reflector", "internal/wire"},
	"internal/hub/sums":      {"internal/detail", "internal/document", "internal/object", "internal/series"},
	"internal/hub/kinds":     {"internal/object", "internal/wire"},
	"internal/hub/source":    {"internal/detail/related", "internal/informer", "internal/object", "internal/reflector", "internal/view", "internal/wire"},
	"internal/hub/pane":      {"internal/detail", "internal/detail/rbac", "internal/detail/related", "internal/detail/revision", "internal/document", "internal/hub/kinds", "internal/hub/loop", "internal/hub/source", "internal/hub/sums", "internal/informer", "internal/object", "internal/object/tone", "internal/object/encoded", "internal/problem", "internal/problem/rule", "internal/query", "internal/reflector", "internal/series", "internal/view", "internal/wire"},
	"internal/hub/pane/logs": {"internal/detail", "internal/detail/log", "internal/document", "internal/history", "internal/hub/loop", "internal/hub/pane", "internal/hub/source", "internal/object", "internal/sorting", "internal/wire"},

	"internal/detail/log/line": {},
	"internal/detail/revision": {"internal/document"},
	"internal/detail/rbac":     {"internal/object", "internal/sorting", "internal/view"},

	// What a cluster with real controllers answered goes through the whole hub, as in a tab.
	"internal/hub/problems/recorded": {"internal/hub", "internal/port", "internal/relay", "internal/socket", "internal/view", "internal/wire/wiretest"},

	// What the tests of the panes share is drawn without package pane, whose own tests use it.
	"internal/hub/pane/panetest": {"internal/detail", "internal/hub/kinds", "internal/hub/source", "internal/informer", "internal/object", "internal/problem", "internal/query", "internal/reflector", "internal/wire"},
}

// native are the packages that the tab has nothing of: each file says so.
var native = []string{"proxy", "proxy/deploy/image", "internal/apiserver", "internal/demo", "internal/demo/api", "internal/demo/contract", "internal/demo/store", "internal/edge", "internal/edge/edgetest", "internal/edge/limit", "internal/edge/oidc", "internal/edge/oidc/oidctest", "internal/edge/session", "internal/hub/problems/recorded", "internal/relay", "internal/relay/queue", "web/static", "web/static/build"}

// javascript are the only files that touch the browser.
var javascript = []string{"internal/testdata/frame/main.go", "internal/port/port_js.go", "web/grid/paint_js.go", "web/run_js.go", "web/dom/browser_js.go", "web/dom/events_js.go", "web/dom/files_js.go", "web/dom/script_js.go", "wasm/main_js.go", "wasm/promise_js.go", "wasm/rest_js.go", "wasm/disk_js.go", "wasm/savedlist_js.go"}

// light is what the tab may link of apimachinery, if it has to.
var light = []string{"api/resource", "runtime/schema", "util/resourceversion", "util/sets"}

// wasmBytes is the most that the tab's program may weigh, uncompressed; 'make
// size' holds what is sent.
const wasmBytes = 17_400_000

// pkg is a package as 'go list' tells of it.
type pkg struct {
	ImportPath string
	Dir        string
	Doc        string
	Imports    []string
	GoFiles    []string
	DepOnly    bool
	Export     string // the compiled package, if -export is given
}

func list(t *testing.T, goos string, args ...string) []pkg {
	t.Helper()
	c := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Doc,Imports,GoFiles,DepOnly,Export"}, args...)...)
	c.Dir = ".."
	c.Env = os.Environ()
	if goos == "js" {
		c.Env = append(c.Env, "GOOS=js", "GOARCH=wasm")
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list %v: %v\n%s", args, err, &stderr)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImports(t *testing.T) {
	for _, goos := range []string{"linux", "js"} {
		args := []string{"./..."}
		if goos == "js" {
			args = []string{"-deps", "./wasm"}
		}
		for _, p := range list(t, goos, args...) {
			name, ours := strings.CutPrefix(p.ImportPath, module)
			if !ours || name == "internal" {
				continue
			}
			allowed, drawn := imports[name]
			if !drawn {
				t.Errorf("%s is not in the drawing", name)
			}
			for _, i := range p.Imports {
				if other, ours := strings.CutPrefix(i, module); ours && !slices.Contains(allowed, other) {
					t.Errorf("%s: %s imports %s", goos, name, other)
				}
				if strings.HasPrefix(i, "k8s.io/client-go") && name != "internal/apiserver" {
					t.Errorf("%s imports %s: only internal/apiserver may", name, i)
				}
			}
		}
	}
}

// TestClosure holds what is linked into the tab.
func TestClosure(t *testing.T) {
	for _, p := range list(t, "js", "-deps", "./wasm") {
		switch path := p.ImportPath; {
		case strings.HasPrefix(path, "k8s.io/apimachinery/pkg/"):
			if !slices.Contains(light, strings.TrimPrefix(path, "k8s.io/apimachinery/pkg/")) && !strings.Contains(path, "/cbor/") {
				t.Errorf("the tab links %s, which is not among the light ones", path)
			}
		case strings.HasPrefix(path, "k8s.io/client-go"), strings.HasPrefix(path, "k8s.io/api/"), strings.HasPrefix(path, "nhooyr.io/"), strings.HasPrefix(path, "github.com/spf13/"):
			t.Errorf("the tab links %s", path)
		}
	}
}

func TestSize(t *testing.T) {
	file := filepath.Join(t.TempDir(), "app.wasm")
	c := exec.Command("go", "run", "./web/static/build", "-program", file)
	c.Dir = ".."
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of %d", info.Size(), wasmBytes)
	if info.Size() > wasmBytes {
		t.Errorf("the tab's program is %d bytes, %d more than it may be", info.Size(), info.Size()-wasmBytes)
	}
}

var place = regexp.MustCompile(`(?i)hop [1-8] of 8|\bseam\b|\bjoin\b|\bnoun\b|hops? \d|Command \w+|page`)

// TestDocs holds that every package says where it stands, what comes in and
// what goes out.
func TestDocs(t *testing.T) {
	for _, p := range list(t, "linux", "./...") {
		if p.ImportPath == module+"internal" {
			continue
		}
		doc := packageDoc(t, p)
		takes := strings.Contains(doc, "In") && strings.Contains(doc, "ut: ") || strings.Contains(doc, "takes") && strings.Contains(doc, "hands") || strings.Contains(doc, "takes") && strings.Contains(doc, "holds")
		if !place.MatchString(doc) || !takes {
			t.Errorf("%s: the package's doc does not say where it stands, what comes in and what goes out", p.ImportPath)
		}
	}
}

func packageDoc(t *testing.T, p pkg) string {
	t.Helper()
	doc := ""
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Doc != nil {
			doc += f.Doc.Text()
		}
	}
	return strings.Join(strings.Fields(doc), " ")
}

// source is one of our files.
type source struct {
	name string // from the root
	file *ast.File
	set  *token.FileSet
	text string
	tag  string
}

var tagLine = regexp.MustCompile(`(?m)^//go:build (.*)$`)

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "../")
		if d.IsDir() && (name == "e2e" || name == "bin" || strings.HasPrefix(d.Name(), ".") && path != "..") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s := source{name: name, text: string(text), set: token.NewFileSet()}
		if s.file, err = parser.ParseFile(s.set, path, text, parser.ParseComments); err != nil {
			return err
		}
		if m := tagLine.FindStringSubmatch(s.text[:s.set.Position(s.file.Package).Offset]); m != nil {
			s.tag = m[1]
		}
		all = append(all, s)
		return nil
	})
	if err != nil || len(all) < 50 {
		t.Fatal(len(all), err)
	}
	return all
}

func (s source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

// TestTags holds that what is native says so, that what touches the browser
// stands in files that are listed, and that all else is the same everywhere.
func TestTags(t *testing.T) {
	for _, s := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(s.name))
		want := ""
		switch {
		case s.name == "internal/relay/herd_test.go", strings.HasPrefix(s.name, "internal/counts_"):
			want = "!js && !race" // the race detector dies of the herd, and allocates itself
		case s.name == "proxy/errno_other.go":
			want = "!js && !windows" // beside errno_windows.go
		case dir == "internal/cputest":
			want = "unix" // it asks the system what the process has used
		case slices.Contains(javascript, s.name):
			want = "js && wasm"
		case slices.Contains(native, dir), s.name == "wasm/main_other.go":
			want = "!js"
		case s.test():
			continue // an oracle may be native
		}
		if s.tag != want {
			t.Errorf("%s is tagged %q, and should be %q", s.name, s.tag, want)
		}
	}
}

func TestJavaScript(t *testing.T) {
	for _, s := range sources(t) {
		for _, i := range s.file.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if (path == "syscall/js" || path == "github.com/hack-pad/safejs") && !slices.Contains(javascript, s.name) {
				t.Errorf("%s imports %s", s.name, path)
			}
		}
	}
	for _, c := range []struct {
		names []string
		most  int
	}{{[]string{"boot.js", "worker.js"}, 328}, {[]string{"disk.js"}, 90}, {[]string{"visits.js"}, 160}, {[]string{"glimpse.js"}, 81}, {[]string{"frame.js"}, 66}, {[]string{"paint.js"}, 234}} {
		lines := 0
		for _, name := range c.names {
			text, err := os.ReadFile("../web/static/" + name)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
		}
		if lines > c.most {
			t.Errorf("%s: %d lines, %d more than there may be", strings.Join(c.names, " and "), lines, lines-c.most)
		}
	}
}

// TestImportGroups holds that imports stand in groups: the standard library, others, ours.
func TestImportGroups(t *testing.T) {
	for _, s := range sources(t) {
		for i, spec := range s.file.Imports[min(1, len(s.file.Imports)):] {
			before := s.file.Imports[i]
			if s.set.Position(spec.Pos()).Line == s.set.Position(before.Pos()).Line+1 && origin(spec) != origin(before) {
				t.Errorf("%s stands in a group with %s", s.set.Position(spec.Pos()), before.Path.Value)
			}
		}
	}
}

// origin returns where an imported package is from.
func origin(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	first, _, _ := strings.Cut(path, "/")
	switch {
	case first+"/" == module:
		return "ours"
	case strings.Contains(first, "."):
		return "another module"
	}
	return "the standard library"
}

// TestMethods holds that nothing is ever written to a cluster: in all that is
// not a test, the methods that write stand in few places only. The review
// POSTs, and creates nothing; the edge, and the demo, look at what comes in, and
// the edge ends a session at the provider that began it; the contract tries to
// write, in tests, what no server would let it.
func TestMethods(t *testing.T) {
	const contract = "internal/demo/contract/methods.go methods"
	allowed := map[string][]string{
		"POST": {"internal/relay/policy.go buildReview", "internal/edge/authenticator.go checkPost", "internal/edge/signin.go SignIn", "internal/edge/pending.go Callback", "internal/edge/oidc/tokens.go Revoke", "internal/demo/api/review.go review", contract, "internal/demo/contract/about.go reviews"},
		"PUT":  {contract}, "PATCH": {contract}, "DELETE": {contract},
	}
	writes := map[string]string{"MethodPost": "POST", "MethodPut": "PUT", "MethodPatch": "PATCH", "MethodDelete": "DELETE", "PostForm": "POST", "Post": "POST"}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			where := s.name
			if f, ok := d.(*ast.FuncDecl); ok {
				where += " " + f.Name.Name
			}
			ast.Inspect(d, func(n ast.Node) bool {
				method := ""
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "http" {
						method = writes[n.Sel.Name]
					}
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, text) {
						method = text
					}
				}
				if method != "" && !slices.Contains(allowed[method], where) {
					t.Errorf("%s: %s in %s", s.set.Position(n.Pos()), method, where)
				}
				return true
			})
		}
	}
}

// longest is how many lines a function may have; most have far fewer.
const longest = 60

func TestFunctions(t *testing.T) {
	var long, all int
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
			all++
			if lines > 40 {
				long++
			}
			if lines > longest {
				t.Errorf("%s: %s has %d lines", s.name, f.Name.Name, lines)
			}
			if f.Name.IsExported() && f.Doc == nil && f.Recv == nil {
				t.Errorf("%s: %s is not documented", s.name, f.Name.Name)
			}
		}
	}
	if long*50 > all {
		t.Errorf("%d of %d functions have more than 40 lines", long, all)
	}
}

// shared is what of net/http everybody in a process shares, and may have changed: its
// clients follow redirects and have no limit in time, its servers serve whatever
// registered itself.
var shared = []string{
	"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm", "DefaultServeMux", "Handle", "HandleFunc", "ListenAndServe", "ListenAndServeTLS", "Serve", "ServeTLS",
}

// TestTLS holds that no connection goes unverified, by any of the names for that, and
// that each goes by a client or a server of our own. What is in e2e is for tests.
func TestTLS(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		if strings.Contains(s.text, "InsecureSkipVerify") {
			t.Errorf("%s speaks of InsecureSkipVerify", s.name)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Insecure" { // client-go's
					t.Errorf("%s: %s", s.set.Position(n.Pos()), key.Name)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "http" && slices.Contains(shared, n.Sel.Name) {
					t.Errorf("%s: http.%s, which is everybody's", s.set.Position(n.Pos()), n.Sel.Name)
				}
				if n.Sel.Name == "Insecure" {
					t.Errorf("%s: %s", s.set.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
	}
}
