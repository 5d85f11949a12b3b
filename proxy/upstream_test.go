//go:build !js

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"watchglass/internal/wire"
)

// issued returns a certificate, which edit may make invalid. Without an authority it is a CA.
func issued(t *testing.T, authority *tls.Certificate, edit func(c *x509.Certificate)) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "127.0.0.1"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signer, signing := template, key
	if authority != nil {
		signer, signing = authority.Leaf, authority.PrivateKey.(*ecdsa.PrivateKey)
	} else {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	}
	edit(template)
	der, err := x509.CreateCertificate(rand.Reader, template, signer, key.Public(), signing)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// TestUpstreamTLS checks that a server that impersonates the apiserver receives nothing, and that
// the tab gets the error.
func TestUpstreamTLS(t *testing.T) {
	sound := func(*x509.Certificate) {}
	authority, stranger := issued(t, nil, sound), issued(t, nil, sound)
	for _, c := range []struct {
		name   string
		signer *tls.Certificate
		edit   func(c *x509.Certificate)
		most   uint16 // the version of TLS; 0: any
		plain  bool
		want   string
	}{
		{name: "nothing", signer: &authority, edit: sound},
		{name: "another authority", signer: &stranger, edit: sound, want: "signed by unknown authority"},
		{name: "its own authority", edit: sound, want: "signed by unknown authority"},
		{name: "expired", signer: &authority, edit: func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }, want: "certificate has expired or is not yet valid"},
		{name: "not yet valid", signer: &authority, edit: func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }, want: "certificate has expired or is not yet valid"},
		{name: "another address", signer: &authority, edit: func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 2)} }, want: "certificate is valid for 127.0.0.2, not 127.0.0.1"},
		{name: "another name", signer: &authority, edit: func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"kube.test"} }, want: "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"},
		{name: "a name of old", signer: &authority, edit: func(c *x509.Certificate) { c.IPAddresses = nil }, want: "relies on legacy Common Name field"},
		{name: "a client's", signer: &authority, edit: func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }, want: "incompatible key usage"},
		{name: "TLS 1.1", signer: &authority, edit: sound, most: tls.VersionTLS11, want: "tls: protocol version not supported"},
		{name: "TLS 1.0", signer: &authority, edit: sound, most: tls.VersionTLS10, want: "tls: protocol version not supported"},
		{name: "no TLS", signer: &authority, edit: sound, plain: true, want: "first record does not look like a TLS handshake"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := &tls.Config{Certificates: []tls.Certificate{issued(t, c.signer, c.edit)}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS10, MaxVersion: c.most}
			if c.plain {
				config = nil
			}
			v := newVictimOf(t, newCapture(t, config, authority.Leaf))
			code, conn, from, _ := v.send(t, v.upgrade())
			end, err := v.ask(conn, from, wire.Request{Verb: wire.List, Version: "v1", Resource: "pods"})
			if code != 101 || err != nil {
				t.Fatalf("%d, %v", code, err)
			}
			switch {
			case c.want == "" && end.Status != nil, c.want != "" && end.Status == nil:
				t.Fatalf("it ended as %+v", end.Status)
			case c.want != "" && (end.Status.Reason != wire.ReasonCertificate || end.Status.Origin != wire.FromNetwork || !strings.Contains(end.Status.Message, c.want)):
				t.Errorf("it ended as %+v, want the words %q", end.Status, c.want)
			}
			told := strings.Join(v.upstream.take(), "")
			if strings.Contains(told, credential) != (c.want == "") {
				t.Errorf("upstream was told %q", told)
			}
		})
	}
}
