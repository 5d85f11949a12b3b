package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// trouble is a kubeconfig that does not lead to a list, and what is said of it.
type trouble struct {
	name       string
	kubeconfig func(t *testing.T) string
	path       string // in the address; default: /pods
	state      string
	page       []string // words in the panel
	terminal   string   // a pattern of what the proxy says; none if it is well
}

var troubles = []trouble{
	{
		name: "unreachable", state: "connecting",
		kubeconfig: func(t *testing.T) string {
			return stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{Server: "https://" + stage.FreePort(t)})
		},
		page:     []string{"No response yet", "connection refused", "Check that the cluster is up"},
		terminal: "apiserver unreachable.*connection refused",
	},
	{
		name: "wrong CA", state: "connecting", kubeconfig: withOtherCA,
		page:     []string{"No response yet", "certificate signed by unknown authority", "certificate-authority"},
		terminal: "apiserver unreachable.*unknown authority",
	},
	{
		name: "credential plugin", state: "connecting", kubeconfig: withPlugin,
		page:     []string{"No response yet", "The credential plugin said", "failed with exit code 3: Your session has expired.", "Run: sso login", "return to this page"},
		terminal: "credential plugin failed.*exit code 3",
	},
	{
		name: "expired token", state: "denied",
		kubeconfig: func(t *testing.T) string { return stage.Kubeconfig(t, unlisted, cluster.KubeconfigOptions{}) },
		page:       []string{"rejected the credentials", "apiserver said", "Unauthorized", "Sign in again"},
		terminal:   "credentials rejected by the apiserver",
	},
	{
		name: "forbidden", state: "denied",
		kubeconfig: func(t *testing.T) string { return stage.Kubeconfig(t, denied, cluster.KubeconfigOptions{}) },
		page: []string{
			"You can't list pods", "You are dan", "apiserver said",
			`pods is forbidden: User "dan" cannot list resource "pods" in API group "" in the namespace "default"`,
			"cluster-wide, or in default", "?n=NAMESPACE",
		},
	},
	{
		name: "unknown resource", state: "gone", path: "/gadgets.example.com",
		kubeconfig: func(t *testing.T) string { return stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{}) },
		page:       []string{"no resource type gadgets.example.com", "It is not installed", "Go to pods"},
	},
	{
		name: "not protobuf", state: "connecting", kubeconfig: scripted("application/vnd.kubernetes.protobuf;stream=watch", "these are no frames of anything"),
		page: []string{"No response yet", "Check the server in the kubeconfig"},
	},
	{
		name: "not protobuf in its frames", state: "connecting", kubeconfig: scripted("application/vnd.kubernetes.protobuf;stream=watch", "\x00\x00\x00\x10these are letters"),
		page: []string{"No response yet", "Check the server in the kubeconfig"},
	},
	{
		name: "a page of another server", state: "connecting", kubeconfig: scripted("text/html", "<h1>Welcome to nginx</h1>"),
		page: []string{"No response yet", "text/html", "may not be an apiserver"},
	},
	{
		name: "an object too large", state: "connecting", kubeconfig: scripted("application/vnd.kubernetes.protobuf;stream=watch", hugeFrame()),
		page: []string{"No response yet", "MiB", "One object exceeds the size limit"},
	},
}

// TestTroubles shows that each has its own words, on the page and on the terminal.
func TestTroubles(t *testing.T) {
	for _, tc := range troubles {
		t.Run(tc.name, func(t *testing.T) {
			p := stage.Serve(t, proxy.Options{Kubeconfig: tc.kubeconfig(t)})
			path := tc.path
			if path == "" {
				path = "/pods"
			}
			e := open(t, p.At(path))
			e.AwaitState(tc.state)
			defer e.Keep(strings.ReplaceAll(tc.name, " ", "-"))
			e.Says(".panel", tc.page...)
			if tc.terminal == "" {
				return
			}
			stage.WaitFor(t, "the terminal says "+tc.terminal, func() bool {
				return regexp.MustCompile(tc.terminal).MatchString(p.Stderr())
			})
		})
	}
}

// withPlugin is a kubeconfig whose credentials come from a plugin that fails.
func withPlugin(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	plugin := filepath.Join(dir, "sso")
	if err := os.WriteFile(plugin, []byte("#!/bin/sh\nprintf 'Your session \\033[31mhas expired\\033[0m.\\nRun: sso login\\n' >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{Path: filepath.Join(dir, "kubeconfig")})
	file, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name := range file.AuthInfos {
		file.AuthInfos[name] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1", Command: plugin, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		}}
	}
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// withOtherCA is the admin's kubeconfig with a CA that signed nothing.
func withOtherCA(t *testing.T) string {
	t.Helper()
	path := stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{})
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range config.Clusters {
		c.CertificateAuthorityData = otherCA(t)
	}
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func otherCA(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "another"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// scripted returns what makes a kubeconfig for a server that answers everything the
// same: no apiserver does what these do.
func scripted(contentType, body string) func(t *testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(server.Close)
		config := clientcmdapi.NewConfig()
		config.CurrentContext = "scripted"
		config.Contexts["scripted"] = &clientcmdapi.Context{Cluster: "scripted"}
		config.Clusters["scripted"] = &clientcmdapi.Cluster{Server: server.URL}
		path := filepath.Join(t.TempDir(), "kubeconfig")
		if err := clientcmd.WriteToFile(*config, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// hugeFrame is the beginning of a watch whose first frame says that it has 64 MiB.
func hugeFrame() string { return "\x04\x00\x00\x00" + strings.Repeat("x", 1<<20) }

// TestOneNamespace is the view of somebody who may read one namespace only: the
// kubeconfig's.
func TestOneNamespace(t *testing.T) {
	const ns = "checkout"
	allow(t, ns, narrow)
	p := stage.Serve(t, proxy.Options{Kubeconfig: stage.Kubeconfig(t, narrow, cluster.KubeconfigOptions{Namespace: ns})})
	e := open(t, p.At("/pods"))
	e.AwaitState("live")
	want := podsIn(t, ns)
	e.AwaitCount(want)
	e.Says(".banner", "Showing namespace "+ns+" only")
	e.Keep("narrow")
	e.Must(e.Open(p.Origin() + "/pods?n=" + ns + ",orders"))
	e.AwaitState("denied")
	e.AwaitCount(want)
	e.Await(`document.querySelector(".banner").innerText.includes("can't list pods in orders")`)
	e.Keep("in-part")
}

// allow lets a user read the pods of a namespace.
func allow(t *testing.T, ns string, user cluster.User) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "pod-reader", Namespace: ns},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch"}}},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "pod-reader", Namespace: ns},
		Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: user.Name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
	}
	if _, err := stage.Admin.RbacV1().Roles(ns).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := stage.Admin.RbacV1().RoleBindings(ns).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestBadSelector applies what is valid of a selector, and says what is wrong with the rest.
func TestBadSelector(t *testing.T) {
	e := show(t, "/pods")
	address := stage.Eval[string](e, "location.origin") + "/pods?l=team%3Dpayments,app+in+("
	e.Must(e.Open(address))
	e.Says(".banner[data-tone=problem]", "The label selector", "at character 23", "Applied: team=payments.")
	e.Says(".term[data-wrong=true]", "team=payments,app in (")
	e.Keep("selector")
	e.Must(e.Click(".term"))
	e.Await(`!document.querySelector(".banner[data-tone=problem]") && !location.search.includes("l=")`)
}

// TestWithoutToken opens the page as somebody who was not given the address.
func TestWithoutToken(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	for name, c := range map[string]struct{ address, words string }{
		"none":  {p.Origin() + "/pods", "Open the address that Watchglass printed, or run watchglass --link"},
		"wrong": {p.Origin() + "/pods#token=" + strings.Repeat("A", len(p.Token())), "This link is from an earlier launch, or has expired. Use the address printed last"},
	} {
		e := open(t, c.address, refusedLogin, lostSocket)
		e.Says(".crash", "Not signed in", c.words)
		stage.Is(e, "location.hash", "")
		e.Keep(name)
	}
}
