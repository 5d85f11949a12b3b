// Package identity shows who may come in, and when they may no more: the real proxy in
// each of its modes, before a real kube-apiserver with RBAC and its own OpenID Connect
// authenticator, in a real Chromium.
package identity

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/internal/edge/oidc/oidctest"
)

// soon bounds what should take no time, on machines with much to do.
const soon = 40 * time.Second

// Who there is: vera may see everything, nadia one namespace, dan nothing; gate may
// impersonate.
var (
	vera  = cluster.User{Name: "vera", Token: "vera-token-0123456789"}
	nadia = cluster.User{Name: "nadia", Token: "nadia-token-0123456789"}
	dan   = cluster.User{Name: "dan", Token: "dan-token-0123456789"}
	gate  = cluster.User{Name: "gate", Token: "gate-token-0123456789"}
)

var (
	shared   *cluster.Cluster
	chrome   *browser.Browser
	admin    *kubernetes.Clientset
	provider *oidctest.Provider
	folder   string
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
	if provider != nil {
		provider.Close()
	}
	err = errors.Join(err, os.RemoveAll(folder))
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
	if folder, err = os.MkdirTemp("", "watchglass-identity-"); err != nil {
		return err
	}
	provider = oidctest.New(oidctest.Options{TLS: true})
	ca := filepath.Join(folder, "provider.pem")
	if err = os.WriteFile(ca, provider.CA(), 0o600); err != nil {
		return err
	}
	if shared, err = cluster.Start(ctx, cluster.Options{
		Log: os.Stderr, Users: []cluster.User{vera, nadia, dan, gate},
		APIServerFlags: []string{
			"--oidc-issuer-url=" + provider.Issuer(), "--oidc-client-id=watchglass", "--oidc-ca-file=" + ca,
			"--oidc-username-claim=email", "--oidc-username-prefix=oidc:", "--oidc-groups-claim=groups", "--oidc-groups-prefix=oidc:",
		},
	}); err != nil {
		return err
	}
	if admin, err = kubernetes.NewForConfig(shared.Config()); err != nil {
		return err
	}
	if err = populate(ctx); err != nil {
		return err
	}
	chrome, err = browser.Start(ctx, "ignore-certificate-errors") // the provider's is of an authority of its own
	return err
}

var view = []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods", "configmaps", "secrets", "namespaces"}, Verbs: []string{"get", "list", "watch"}}}

// populate makes what there is to see, and who may see it.
func populate(ctx context.Context) error {
	var errs []error
	for _, ns := range []string{"blue", "green"} {
		_, err := admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{})
		errs = append(errs, err, configMap(ctx, ns, "of-"+ns))
	}
	_, err := admin.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "see"}, Rules: view}, metav1.CreateOptions{})
	errs = append(errs, err)
	_, err = admin.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "be"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"users", "groups"}, Verbs: []string{"impersonate"}},
	}}, metav1.CreateOptions{})
	errs = append(errs, err, bind(ctx, "see", "", "User", vera.Name), bind(ctx, "see", "blue", "User", nadia.Name), bind(ctx, "be", "", "User", gate.Name), bind(ctx, "see", "", "Group", "oidc:dev"))
	return errors.Join(errs...)
}

// bind gives a role to somebody, in a namespace or everywhere.
func bind(ctx context.Context, role, ns, kind, name string) error {
	meta := metav1.ObjectMeta{Name: regexp.MustCompile(`[^a-z]+`).ReplaceAllString(role+"-"+name, "-"), Namespace: ns}
	subjects := []rbacv1.Subject{{Kind: kind, APIGroup: rbacv1.GroupName, Name: name}}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role}
	if ns == "" {
		_, err := admin.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref}, metav1.CreateOptions{})
		return err
	}
	_, err := admin.RbacV1().RoleBindings(ns).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref}, metav1.CreateOptions{})
	return err
}

func configMap(ctx context.Context, ns, name string) error {
	_, err := admin.CoreV1().ConfigMaps(ns).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

// kubeconfig writes one with which somebody reaches the cluster, and returns its path.
func kubeconfig(t *testing.T, user cluster.User) string {
	t.Helper()
	path, err := shared.Kubeconfig(user, cluster.KubeconfigOptions{Path: filepath.Join(t.TempDir(), "kubeconfig"), Context: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// freePort is a port that nobody listens on just now.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serve starts a proxy in a mode other than local, reached at the address it listens on,
// or at another.
func serve(t *testing.T, as cluster.User, public string, args ...string) *proxy.Proxy {
	t.Helper()
	listen := freePort(t)
	if public == "" {
		public = "http://" + listen
	}
	return started(t, proxy.Options{Kubeconfig: kubeconfig(t, as), Listen: listen, Args: append([]string{"--public-url", public, "-v"}, args...)})
}

// eyes is a tab whose failures fail the test.
type eyes struct {
	*browser.Tab
	t *testing.T
}

// person opens a browser of somebody's own, without a page.
func person(t *testing.T) eyes {
	t.Helper()
	tab, err := chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	return watched(t, tab)
}

func watched(t *testing.T, tab *browser.Tab) eyes {
	e := eyes{tab, t}
	t.Cleanup(func() {
		if t.Failed() {
			e.keep("failed")
			t.Logf("the console: %q", tab.Console())
		}
		tab.Close()
	})
	e.must(tab.Listen())
	return e
}

// beside opens another tab of the same browser.
func (e eyes) beside() eyes {
	e.t.Helper()
	tab, err := e.Beside()
	e.must(err)
	return watched(e.t, tab)
}

func (e eyes) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e eyes) await(expression string) {
	e.t.Helper()
	e.must(e.Await(expression, soon))
}

func (e eyes) state(state string) {
	e.t.Helper()
	e.must(e.AwaitState(state, soon))
}

// says waits until an element's text has some words.
func (e eyes) says(selector string, words ...string) {
	e.t.Helper()
	for _, w := range words {
		e.await(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, selector, w))
	}
}

func eval[T any](e eyes, expression string) T {
	e.t.Helper()
	v, err := browser.Eval[T](e.Tab, expression)
	e.must(err)
	return v
}

// shows reports whether the tab's store has an object.
func (e eyes) shows(name string) bool {
	e.t.Helper()
	return eval[bool](e, fmt.Sprintf(`watchglass.rows({offset: 0, limit: 1e6}).then(r => r.rows.some(r => r.key.endsWith(%q)))`, "/"+name))
}

// sees waits until it has.
func (e eyes) sees(name string) {
	e.t.Helper()
	e.await(fmt.Sprintf(`watchglass.rows({offset: 0, limit: 1e6}).then(r => r.rows.some(r => r.key.endsWith(%q)))`, "/"+name))
}

// keep keeps a picture of the page under out/, which git ignores.
func (e eyes) keep(name string) {
	e.t.Helper()
	picture, err := e.Shot()
	if err == nil {
		dir := filepath.Join("..", "out", "identity", filepath.FromSlash(e.t.Name()))
		err = errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
	}
	if err != nil {
		e.t.Log(err)
	}
}
