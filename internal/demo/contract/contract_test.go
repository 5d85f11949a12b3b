//go:build !js

package contract

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"os"
	"testing"
)

// TestServer checks the server named in the environment against the contract. The end-to-end
// tests start it. They are another module, with the libraries of the server's own release; this
// test uses the libraries of the tab.
func TestServer(t *testing.T) {
	address := os.Getenv("CONTRACT_SERVER")
	if address == "" {
		t.Skip("CONTRACT_SERVER names none")
	}
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(os.Getenv("CONTRACT_CA_FILE"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	Run(t, Server{
		Base: base, Transport: bearer{transport, os.Getenv("CONTRACT_TOKEN")}, Expired: 1,
		ExpiredKind: os.Getenv("CONTRACT_CUSTOM"), Custom: os.Getenv("CONTRACT_CUSTOM"), Log: os.Getenv("CONTRACT_LOG"), Tables: true,
	})
}

// bearer adds a token to each request.
type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}
