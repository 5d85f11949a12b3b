package e2e

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// recorder stands between the proxy and the apiserver, and writes down every
// request.
type recorder struct {
	mu       sync.Mutex
	requests []*http.Request
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.requests = append(r.requests, req.Clone(req.Context()))
	r.mu.Unlock()
	target, err := url.Parse(stage.Cluster.URL())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(stage.Cluster.CA())
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
		FlushInterval: -1,
	}
	forward.ServeHTTP(w, req)
}

func (r *recorder) all() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// record starts a recorder and returns it with a kubeconfig that leads to it.
func record(t *testing.T) (*recorder, string) {
	t.Helper()
	r := new(recorder)
	server := httptest.NewTLSServer(r)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	config := clientcmdapi.NewConfig()
	config.CurrentContext = "recorded"
	config.Contexts["recorded"] = &clientcmdapi.Context{Cluster: "recorded", AuthInfo: "recorded"}
	config.AuthInfos["recorded"] = &clientcmdapi.AuthInfo{Token: operator.Token}
	config.Clusters["recorded"] = &clientcmdapi.Cluster{
		Server: server.URL, CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return r, path
}

// TestReadOnly does what a person can do, and looks at what reached the apiserver:
// stage.Reads, in the proxy's own name, and the one question about oneself.
func TestReadOnly(t *testing.T) {
	r, path := record(t)
	p := stage.Serve(t, proxy.Options{Kubeconfig: path})
	e := synced(t, p.At("/pods?q=%22%3E%3Cscript%3E&sel=../../secrets"))
	for _, view := range []string{"n=checkout", "l=team%3Dpayments&sort=-Age&cols=wide"} {
		e.Visit("/pods?" + view)
	}
	for _, kind := range []string{"/secrets", "/nodes"} {
		e.Visit(kind)
	}
	for _, path := range []string{"/deployments.apps", "/%70ods", "/gadgets.example.com"} {
		e.Must(e.Open(p.Origin() + path))
		e.Await(`["live", "gone"].includes(document.documentElement.dataset.state)`)
	}
	resp, err := http.Get(p.Origin() + "/pods%2F..%2Fsecrets")
	e.Must(err)
	e.Must(resp.Body.Close())
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("an address of two spellings: %s", resp.Status)
	}
	paths := make(map[string]int)
	for _, req := range r.all() {
		checkRequest(t, req, p.Token())
		paths[req.Method+" "+req.URL.Path]++
	}
	for _, want := range []string{
		"GET /api/v1/pods", "GET /api/v1/secrets", "GET /apis/apps/v1/deployments",
		"POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
	} {
		if paths[want] == 0 {
			t.Errorf("there was no %s among %v", want, paths)
		}
	}
}

var (
	review  = regexp.MustCompile(`^/apis/(authentication|authorization)\.k8s\.io/v1/selfsubject(reviews|accessreviews|rulesreviews)$`)
	reading = regexp.MustCompile(`^/(api|apis|version)(/[a-z0-9.-]+)*$`)
)

func checkRequest(t *testing.T, req *http.Request, token string) {
	t.Helper()
	if req.Method != http.MethodGet && (req.Method != http.MethodPost || !review.MatchString(req.URL.Path)) {
		t.Errorf("%s %s", req.Method, req.URL)
	}
	if !reading.MatchString(req.URL.Path) {
		t.Errorf("the path %s", req.URL.Path)
	}
	if agent := req.UserAgent(); !strings.HasPrefix(agent, "watchglass/") {
		t.Errorf("%s: the user agent is %q", req.URL.Path, agent)
	}
	if auth := req.Header.Get("Authorization"); auth != "Bearer "+operator.Token {
		t.Errorf("%s: authorization %q", req.URL.Path, auth)
	}
	for name := range req.Header {
		if !slices.Contains([]string{"Accept", "Accept-Encoding", "Authorization", "Content-Length", "Content-Type", "User-Agent"}, name) {
			t.Errorf("%s: the header %s is nothing of the proxy's own", req.URL.Path, name)
		}
	}
	if all := req.URL.String(); strings.Contains(all, token) || strings.Contains(all, operator.Token) {
		t.Errorf("a token stands in %s", all)
	}
}

// tunnel stands between the browser and the proxy, and keeps what the proxy sends.
type tunnel struct {
	address string
	mu      sync.Mutex
	sent    bytes.Buffer
}

// dig starts a tunnel to an address that is told later.
func dig(t *testing.T, to func() string) *tunnel {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	u := &tunnel{address: l.Addr().String()}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			go u.carry(near, to())
		}
	}()
	return u
}

func (u *tunnel) carry(near net.Conn, to string) {
	defer near.Close()
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	go func() { _, _ = io.Copy(far, near); far.Close() }()
	_, _ = io.Copy(io.MultiWriter(near, u), far)
}

// Write keeps what is sent.
func (u *tunnel) Write(b []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sent.Write(b)
}

func (u *tunnel) bytes() []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	return bytes.Clone(u.sent.Bytes())
}

// TestSecretsStay shows a secret in the page, and looks at every byte that the
// proxy sent: names and keys are there, values are not.
func TestSecretsStay(t *testing.T) {
	const value = "correct horse battery staple"
	ns := stage.Namespace(t)
	makeSecret(t, ns, "hidden", value)
	var p *proxy.Proxy
	u := dig(t, func() string { return strings.TrimPrefix(p.Origin(), "http://") })
	p = stage.Serve(t, proxy.Options{Args: []string{"--host", u.address}})
	e := synced(t, "http://"+u.address+"/secrets?n="+ns+"#token="+p.Token())
	e.AwaitCell(ns+"/hidden", "Name", "hidden")
	makeSecret(t, ns, "later", value)
	e.AwaitCell(ns+"/later", "Name", "later")
	sent := u.bytes()
	if !bytes.Contains(sent, []byte("hidden")) || !bytes.Contains(sent, []byte("later")) {
		t.Fatal("the tunnel saw nothing of the secrets: that shows nothing")
	}
	for _, form := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))} {
		if bytes.Contains(sent, []byte(form)) {
			t.Errorf("%q was sent", form)
		}
	}
}

// makeSecret makes a secret whose value also stands in an annotation, as kubectl
// apply leaves it there.
func makeSecret(t *testing.T, ns, name, value string) {
	t.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{
			"kubectl.kubernetes.io/last-applied-configuration": `{"stringData":{"password":"` + value + `"}}`,
		}},
		StringData: map[string]string{"password": value},
	}
	if _, err := stage.Admin.CoreV1().Secrets(ns).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
