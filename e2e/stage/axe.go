package stage

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// axeVersion is the version of axe-core, which knows the rules of accessibility.
const axeVersion = "4.14.1"

// AxeSource is axe-core, from the cache or from npm.
func AxeSource(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "watchglass", "axe-core", axeVersion)
	path := filepath.Join(dir, "package", "axe.min.js")
	if _, err := os.Stat(path); err != nil {
		fetchAxe(t, dir)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// fetchAxe puts axe-core into a folder, whole or not at all.
func fetchAxe(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(part)
	for _, command := range [][]string{
		{"npm", "pack", "--silent", "axe-core@" + axeVersion},
		{"tar", "xzf", "axe-core-" + axeVersion + ".tgz"},
	} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = part
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", strings.Join(command, " "), err, out)
		}
	}
	if err := os.Rename(part, dir); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
}

// Axe fails the test for every rule that the page breaks as it stands.
func (e Eyes) Axe(source string) {
	e.T.Helper()
	e.AxeOf(source, "the page")
}

// AxeOf does so, and names what was looked at.
func (e Eyes) AxeOf(source, what string) {
	e.T.Helper()
	if !Now[bool](e, `typeof window.axe === "object"`) {
		Eval[bool](e, source+`; typeof window.axe === "object"`)
	}
	e.Await(`document.getAnimations().every(a => a.timeline !== document.timeline)`)
	doc := Eval[string](e, `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.map(v =>
		({id: v.id, help: v.help, nodes: v.nodes.map(n => n.html.slice(0, 160) + " -- " + n.failureSummary)}))))`)
	var violations []struct {
		ID, Help string
		Nodes    []string
	}
	if err := json.Unmarshal([]byte(doc), &violations); err != nil {
		e.T.Fatal(err)
	}
	for _, v := range violations {
		e.T.Errorf("%s: %s: %s (%d times), first: %s", what, v.ID, v.Help, len(v.Nodes), v.Nodes[0])
	}
}
