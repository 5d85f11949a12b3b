package identity

import (
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// TestSignOutTwoNames signs out in one of two tabs that name the default context differently. The other hears of it from
// the browser, since its socket may be at a replica that does not.
func TestSignOutTwoNames(t *testing.T) {
	p, e := serve(t, gate, "", "--auth", "token"), person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.SignIn(vera.Token)
	e.sees("of-green")
	stage.Eval[bool](e, `localStorage["watchglass:contexts:"] = '["shop"]', true`) // it is not asked whether to open it
	beside := e.beside()
	beside.Must(beside.Open(p.At("/configmaps?c=shop")))
	beside.sees("of-green")
	e.SignOut()
	for _, tab := range []eyes{e, beside} {
		tab.Says("main", "You have signed out of this cluster, in every tab")
	}
}

// balancer passes each connection on to one of several addresses that are ready.
type balancer struct {
	listener net.Listener
	to       []string
	inTurn   bool // else the first that is ready gets all

	mu   sync.Mutex
	turn int
	open map[string]int // connections, by address
}

// balance starts a balancer, which ends with the test.
func balance(t *testing.T, inTurn bool, to ...string) *balancer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	b := &balancer{listener: l, to: to, inTurn: inTurn, open: make(map[string]int)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go pass(conn, b)
		}
	}()
	return b
}

// origin is what browsers open.
func (b *balancer) origin() string { return "http://" + b.listener.Addr().String() }

// order returns the addresses in the order in which they are tried for the next connection.
func (b *balancer) order() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := b.turn
	if b.inTurn {
		b.turn = (b.turn + 1) % len(b.to)
	}
	return slices.Concat(b.to[first:], b.to[:first])
}

// connections returns how many are open to an address.
func (b *balancer) connections(address string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[address]
}

func (b *balancer) count(address string, more int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[address] += more
}

// isReady reports whether the proxy at an address accepts tabs.
func isReady(address string) bool {
	resp, err := http.Get("http://" + address + "/-/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func pass(conn net.Conn, b *balancer) {
	defer conn.Close()
	for _, address := range b.order() {
		if !isReady(address) {
			continue
		}
		far, err := net.Dial("tcp", address)
		if err != nil {
			continue
		}
		defer far.Close()
		b.count(address, 1)
		defer b.count(address, -1)
		go func() { _, _ = io.Copy(far, conn); far.Close() }()
		_, _ = io.Copy(conn, far)
		return
	}
}

// replicas are two proxies that share a key, and the address of what stands before them:
// the first serves as long as it is ready.
func replicas(t *testing.T) (one, two *proxy.Proxy, public string) {
	t.Helper()
	all, front := replicasBehind(t, false)
	return all[0], all[1], front.origin()
}

// replicasBehind are two proxies that share a key, and the balancer before them.
func replicasBehind(t *testing.T, inTurn bool) ([2]*proxy.Proxy, *balancer) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	bytes := make([]byte, 32)
	_, err := rand.Read(bytes)
	must(t, err)
	must(t, os.WriteFile(key, bytes, 0o600))
	listen := [2]string{stage.FreePort(t), stage.FreePort(t)}
	front := balance(t, inTurn, listen[:]...)
	var all [2]*proxy.Proxy
	for i := range all {
		all[i] = stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig(t, gate), Listen: listen[i], Args: []string{"--auth", "token", "--public-url", front.origin(), "--key-file", key, "--drain", "4s"}})
	}
	return all, front
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
	e.AwaitSource(func(s stage.Source) bool { return s.Relists == 0 })
	if said := one.Stderr(); !strings.Contains(said, "draining tabs") {
		t.Error(said)
	}
	e.Says("#who", "as vera")
}
