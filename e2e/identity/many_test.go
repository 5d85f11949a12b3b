package identity

import (
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestClusters goes to another context of the kubeconfig: it is another cluster, where
// somebody signs in anew, and neither session opens the other.
func TestClusters(t *testing.T) {
	path, err := stage.Cluster.Kubeconfig(gate, cluster.KubeconfigOptions{Path: filepath.Join(t.TempDir(), "kubeconfig"), Context: "shop", Extra: map[string]cluster.User{"store": gate}})
	must(t, err)
	listen := stage.FreePort(t)
	p := stage.Serve(t, proxy.Options{Kubeconfig: path, Listen: listen, Args: []string{"--auth", "token", "--public-url", "http://" + listen}})
	e := person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.SignIn(vera.Token)
	e.sees("of-green")
	e.Press(":")
	e.Await(`document.activeElement?.id === "palette-text"`)
	e.Press("context store")
	e.Says("#offers", "store")
	e.Press("\r")
	e.Says("h1", "Sign in", "to store")
	e.Keep("another")
	e.SignIn(dan.Token)
	e.AwaitState("denied")
	e.Says("#who", "as dan")
	e.Must(e.Open(p.At("/configmaps")))
	e.sees("of-green")
	e.Says("#who", "as vera")
}

// balance passes connections on to one of several addresses: the first that is ready.
func balance(t *testing.T, to ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go pass(conn, to)
		}
	}()
	return "http://" + l.Addr().String()
}

func pass(conn net.Conn, to []string) {
	defer conn.Close()
	for _, address := range to {
		resp, err := http.Get("http://" + address + "/-/readyz")
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			continue
		}
		far, err := net.Dial("tcp", address)
		if err != nil {
			continue
		}
		defer far.Close()
		go func() { _, _ = io.Copy(far, conn); far.Close() }()
		_, _ = io.Copy(conn, far)
		return
	}
}

// replicas are two proxies that share a key, and the address of what stands before them:
// the first serves as long as it is ready.
func replicas(t *testing.T) (one, two *proxy.Proxy, public string) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	bytes := make([]byte, 32)
	_, err := rand.Read(bytes)
	must(t, err)
	must(t, os.WriteFile(key, bytes, 0o600))
	first, second := stage.FreePort(t), stage.FreePort(t)
	public = balance(t, first, second)
	replica := func(listen string) *proxy.Proxy {
		return stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig(t, gate), Listen: listen, Args: []string{"--auth", "token", "--public-url", public, "--key-file", key, "--drain", "4s"}})
	}
	return replica(first), replica(second), public
}

// TestReplicas stops the replica that a tab is connected to: the tab goes to the other
// with the session it has, resumes where it was, and loses nothing.
func TestReplicas(t *testing.T) {
	one, _, public := replicas(t)
	e := person(t)
	e.Must(e.Open(public + "/configmaps"))
	e.SignIn(vera.Token)
	e.sees("of-green")
	e.AwaitState("live")
	must(t, syscall.Kill(one.PID(), syscall.SIGTERM))
	for i := range 20 {
		must(t, configMap(t.Context(), "green", "while-it-stops-"+strings.Repeat("i", i+1)))
	}
	e.Await(`watchglass.inspect().then(i => i.sources[0].resumes > 0)`)
	e.AwaitState("live")
	for i := range 20 {
		e.sees("while-it-stops-" + strings.Repeat("i", i+1))
	}
	if i := e.Inspect(); i.Sources[0].Relists > 0 {
		t.Errorf("it listed anew: %+v", i.Sources)
	}
	if said := one.Stderr(); !strings.Contains(said, "draining tabs") {
		t.Error(said)
	}
	e.Says("#who", "as vera")
}
