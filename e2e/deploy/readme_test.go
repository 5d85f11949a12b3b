package deploy

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadme shows that what README.md says to type works: the first installation, and an overlay
// of one's own.
func TestReadme(t *testing.T) {
	doc, err := os.ReadFile("../../proxy/deploy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	set := regexp.MustCompile(`--set (auth=token\S+)`).FindSubmatch(doc)
	if set == nil {
		t.Fatal("there is no first installation")
	}
	first, err := template(t, "--set", string(set[1]))
	if err != nil || !strings.Contains(first, "--public-url=http://localhost:7117") || !strings.Contains(first, "name: watchglass-viewer") {
		t.Errorf("the first installation: %v\n%s", err, first)
	}
	overlay := regexp.MustCompile("(?s)```yaml\n# kustomization.yaml\n(.*?)```").FindSubmatch(doc)
	if overlay == nil {
		t.Fatal("there is no overlay")
	}
	// kustomize takes no absolute paths.
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.Rel(dir, root); err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("<this repository>", root, "<version>", "1.2.3").Replace(string(overlay[1]))
	for name, content := range map[string]string{"kustomization.yaml": text, "watchglass.yaml": "auth: oidc\npublic-url: https://own.example.com\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own, err := run(t, kustomize, "build", dir)
	if err != nil || !strings.Contains(own, "own.example.com") || strings.Contains(own, "https://watchglass.example.com") || !strings.Contains(own, "watchglass/watchglass:1.2.3") {
		t.Errorf("the overlay: %v\n%s", err, own)
	}
}

// others are words of the troubleshooting table that others say, or that are put together.
var others = []string{
	"values don't meet the specifications of the schema(s)", `secret "watchglass-key" not found`, "ContainerCreating", `violates PodSecurity "restricted`,
	"latest", "watchglass_connections_refused_total", "You can't list pods", `is forbidden`, `User "system:serviceaccount:watchglass:watchglass" cannot impersonate`,
}

// TestTroubleshooting shows that the words by which README.md explains a problem are still those
// that users read.
func TestTroubleshooting(t *testing.T) {
	doc, err := os.ReadFile("../../proxy/deploy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, dir := range []string{"proxy", "internal", "web"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			sources.WriteString(strings.ReplaceAll(string(text), `\"`, `"`))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	_, table, _ := strings.Cut(string(doc), "\n## Troubleshooting\n")
	words := 0
	for line := range strings.Lines(table) {
		first, _, row := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(first, -1) {
			for _, part := range regexp.MustCompile(`"?…"?|: |:$`).Split(m[1], -1) {
				if part = strings.TrimSpace(part); !row || part == "" || slices.Contains(others, strings.TrimSuffix(part, ":latest\"")) {
					continue
				}
				if words++; !strings.Contains(sources.String(), part) {
					t.Errorf("nothing says %q any more, of %s", part, first)
				}
			}
		}
	}
	if words < 15 {
		t.Errorf("%d words were found in the table", words)
	}
}
