package soak

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// apiserverName is the name by which the proxies know the apiserver. Its certificate has it.
const apiserverName = "kubernetes.default.svc"

// world is everything between a write to etcd and a pixel.
type world struct {
	*testing.T
	ctx     context.Context
	cluster *cluster.Cluster
	replica *cluster.Replica // a second apiserver

	lag  *gate // from the replica to etcd
	up   *gate // from the proxies to the apiservers
	down *gate // from the browser to the proxies

	front, expired *front // before the apiservers, when a fault asks for one; the other's certificate has expired
	hosts          string // the file in which the proxies find the apiserver's name

	proxies [2]*proxy.Proxy
	metrics [2]string // where a proxy serves them
	debug   [2]string
	turn    atomic.Int64

	shared []*tab // of one worker
	alone  *tab   // with a worker of its own
	tabs   []*tab // all

	truth  *truth
	ledger ledger

	mu     sync.Mutex
	churn  *cluster.Churn
	stop   context.CancelFunc // of the churn
	wrote  atomic.Int64
	starts time.Duration // of the apiserver: how long the last took
}

// newWorld starts all of it. It ends with the test.
func newWorld(t *testing.T, seed uint64, perSecond float64) *world {
	w := &world{T: t, ctx: t.Context(), cluster: stage.Cluster}
	w.lag = newGate(t, seed, dialing("unix", w.cluster.EtcdSocket(0), w.cluster.EtcdSocket(1), w.cluster.EtcdSocket(2)))
	begin := time.Now()
	var err error
	w.replica, err = w.cluster.StartReplica(w.ctx, "http://"+w.lag.address)
	w.must(err)
	w.starts = time.Since(begin)
	first := strings.TrimPrefix(w.cluster.URL(), "https://")
	w.truth, err = newTruth(w.cluster, first, w.replica.Address())
	w.must(err)

	w.up = newGate(t, seed+1, nil)
	w.route(first)
	good, err := w.cluster.ServingCertificate(time.Now().Add(24 * time.Hour))
	w.must(err)
	bad, err := w.cluster.ServingCertificate(time.Now().Add(-time.Minute))
	w.must(err)
	to := upstream(t, dialing("tcp", first, w.replica.Address()))
	t.Cleanup(to.CloseIdleConnections)
	w.front, w.expired = newFront(t, good, to), newFront(t, bad, to)
	w.down = newGate(t, seed+2, w.toProxy)
	w.startProxies()
	w.openTabs()
	w.write(perSecond)
	t.Cleanup(w.stopWriting)
	return w
}

// apiserver is the address of the first apiserver.
func (w *world) apiserver() string { return strings.TrimPrefix(w.cluster.URL(), "https://") }

// route has new connections of the proxies go to the first of some addresses that answers.
func (w *world) route(to ...string) { w.up.lead(dialing("tcp", to...)) }

// through has all connections of the proxies go through a front.
func (w *world) through(f *front) {
	w.route(f.Listener.Addr().String())
	w.up.cut()
}

// must ends the test at an error.
func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// ownNames is a program that runs watchglass with files of ours in place of the machine's for names.
const ownNames = `#!/bin/sh
map=
[ "$(id -u)" = 0 ] || map=--map-root-user
exec unshare $map --mount --propagation private sh -c '
mount --bind "%[1]s" /etc/hosts && { mount --bind "%[2]s" /etc/resolv.conf || true; } && exec setpriv --pdeathsig KILL "%[3]s" "$@"' watchglass "$@"
`

// named and unnamed are what the file of names says. Go reads a file without a name anew each
// time, and one with a name after hostsFor.
const (
	named    = "127.0.0.1 " + apiserverName + "\n"
	unnamed  = "\n"
	hostsFor = 5 * time.Second
)

func (w *world) startProxies() {
	w.Helper()
	dir := w.TempDir()
	w.hosts = filepath.Join(dir, "hosts")
	resolv, program, key := filepath.Join(dir, "resolv.conf"), filepath.Join(dir, "watchglass"), filepath.Join(dir, "key")
	binary, err := proxy.Binary()
	w.must(err)
	w.must(os.WriteFile(w.hosts, []byte(named), 0o644))
	w.must(os.WriteFile(resolv, []byte("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), 0o644))
	w.must(os.WriteFile(program, fmt.Appendf(nil, ownNames, w.hosts, resolv, binary), 0o755))
	secret := make([]byte, 32)
	_, err = rand.Read(secret)
	w.must(err)
	w.must(os.WriteFile(key, secret, 0o600))
	_, port, _ := net.SplitHostPort(w.up.address)
	config := stage.Kubeconfig(w.T, sara, cluster.KubeconfigOptions{Server: "https://" + net.JoinHostPort(apiserverName, port)})
	for i := range w.proxies {
		w.metrics[i], w.debug[i] = freePort(w.T), freePort(w.T)
		w.proxies[i] = stage.Serve(w.T, proxy.Options{Kubeconfig: config, Binary: program, Listen: freePort(w.T), Args: []string{
			"--auth", "token", "--public-url", "http://" + w.down.address, "--key-file", key, "--drain", "2s",
			"--metrics-listen", w.metrics[i], "--debug-listen", w.debug[i],
		}})
	}
}

// toProxy connects to the proxies in turn, to those that are ready.
func (w *world) toProxy() (net.Conn, error) {
	first := int(w.turn.Add(1))
	for i := range w.proxies {
		address := strings.TrimPrefix(w.proxies[(first+i)%len(w.proxies)].Origin(), "http://")
		resp, err := http.Get("http://" + address + "/-/readyz")
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			continue
		}
		if c, err := net.Dial("tcp", address); err == nil {
			return c, nil
		}
	}
	return nil, errNoProxy
}

var errNoProxy = fmt.Errorf("no proxy is ready")

// address is what the tabs open.
func (w *world) address() string { return "http://" + w.down.address + "/pods" }

// openTabs opens three tabs that share a worker, and one with a worker of its own.
func (w *world) openTabs() {
	w.Helper()
	first, err := stage.Chrome.NewTab()
	w.must(err)
	w.shared = append(w.shared, newTab("shared 1", first))
	w.opens(first, true)
	w.must(first.AwaitState("live", stage.Soon))
	for i := range 2 {
		page, err := first.Beside()
		w.must(err)
		w.shared = append(w.shared, newTab(fmt.Sprint("shared ", i+2), page))
		w.opens(page, false)
	}
	page, err := stage.Chrome.NewTab()
	w.must(err)
	w.alone = newTab("alone", page)
	w.must(page.First(withoutSharing))
	w.opens(page, true)
	w.tabs = append(append(w.tabs, w.shared...), w.alone)
	for _, b := range w.tabs {
		w.must(b.page.AwaitState("live", stage.Soon))
	}
	w.Cleanup(func() {
		for _, b := range w.tabs {
			if w.Failed() {
				stage.Eyes{Tab: b.page, T: w.T}.Keep(strings.ReplaceAll(b.name, " ", "-"))
				w.Logf("the console of %s: %q", b.name, b.page.Console())
			}
			b.page.Close()
		}
	})
	w.must(w.watchWorker())
}

// opens opens the list in a page, and signs in if nobody is.
func (w *world) opens(page *browser.Tab, signIn bool) {
	w.Helper()
	w.must(page.First(countsTimers))
	w.must(page.First(watcher))
	w.must(page.Listen())
	w.must(page.Open(w.address()))
	if signIn {
		stage.Eyes{Tab: page, T: w.T}.SignIn(sara.Token)
	}
}

// watchWorker has a new shared worker count its timers.
func (w *world) watchWorker() error {
	clock, err := w.shared[0].page.Clock()
	if err != nil {
		return err
	}
	for _, b := range w.shared {
		b.mu.Lock()
		b.clock = clock
		b.mu.Unlock()
	}
	_, err = browser.EvalWorker[float64](clock, countsTimers)
	return err
}

// write starts to write to pods, into etcd itself, so that it goes on while there is no apiserver.
func (w *world) write(perSecond float64) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx, stop := context.WithCancel(w.ctx)
	churn, err := w.cluster.Churn(ctx, cluster.ChurnOptions{
		PerSecond: perSecond, Seed: uint64(w.wrote.Load()), Direct: true,
		Wrote: func(one cluster.Write) {
			w.wrote.Add(1)
			if one.ResourceVersion != "" {
				w.ledger.add(number(one.ResourceVersion), one.Answered)
			}
		},
	})
	if err != nil {
		stop()
		w.Fatal(err)
	}
	w.churn, w.stop = churn, stop
}

// stopWriting returns when the last write is done. Those that failed while etcd was away are no error.
func (w *world) stopWriting() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.churn == nil {
		return
	}
	w.stop()
	_ = w.churn.Wait()
	w.churn = nil
}

// isQuiet reports that nothing is written.
func (w *world) isQuiet() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.churn == nil
}

// startAPIServer starts the first apiserver after a kill, and notes how long that takes.
func (w *world) startAPIServer() {
	w.Helper()
	begin := time.Now()
	w.must(w.cluster.StartAPIServer(w.ctx))
	w.starts = time.Since(begin)
}

// pause waits for a time that is part of a fault.
func (w *world) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-w.ctx.Done():
	}
}
