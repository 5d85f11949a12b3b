//go:build !js

package internal_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write e2e/PEERS.md or counts.txt anew")

// peers are the projects whose issues are tests, and their repositories on GitHub. A test's name has
// the project as it is here, a dash, and the number of the issue.
var peers = map[string]string{
	"antrea":             "antrea-io/antrea",
	"aspire":             "dotnet/aspire",
	"client-node":        "kubernetes-client/javascript",
	"client-python":      "kubernetes-client/python",
	"cozystack":          "cozystack/cozystack",
	"dashboard":          "kubernetes-retired/dashboard",
	"devframe":           "devframes/devframe",
	"etcd":               "etcd-io/etcd",
	"fabric8":            "fabric8io/kubernetes-client",
	"freelens":           "freelensapp/freelens",
	"gitlab-agent":       "",
	"headlamp":           "kubernetes-sigs/headlamp",
	"k9s":                "derailed/k9s",
	"kdashboard":         "folio-pro/kdashboard",
	"kube-rs":            "kube-rs/kube",
	"kube-state-metrics": "kubernetes/kube-state-metrics",
	"kubernetes":         "kubernetes/kubernetes",
	"kubernetes_asyncio": "tomplus/kubernetes_asyncio",
	"kubetail":           "kubetail-org/kubetail",
	"kubus":              "",
	"kueue":              "kubernetes-sigs/kueue",
	"lens":               "lensapp/lens",
	"octant":             "vmware-archive/octant",
	"odh-dashboard":      "opendatahub-io/odh-dashboard",
	"openyurt":           "openyurtio/openyurt",
	"podman-desktop":     "podman-desktop/podman-desktop",
	"porch":              "kptdev/porch",
	"rancher":            "rancher/rancher",
	"rancher-dashboard":  "rancher/dashboard",
	"teleport":           "gravitational/teleport",
}

// leastPeers is how many issues are tests at least.
const leastPeers = 40

// peerTest is a test whose name carries an issue.
type peerTest struct{ project, number, place, name string }

func (p peerTest) issue() string { return p.project + "-" + p.number }

var issuePattern = regexp.MustCompile(`^(?:C\d\d )?([a-z][a-z0-9_-]*)-(\d+) \S`)

// TestPeersListed holds that e2e/PEERS.md lists each issue of another project that is a test, with
// what happened there and what Watchglass does instead. -update writes the list of tests anew and
// keeps the words.
func TestPeersListed(t *testing.T) {
	found := peerTests(t)
	issues := map[string]bool{}
	for _, p := range found {
		issues[p.issue()] = true
	}
	if len(issues) < leastPeers {
		t.Errorf("%d issues are tests, at least %d have to be", len(issues), leastPeers)
	}
	const file = "../e2e/PEERS.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, words := splitPeers(string(text))
	want := head + peersTable(found, words)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is not what the tests say: go test ./internal -run TestPeersListed -update", file)
	}
	for issue := range issues {
		if w := words[issue]; w.there == "" || w.here == "" {
			t.Errorf("%s lacks words for %s", file, issue)
		}
	}
}

// peerTests finds the names of subtests that carry an issue: the first argument of a Run, the key of
// a table. An unknown project is an error.
func peerTests(t *testing.T) (all []peerTest) {
	for _, dir := range []string{"../internal", "../proxy", "../web", "../wasm", "../e2e"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, "_test.go") {
				all = append(all, peerTestsOf(t, path)...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(all, func(a, b peerTest) int {
		x, _ := strconv.Atoi(a.number)
		y, _ := strconv.Atoi(b.number)
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(x, y), cmp.Compare(a.place, b.place), cmp.Compare(a.name, b.name))
	})
	return all
}

func peerTestsOf(t *testing.T, path string) (all []peerTest) {
	source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	place := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
	add := func(e ast.Expr) {
		literal, ok := e.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return
		}
		name, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		m := issuePattern.FindStringSubmatch(name)
		switch {
		case m == nil:
		case known(m[1]):
			all = append(all, peerTest{m[1], m[2], place, name})
		case len(m[2]) > 1:
			t.Errorf("%s: %q names no project of peers_test.go", path, name)
		}
	}
	ast.Inspect(source, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Run" && len(n.Args) == 2 {
				add(n.Args[0])
			}
		case *ast.KeyValueExpr:
			add(n.Key)
		}
		return true
	})
	return all
}

func known(project string) bool {
	_, ok := peers[project]
	return ok
}

// peerWords say what happened there, and what is done here instead.
type peerWords struct{ there, here string }

// splitPeers reads the document: what is above its table, and the words of each row.
func splitPeers(text string) (head string, words map[string]peerWords) {
	words = map[string]peerWords{}
	const begin = "| Issue |"
	head, table, _ := strings.Cut(text, begin)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		name, _, linked := strings.Cut(strings.TrimPrefix(strings.TrimSpace(cells[0]), "["), "]")
		if len(cells) == 4 && linked {
			words[strings.ReplaceAll(name, "#", "-")] = peerWords{strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])}
		}
	}
	return head, words
}

// peersTable writes the rows, by project and number.
func peersTable(found []peerTest, words map[string]peerWords) string {
	var b strings.Builder
	b.WriteString("| Issue | What happened there | What Watchglass does | Test |\n| --- | --- | --- | --- |\n")
	rows, order := map[string][]string{}, []peerTest{}
	for _, p := range found {
		if rows[p.issue()] == nil {
			order = append(order, p)
		}
		rows[p.issue()] = append(rows[p.issue()], fmt.Sprintf("`%s` %s", p.place, p.name))
	}
	for _, p := range order {
		w, link := words[p.issue()], ""
		if repository := peers[p.project]; repository != "" {
			link = fmt.Sprintf("(https://github.com/%s/issues/%s)", repository, p.number)
		}
		fmt.Fprintf(&b, "| [%s#%s]%s | %s | %s | %s |\n", p.project, p.number, link, w.there, w.here, strings.Join(rows[p.issue()], "<br>"))
	}
	return b.String()
}

// TestPeersFound checks that names are found where they are tests, and nowhere else.
func TestPeersFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a_test.go")
	err := os.WriteFile(file, []byte(`package a
func TestPeers(t *testing.T) {
	t.Run("lens-1 a", nil)
	t.Run("C01 k9s-22 b", nil)
	t.Run("no-issue c", nil)
	for name := range map[string]int{"headlamp-333 d": 0, "utf-8 e": 0} {
		_ = "lens-4444 not a test" + name
	}
}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, p := range peerTestsOf(t, file) {
		found[p.issue()] = true
	}
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, []string{"headlamp-333", "k9s-22", "lens-1"}) {
		t.Error(got)
	}
}
