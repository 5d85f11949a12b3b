// Package stage is what the end-to-end tests of a package stand on: a real etcd and
// kube-apiserver and a real Chromium, one of each for all of the package's tests, and
// what every test does with them. What a test asks for ends with the test, and what
// cannot be had fails it.
package stage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// Soon bounds what should take no time, on machines with much to do.
const Soon = time.Minute

// baseline has the browser compile WebAssembly without optimising it: each test opens a new
// page, and few run long enough to gain from faster code.
const baseline = "js-flags=--liftoff-only"

// What Main started.
var (
	Cluster *cluster.Cluster
	Chrome  *browser.Browser
	Admin   *kubernetes.Clientset
)

// Options say what a package's tests need.
type Options struct {
	Cluster cluster.Options
	Browser []string // flags, name or name=value
	// Optimised has the browser optimise WebAssembly, as people have it: for tests that run long enough.
	Optimised bool
	// Alone has a browser only: no cluster, and no Admin.
	Alone bool
	// Prepare makes what all tests need, once Cluster and Admin are there.
	Prepare func(ctx context.Context) error
	// Finish ends what Prepare began, if it was called.
	Finish func() error
}

// Main starts all, runs the tests of a package, and ends all. It returns what to exit
// with.
func Main(m *testing.M, o Options) int {
	finish, err := start(context.Background(), o)
	code := 1
	if err == nil {
		code = m.Run()
	}
	if err = errors.Join(err, closePages(), finish()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// start starts all, or as much as goes; finish ends what it started.
func start(ctx context.Context, o Options) (finish func() error, err error) {
	var ends []func() error
	finish = func() (err error) {
		for i := len(ends) - 1; i >= 0; i-- {
			err = errors.Join(err, ends[i]())
		}
		return err
	}
	if _, err = proxy.Binary(); err != nil {
		return finish, err
	}
	if !o.Alone {
		if err = startCluster(ctx, o, &ends); err != nil {
			return finish, err
		}
	}
	flags := o.Browser
	if !o.Optimised {
		flags = append([]string{baseline}, flags...)
	}
	if Chrome, err = browser.Start(ctx, flags...); err == nil {
		ends = append(ends, Chrome.Stop)
	}
	return finish, err
}

// startCluster starts the cluster and prepares it. It adds what ends it.
func startCluster(ctx context.Context, o Options, ends *[]func() error) (err error) {
	o.Cluster.Log = os.Stderr
	if Cluster, err = cluster.Start(ctx, o.Cluster); err != nil {
		return err
	}
	*ends = append(*ends, Cluster.Stop)
	if Admin, err = kubernetes.NewForConfig(Cluster.Config()); err != nil {
		return err
	}
	if o.Finish != nil {
		*ends = append(*ends, o.Finish)
	}
	if o.Prepare != nil {
		return o.Prepare(ctx)
	}
	return nil
}

// Kubeconfig writes one for a user and returns its path.
func Kubeconfig(t *testing.T, user cluster.User, o cluster.KubeconfigOptions) string {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "kubeconfig")
	}
	path, err := Cluster.Kubeconfig(user, o)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Serve starts a proxy that ends with the test: the admin's, if no kubeconfig is given.
func Serve(t *testing.T, o proxy.Options) *proxy.Proxy {
	t.Helper()
	if o.Kubeconfig == "" {
		o.Kubeconfig = Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{})
	}
	p, err := proxy.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the proxy said:\n%s", p.Stderr())
		}
	})
	return p
}

// ServeTo serves a user whose kubeconfig names a namespace.
func ServeTo(t *testing.T, user cluster.User, ns string, args ...string) *proxy.Proxy {
	t.Helper()
	return Serve(t, proxy.Options{Kubeconfig: Kubeconfig(t, user, cluster.KubeconfigOptions{Namespace: ns}), Args: args})
}

// FreePort is an address of this machine that nobody listens on just now.
func FreePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// mostWait bounds a wait during which something gets on.
const mostWait = 5 * time.Minute

// WaitFor waits for a condition outside of the browser: for Soon, and then as long as the cluster gets on.
func WaitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	begun, last := time.Now(), version(t)
	for !Within(Soon/2, ok) {
		now := version(t)
		if waited := time.Since(begun); waited > mostWait || waited > Soon && now == last {
			t.Fatalf("not within %s: %s", waited.Round(time.Second), what)
		}
		last = now
	}
}

// version is the one that the cluster is at; "" if there is none, or it does not answer.
func version(t *testing.T) string {
	if Admin == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	all, err := Admin.CoreV1().Namespaces().List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return ""
	}
	return all.ResourceVersion
}

// WaitWithin waits for a condition that may take longer than Soon.
func WaitWithin(t *testing.T, bound time.Duration, what string, ok func() bool) {
	t.Helper()
	if !Within(bound, ok) {
		t.Fatalf("not within %s: %s", bound, what)
	}
}

// WaitNone waits until nothing is left of what is named. It fails when nothing has gone for Soon, however long
// the whole takes, and says what is left.
func WaitNone(t *testing.T, what string, left func() []string) {
	t.Helper()
	last := left()
	for len(last) > 0 {
		now := last
		if !Within(Soon, func() bool { now = left(); return len(now) < len(last) }) {
			t.Fatalf("for %s, none of the %d %s has gone:\n%s", Soon, len(now), what, strings.Join(now, "\n"))
		}
		last = now
	}
}

// Within waits for a condition, and reports whether it held in time.
func Within(bound time.Duration, ok func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(bound)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			return false
		}
	}
	return true
}
