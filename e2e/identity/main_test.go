// Package identity shows who may come in, and when they may no more: the real proxy in
// each of its modes, before a real kube-apiserver with RBAC and its own OpenID Connect
// authenticator, in a real Chromium.
package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/edge/oidc/oidctest"
)

// Who there is: vera may see everything, nadia one namespace, dan nothing; gate may
// impersonate.
var (
	vera  = cluster.User{Name: "vera", Token: "vera-token-0123456789"}
	nadia = cluster.User{Name: "nadia", Token: "nadia-token-0123456789"}
	dan   = cluster.User{Name: "dan", Token: "dan-token-0123456789"}
	gate  = cluster.User{Name: "gate", Token: "gate-token-0123456789"}
)

// The apiserver accepts the ID tokens of both.
var (
	provider = oidctest.New(oidctest.Options{TLS: true})
	dex      = newIngress()
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	defer provider.Close()
	defer dex.Close()
	config, err := authentication(
		issuer{url: provider.Issuer(), ca: provider.CA(), audiences: []string{"watchglass"}, prefix: "oidc:"},
		issuer{url: dexIssuer(), ca: dex.ca(), audiences: []string{"kubernetes", "watchglass"}, prefix: "dex:"},
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.Remove(config)
	return stage.Main(m, stage.Options{
		Cluster: cluster.Options{
			Users:          []cluster.User{vera, nadia, dan, gate},
			APIServerFlags: []string{"--authentication-config=" + config},
		},
		Browser: []string{"ignore-certificate-errors"}, // the providers' are of authorities of their own
		Prepare: populate,
	})
}

// issuer is a provider whose ID tokens the apiserver accepts.
type issuer struct {
	url, prefix string
	ca          []byte
	audiences   []string
}

// authentication writes the apiserver's file of --authentication-config, as proxy/deploy/values/dex.yaml
// has it, and returns its path.
func authentication(issuers ...issuer) (path string, err error) {
	mapping := func(claim, prefix string) map[string]any { return map[string]any{"claim": claim, "prefix": prefix} }
	var jwt []any
	for _, i := range issuers {
		jwt = append(jwt, map[string]any{
			"issuer":        map[string]any{"url": i.url, "certificateAuthority": string(i.ca), "audiences": i.audiences, "audienceMatchPolicy": "MatchAny"},
			"claimMappings": map[string]any{"username": mapping("email", i.prefix), "groups": mapping("groups", i.prefix)},
		})
	}
	doc, err := json.Marshal(map[string]any{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": jwt})
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "watchglass-authentication-*.json")
	if err != nil {
		return "", err
	}
	_, err = f.Write(doc)
	return f.Name(), errors.Join(err, f.Close())
}

var view = []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods", "configmaps", "secrets", "namespaces"}, Verbs: []string{"get", "list", "watch"}}}

// populate makes what there is to see, and who may see it.
func populate(ctx context.Context) error {
	var errs []error
	for _, ns := range []string{"blue", "green"} {
		_, err := stage.Admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{})
		errs = append(errs, err, configMap(ctx, ns, "of-"+ns))
	}
	_, err := stage.Admin.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "see"}, Rules: view}, metav1.CreateOptions{})
	errs = append(errs, err)
	_, err = stage.Admin.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "be"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"users", "groups"}, Verbs: []string{"impersonate"}},
	}}, metav1.CreateOptions{})
	errs = append(errs, err, bind(ctx, "see", "", "User", vera.Name), bind(ctx, "see", "blue", "User", nadia.Name), bind(ctx, "be", "", "User", gate.Name), bind(ctx, "see", "", "Group", "oidc:dev"), bind(ctx, "see", "", "User", "dex:"+ada), bind(ctx, "see", "", "User", "sso:"+ben))
	return errors.Join(errs...)
}

// bind gives a role to somebody, in a namespace or everywhere.
func bind(ctx context.Context, role, ns, kind, name string) error {
	meta := metav1.ObjectMeta{Name: regexp.MustCompile(`[^a-z]+`).ReplaceAllString(role+"-"+name, "-"), Namespace: ns}
	subjects := []rbacv1.Subject{{Kind: kind, APIGroup: rbacv1.GroupName, Name: name}}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role}
	if ns == "" {
		_, err := stage.Admin.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref}, metav1.CreateOptions{})
		return err
	}
	_, err := stage.Admin.RbacV1().RoleBindings(ns).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref}, metav1.CreateOptions{})
	return err
}

func configMap(ctx context.Context, ns, name string) error {
	_, err := stage.Admin.CoreV1().ConfigMaps(ns).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

// kubeconfig writes one with which somebody reaches the cluster, and returns its path.
func kubeconfig(t *testing.T, user cluster.User) string {
	t.Helper()
	return stage.Kubeconfig(t, user, cluster.KubeconfigOptions{Context: "shop"})
}

// serve starts a proxy in a mode other than local, reached at the address it listens on,
// or at another.
func serve(t *testing.T, as cluster.User, public string, args ...string) *proxy.Proxy {
	t.Helper()
	listen := stage.FreePort(t)
	if public == "" {
		public = "http://" + listen
	}
	return stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig(t, as), Listen: listen, Args: append([]string{"--public-url", public, "-v"}, args...)})
}

// eyes see the page of somebody who comes and goes. What the browser says of that, of
// answers that are refusals and of sockets that are closed, is not looked at here.
type eyes struct{ stage.Eyes }

const anything = "" // as a pattern: all

// person opens a browser of somebody's own, without a page.
func person(t *testing.T) eyes {
	t.Helper()
	tab, err := stage.Chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	return eyes{stage.Watch(t, tab, anything)}
}

// beside opens another tab of the same browser.
func (e eyes) beside() eyes {
	e.T.Helper()
	return eyes{e.Another(anything)}
}

// shows reports whether the tab's store has an object now, which it must not have at any time.
func (e eyes) shows(name string) bool {
	e.T.Helper()
	return stage.Now[bool](e, fmt.Sprintf(`watchglass.rows({offset: 0, limit: 1e6}).then(r => r.rows.some(r => r.key.endsWith(%q)))`, "/"+name))
}

// sees waits until it has.
func (e eyes) sees(name string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`watchglass.rows({offset: 0, limit: 1e6}).then(r => r.rows.some(r => r.key.endsWith(%q)))`, "/"+name))
}
