package stage

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Between puts a server between a proxy and the apiserver, which it reaches as the admin. It returns a
// kubeconfig for the proxy.
func Between(t *testing.T, change func(*httputil.ReverseProxy)) (kubeconfig string) {
	t.Helper()
	target, err := url.Parse(Cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	between := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: transport, FlushInterval: -1}
	change(between)
	server := httptest.NewServer(between)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections) // which is before
	config := clientcmdapi.NewConfig()
	config.CurrentContext = "between"
	config.Contexts["between"] = &clientcmdapi.Context{Cluster: "between"}
	config.Clusters["between"] = &clientcmdapi.Cluster{Server: server.URL}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Refusing answers the requests for lists of a resource with a code in place of the apiserver.
func Refusing(t *testing.T, resource string, code int) (kubeconfig string) {
	t.Helper()
	return Between(t, func(p *httputil.ReverseProxy) { p.Transport = refusing{p.Transport, "/" + resource, code} })
}

type refusing struct {
	http.RoundTripper
	suffix string
	code   int
}

func (f refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, f.suffix) {
		return f.RoundTripper.RoundTrip(r)
	}
	doc := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"refused for a test","code":%d}`, f.code)
	return &http.Response{StatusCode: f.code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(doc)), Request: r}, nil
}
