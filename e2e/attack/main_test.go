package attack_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"watchglass/e2e/browser"
	"watchglass/e2e/child"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// soon bounds what should take no time, on machines with much to do.
const soon = time.Minute

// The names that the attacker has; to the browser all of them are this machine.
const (
	evil    = "evil.example"
	rebound = "rebound.example"
)

// world is what the attacks in a browser happen in.
type world struct {
	cluster *cluster.Cluster
	chrome  *browser.Browser
}

var (
	worldly sync.Mutex
	made    *world // by the first test that needs it
)

func TestMain(m *testing.M) {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // the apiserver's parser tells of all that it cannot read
	code := m.Run()
	if made != nil {
		if err := errors.Join(made.chrome.Stop(), made.cluster.Stop()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// theWorld is made when it is first needed: a fuzzer needs none.
func theWorld(t *testing.T) *world {
	t.Helper()
	worldly.Lock()
	defer worldly.Unlock()
	if made != nil {
		return made
	}
	c, err := cluster.Start(context.Background(), cluster.Options{Log: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	b, err := browser.Start(context.Background(), "host-resolver-rules=MAP "+evil+" 127.0.0.1, MAP "+rebound+" 127.0.0.1")
	if err != nil {
		t.Fatal(errors.Join(err, c.Stop()))
	}
	made = &world{cluster: c, chrome: b}
	return made
}

// watchglass starts the proxy, as the admin.
func (w *world) watchglass(t *testing.T, args ...string) *proxy.Proxy {
	t.Helper()
	return w.serve(t, proxy.Options{Args: args})
}

// serve starts the proxy: the admin's, if no kubeconfig is given.
func (w *world) serve(t *testing.T, o proxy.Options) *proxy.Proxy {
	t.Helper()
	if o.Kubeconfig == "" {
		var err error
		if o.Kubeconfig, err = w.cluster.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := proxy.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// kubectlProxy starts kubectl proxy as it is by default, as the admin, and returns its
// address.
func (w *world) kubectlProxy(t *testing.T) string {
	t.Helper()
	path, err := w.cluster.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{})
	if err != nil {
		t.Fatal(err)
	}
	binaries, err := cluster.Build(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	cmd := exec.Command(binaries.Kubectl, "proxy", "--port=0", "--kubeconfig", path)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	cmd.Stdout, cmd.Stderr = in, in
	process, err := child.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		out.Close() // whatever it still says
		if err := process.Kill(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "Starting to serve on ")
	if err != nil || !ok {
		t.Fatalf("kubectl proxy says %q, %v", line, err)
	}
	return address
}

// tab is a tab whose failures fail the test.
type tab struct {
	*browser.Tab
	t *testing.T
}

func (w *world) open(t *testing.T, address string) tab {
	t.Helper()
	b, err := w.chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return tab{b, t}.at(address)
}

// beside opens an address in a tab of the same person.
func (b tab) beside(address string) tab {
	b.t.Helper()
	other, err := b.Beside()
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(other.Close)
	return tab{other, b.t}.at(address)
}

func (b tab) at(address string) tab {
	b.t.Helper()
	if err := b.Open(address); err != nil {
		b.t.Fatal(err)
	}
	b.await(`document.readyState === "complete"`)
	return b
}

// live waits until the page is.
func (b tab) live() tab {
	b.t.Helper()
	b.await(`document.documentElement.dataset.state === "live"`)
	return b
}

func (b tab) await(expression string) {
	b.t.Helper()
	if err := b.Await(expression, soon); err != nil {
		b.t.Fatal(err)
	}
}

func eval[T any](b tab, expression string) T {
	b.t.Helper()
	v, err := browser.Eval[T](b.Tab, expression)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}
