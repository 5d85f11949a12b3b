package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: c1, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u1, user: {token: t}}]
contexts: [{name: prod, context: {cluster: c1, user: u1}}]
`

// TestPlugin runs the program through the real kubectl, by the names that krew and the packages
// give it.
func TestPlugin(t *testing.T) {
	binary, err := proxy.Binary()
	if err != nil {
		t.Fatal(err)
	}
	programs, err := cluster.Build(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"kubectl-watchglass", "kubectl_complete-watchglass"} {
		if err := os.Symlink(binary, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "config")
	if err := os.WriteFile(config, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"watchglass --help":                 "Usage:\n  kubectl watchglass [flags]\n",
		"watchglass version":                "watchglass ",
		"watchglass --nonsense":             "kubectl watchglass: unknown flag: --nonsense",
		"watchglass --context=none":         `context "none" does not exist`,
		"__complete watchglass --auth t":    "token\n:4",
		"__complete watchglass --context p": "prod\n:4",
	} {
		c := exec.CommandContext(t.Context(), programs.Kubectl, strings.Fields(line)...)
		c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir, "KUBECONFIG="+config, "KUBERC=off")
		if out, _ := c.CombinedOutput(); !strings.Contains(string(out), want) { // some lines are meant to fail
			t.Errorf("kubectl %s: %s, want %q", line, out, want)
		}
	}
}
