// Package e2e holds the tests of the whole: a real etcd and kube-apiserver, the
// real proxy, a real Chromium. One control plane and one browser serve them all;
// what breaks the control plane runs one after the other.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// podsSeeded is how many pods the shared cluster starts with.
const podsSeeded = 2000

// soon bounds what should take no time, on machines with much to do.
const soon = 30 * time.Second

// The users beside the admin: one who may see one namespace only, one who may see
// nothing, one whom the apiserver does not know (any more), and an admin with a
// token.
var (
	narrow   = cluster.User{Name: "nadia", Token: "nadia-token"}
	denied   = cluster.User{Name: "dan", Token: "dan-token"}
	unlisted = cluster.User{Name: "eve", Token: "eve-token-of-last-year"}
	operator = cluster.User{Name: "olga", Groups: []string{"system:masters"}, Token: "olga-token"}
)

var (
	shared *cluster.Cluster
	chrome *browser.Browser
	admin  *kubernetes.Clientset
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	ctx := context.Background()
	err := start(ctx)
	code := 1
	if err == nil {
		code = m.Run()
	}
	if chrome != nil {
		err = errors.Join(err, chrome.Stop())
	}
	if shared != nil {
		err = errors.Join(err, shared.Stop())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func start(ctx context.Context) (err error) {
	if _, err = proxy.Binary(); err != nil {
		return err
	}
	if shared, err = cluster.Start(ctx, cluster.Options{Log: os.Stderr, Users: []cluster.User{narrow, denied, operator}}); err != nil {
		return err
	}
	if err = shared.SeedPods(ctx, podsSeeded, cluster.PodOptions{}); err != nil {
		return err
	}
	if admin, err = kubernetes.NewForConfig(shared.Config()); err != nil {
		return err
	}
	chrome, err = browser.Start(ctx)
	return err
}

// kubeconfig writes one for a user and returns its path.
func kubeconfig(t *testing.T, user cluster.User, o cluster.KubeconfigOptions) string {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "kubeconfig")
	}
	path, err := shared.Kubeconfig(user, o)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// serve starts a proxy that ends with the test.
func serve(t *testing.T, o proxy.Options) *proxy.Proxy {
	t.Helper()
	if o.Kubeconfig == "" {
		o.Kubeconfig = kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{})
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

// eyes is a tab whose failures fail the test.
type eyes struct {
	*browser.Tab
	t *testing.T
}

// open opens an address of a proxy in a new tab, which ends with the test. Nothing
// may be written to its console but what matches one of the patterns.
func open(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	tab, err := chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	e := eyes{tab, t}
	t.Cleanup(func() {
		if t.Failed() {
			e.keep("failed")
		}
		e.checkConsole(allowed)
		tab.Close()
	})
	e.must(tab.Listen())
	e.must(tab.Open(address))
	return e
}

// synced opens an address and waits until its list is whole and live.
func synced(t *testing.T, address string, allowed ...string) eyes {
	t.Helper()
	e := open(t, address, allowed...)
	e.state("live")
	return e
}

func (e eyes) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e eyes) state(state string) {
	e.t.Helper()
	e.must(e.AwaitState(state, soon))
}

func (e eyes) await(expression string) {
	e.t.Helper()
	e.must(e.Await(expression, soon))
}

func eval[T any](e eyes, expression string) T {
	e.t.Helper()
	v, err := browser.Eval[T](e.Tab, expression)
	e.must(err)
	return v
}

func (e eyes) text(selector string) string {
	e.t.Helper()
	text, err := e.Text(selector)
	e.must(err)
	return text
}

func (e eyes) rows() browser.Rows {
	e.t.Helper()
	rows, err := e.Rows()
	e.must(err)
	return rows
}

func (e eyes) inspect() browser.Inspection {
	e.t.Helper()
	i, err := e.Inspect()
	e.must(err)
	return i
}

// source is the one source there is.
func (e eyes) source() (s struct {
	State, Version   string
	Objects          int
	Resumes, Relists int
}) {
	e.t.Helper()
	i := e.inspect()
	if len(i.Sources) != 1 {
		e.t.Fatalf("%d sources: %+v", len(i.Sources), i.Sources)
	}
	one := i.Sources[0]
	s.State, s.Version, s.Objects, s.Resumes, s.Relists = one.State, one.ResourceVersion, one.Objects, one.Resumes, one.Relists
	return s
}

// keep keeps a picture of the page under out/, which git ignores.
func (e eyes) keep(name string) {
	e.t.Helper()
	picture, err := e.Shot()
	if err != nil {
		e.t.Log(err)
		return
	}
	dir := filepath.Join("out", filepath.FromSlash(e.t.Name()))
	err = errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
	if err != nil {
		e.t.Log(err)
	}
}
