package kubeconfig_test

import (
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// place is the folder a row has for itself: it is HOME, it holds the row's
// files, and credentials under pki. Commands are run in its folder elsewhere, so
// that nothing is found by chance.
type place struct {
	dir    string
	names  map[string]string // what $NAME in files, flags and variables stands for
	server *apiserver
}

// workload is a JWT of an OIDC issuer that is good until the year 2286.
var workload = "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":9999999999}`)) + ".c2lnbmF0dXJl"

func newPlace(t *testing.T, server *apiserver, files map[string]string) *place {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.StdEncoding.EncodeToString
	p := &place{dir: dir, server: server, names: map[string]string{
		"DIR": dir, "PLUGIN": self, "JWT": workload,
		"SERVER": server.address, "CONNECT": server.tunnel.connect.Addr().String(), "SOCKS": server.tunnel.socks.Addr().String(),
		"CA": b64(authority().certPEM), "STRANGER": b64(stranger().certPEM),
		"CERT": b64(ana().certPEM), "KEY": b64(ana().keyPEM),
	}}
	for name, text := range map[string]string{
		"pki/ca.crt": string(authority().certPEM), "pki/ana.crt": string(ana().certPEM), "pki/ana.key": string(ana().keyPEM),
		"pki/token": "of-a-file\n", "elsewhere/.keep": "",
	} {
		p.write(t, name, text)
	}
	for name, text := range files {
		p.write(t, name, p.expand(t, text))
	}
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "bin", "wg-test-plugin")); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *place) expand(t *testing.T, text string) string {
	t.Helper()
	return os.Expand(text, func(name string) string {
		value, ok := p.names[name]
		if !ok {
			t.Fatalf("nothing is called $%s", name)
		}
		return value
	})
}

// command is a program as it is run here: with nothing of the tester's own
// environment, and the file config as its kubeconfig unless env says otherwise.
func (p *place) command(t *testing.T, path string, env, args []string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), path)
	for _, arg := range args {
		c.Args = append(c.Args, p.expand(t, arg))
	}
	c.Dir = filepath.Join(p.dir, "elsewhere")
	c.Env = []string{"HOME=" + p.dir, "PATH=" + filepath.Join(p.dir, "bin"), "KUBECONFIG=" + filepath.Join(p.dir, "config"), "KUBERC=off"}
	for _, variable := range env {
		c.Env = append(c.Env, p.expand(t, variable))
	}
	return c
}

// inOneLine is for words that a program may have wrapped or quoted in its log.
func inOneLine(text string) string { return strings.ReplaceAll(text, `\"`, `"`) }
