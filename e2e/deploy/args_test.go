package deploy

import (
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

const etc = "/etc/watchglass/"

// localize returns the arguments of a pod for this machine: with its volumes in a folder.
func localize(t *testing.T, r rendering, pod *corev1.Pod, token string) (args []string) {
	t.Helper()
	dir := t.TempDir()
	for _, v := range pod.Spec.Volumes {
		for name, content := range files(t, r, v, token) {
			path := filepath.Join(dir, v.Name, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if v.Name == "config" || name == "kubeconfig" {
				content = []byte(strings.NewReplacer(etc, dir+"/", "https://kubernetes.default.svc", shared.URL()).Replace(string(content)))
			}
			if err := os.WriteFile(path, content, 0o440); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := program(t, pod)
	for _, m := range c.VolumeMounts {
		if m.MountPath != etc+m.Name {
			t.Fatalf("%s is mounted at %s", m.Name, m.MountPath)
		}
	}
	for _, a := range c.Args {
		args = append(args, strings.ReplaceAll(a, etc, dir+"/"))
	}
	return args
}

// files returns the files of a volume. Secrets and ConfigMaps that a rendering doesn't have are
// those that the README says to make.
func files(t *testing.T, r rendering, v corev1.Volume, token string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	configMap := func(name string) {
		switch name {
		case "kube-root-ca.crt", "dex-ca", "front-ca":
			all["ca.crt"] = shared.CA()
			return
		}
		for _, m := range find[*corev1.ConfigMap](r) {
			if m.Name == name {
				for k, text := range m.Data {
					all[k] = []byte(text)
				}
				return
			}
		}
		t.Fatalf("%s: there is no ConfigMap %s", r.name, name)
	}
	secret := func(name string) {
		for _, s := range find[*corev1.Secret](r) {
			if s.Name == name {
				maps.Copy(all, s.Data)
				return
			}
		}
		key := []byte("0123456789abcdefghijklmnopqrstuv")
		own := map[string]map[string][]byte{
			"watchglass-key": {"key": key}, "my-key": {"my.key": key}, "watchglass-oidc": {"client-secret": []byte("secret")},
			"watchglass-tls": {"tls.crt": read(t, "apiserver.crt"), "tls.key": read(t, "apiserver.key")},
		}
		if name == "clusters" {
			path, err := shared.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{Path: filepath.Join(t.TempDir(), "kubeconfig")})
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			own[name] = map[string][]byte{"kubeconfig": text}
		}
		if own[name] == nil {
			t.Fatalf("%s: there is no Secret %s", r.name, name)
		}
		maps.Copy(all, own[name])
	}
	switch {
	case v.ConfigMap != nil:
		configMap(v.ConfigMap.Name)
	case v.Secret != nil:
		secret(v.Secret.SecretName)
	case v.Projected != nil:
		for _, p := range v.Projected.Sources {
			switch {
			case p.ConfigMap != nil:
				configMap(p.ConfigMap.Name)
			case p.Secret != nil:
				secret(p.Secret.Name)
			case p.ServiceAccountToken != nil:
				all[p.ServiceAccountToken.Path] = []byte(token)
			}
		}
	}
	return all
}

// read returns a file of the cluster.
func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared.Dir(), name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestArgs has the program itself check the arguments of each Deployment, and the file of --config.
func TestArgs(t *testing.T) {
	binary, err := proxy.Binary()
	if err != nil {
		t.Fatal(err)
	}
	parses := func(args []string) error {
		cmd := exec.Command(binary, append(slices.Clone(args), "--version")...) // checked first
		cmd.Env = []string{"HOME=" + t.TempDir()}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	for _, r := range renderings(t) {
		args := localize(t, r, pods(t, r)["deployment"], "")
		if err := parses(args); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		if err := parses(append(args, "--no-such-flag")); err == nil {
			t.Errorf("%s: a flag that doesn't exist is accepted", r.name)
		}
	}
}

// noValues are flags that no value of the chart sets.
var noValues = map[string][]string{
	"the kubeconfig says it":                 {"context", "cluster", "user"},
	"for local mode only":                    {"as", "as-uid", "as-group", "demo", "replay", "demo-objects", "demo-contexts", "demo-seed", "open", "link"},
	"the values are the configuration":       {"config"},
	"not safe, or for one pod during a hunt": {"allow-insecure-upstream", "debug-listen"},
	"print something and exit":               {"version", "licenses", "help"},
}

// TestFlags shows that the chart sets all flags but those of noValues, with the values that are
// shipped and those of the tests.
func TestFlags(t *testing.T) {
	doc, err := os.ReadFile("../../proxy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "\n| flag | environment variable |")
	flags := regexp.MustCompile("(?m)^\\| (?:`-[a-z]`, )?`--([a-z-]+)").FindAllStringSubmatch(table, -1)
	if len(flags) < 50 {
		t.Fatalf("%d flags in the README", len(flags))
	}
	set := map[string]bool{}
	for _, r := range renderings(t) {
		if strings.HasPrefix(r.name, "chart-") {
			for _, a := range program(t, pods(t, r)["deployment"]).Args {
				name, _, _ := strings.Cut(strings.TrimPrefix(a, "--"), "=")
				set[name] = true
			}
		}
	}
	unset := slices.Concat(slices.Collect(maps.Values(noValues))...)
	for _, f := range flags {
		if name := f[1]; set[name] == slices.Contains(unset, name) {
			t.Errorf("--%s: set by a value: %t, want the opposite", name, set[name])
		}
	}
}

// TestRuns runs the program with the arguments and the files of each Deployment, and asks for its
// health as the kubelet does.
func TestRuns(t *testing.T) {
	for _, r := range renderings(t) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			token := chartToken
			if strings.HasPrefix(r.name, "overlay-") {
				token = overlayToken
			}
			pod := pods(t, r)["deployment"]
			ports := map[string]string{"http": portOf(stage.FreePort(t)), "metrics": portOf(stage.FreePort(t))}
			args := append(localize(t, r, pod, token), "--listen=127.0.0.1:"+ports["http"])
			if hasPort(program(t, pod), "metrics") {
				args = append(args, "--metrics-listen=127.0.0.1:"+ports["metrics"])
			}
			p, err := proxy.Start(t.Context(), proxy.Options{Args: args, Listen: "127.0.0.1:" + ports["http"]})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}()
			if want := "https://watchglass.example.com"; !strings.HasPrefix(p.Address(), want) {
				t.Errorf("its address is %s", p.Address())
			}
			c := program(t, pod)
			for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe} {
				scheme := strings.ToLower(string(probe.HTTPGet.Scheme))
				if scheme == "" {
					scheme = "http"
				}
				get(t, scheme+"://127.0.0.1:"+ports[probe.HTTPGet.Port.StrVal]+probe.HTTPGet.Path)
			}
			for line := range strings.Lines(p.Stderr()) {
				if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, `"level":"WARN"`) {
					t.Errorf("it logs %s", line)
				}
			}
		})
	}
}

func hasPort(c *corev1.Container, name string) bool {
	return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
}

// portOf returns the port of an address.
func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// get asks for an address until it answers ok. Like the kubelet, it doesn't check certificates.
func get(t *testing.T, address string) {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	stage.WaitFor(t, address+" answers ok", func() bool {
		code, body, err := ask(client, address)
		return err == nil && code == http.StatusOK && body == "ok"
	})
}

func ask(client *http.Client, address string) (code int, body string, err error) {
	answer, err := client.Get(address)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, strings.TrimSpace(string(text)), err
}
