package deploy

import (
	"os"
	"path/filepath"
	"regexp"
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
