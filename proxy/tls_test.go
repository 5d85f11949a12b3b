//go:build !js

package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// pair writes a certificate for 127.0.0.1 and its key to files.
func pair(t *testing.T) (certFile, keyFile string, trusted *x509.CertPool) {
	t.Helper()
	made := httptest.NewTLSServer(nil)
	defer made.Close()
	key, err := x509.MarshalPKCS8PrivateKey(made.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: made.Certificate().Raw}, keyFile: {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusted = x509.NewCertPool()
	trusted.AddCert(made.Certificate())
	return certFile, keyFile, trusted
}

// TestTLS checks serving with a certificate: pages use HTTP/2, sockets use HTTP/1.1 on their own
// connection, and clients with older TLS are refused.
func TestTLS(t *testing.T) {
	certFile, keyFile, trusted := pair(t)
	o, err := parse([]string{"--tls-cert-file", certFile, "--tls-private-key-file", keyFile, "--tls-min-version", "1.3"}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.operate(t.Context(), o.logger(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(s *server) { s.options.tlsLeast, s.operation = o.tlsLeast, p })
	if r.s.scheme() != "https" {
		t.Error(r.s.scheme())
	}
	r.address = strings.Replace(r.address, "http:", "https:", 1)
	client := func(protocol, most uint16) *http.Client {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MaxVersion: most}, Protocols: new(http.Protocols)}
		transport.Protocols.SetHTTP1(protocol == 1)
		transport.Protocols.SetHTTP2(protocol == 2)
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport}
	}
	resp, err := client(2, 0).Get(r.address + "/pods")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 || resp.ProtoMajor != 2 || resp.TLS.Version != tls.VersionTLS13 {
		t.Error(resp.Proto, resp.Status)
	}
	as, err := r.signIn(t.Context(), client(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if !as.cookie.Secure || !strings.HasPrefix(as.cookie.Name, "__Host-") {
		t.Errorf("a page of plain HTTP gets the cookie too: %v", as.cookie)
	}
	conn, err := r.dial(t.Context(), client(1, 0), as)
	if err != nil {
		t.Fatal(err)
	}
	tb := &browserTab{t, conn, ""}
	defer tb.close()
	tb.until(wire.KindWelcome, 0)
	tb.watch("pods")
	tb.events(3)
	if resp, err := client(1, tls.VersionTLS12).Get(r.address + "/pods"); err == nil {
		t.Error(resp.Proto, resp.Status)
		resp.Body.Close()
	}
	if resp, err := http.Get(strings.Replace(r.address, "https:", "http:", 1) + "/pods"); err != nil || resp.StatusCode != 400 {
		t.Error("plain http", err)
	}
}

// TestVersion checks that the printed version is that in the metrics.
func TestVersion(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--version"}, noEnv, testPage, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	b := built()
	for _, part := range []string{b.version, b.commit, b.compiler} {
		if part == "" || !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in %s", part, &out)
		}
	}
	if got := scrape(t, newMetrics(b, relay.NewSharing(), relay.NewPlaces())); !strings.Contains(got, `watchglass_build_info{commit="`+b.commit+`",goversion="`+b.compiler+`",version="`+b.version+`"} 1`) {
		t.Error(got)
	}
}
