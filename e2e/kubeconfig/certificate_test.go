package kubeconfig_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"
)

// certificate is one with its key, both in PEM too.
type certificate struct {
	parsed          *x509.Certificate
	key             *ecdsa.PrivateKey
	certPEM, keyPEM []byte
}

// The certificates of all rows: the authority of the servers and users, one that
// signed nothing, and the user ana.
var (
	authority = sync.OnceValue(func() *certificate { return issue(nil, "authority") })
	stranger  = sync.OnceValue(func() *certificate { return issue(nil, "stranger") })
	ana       = sync.OnceValue(func() *certificate { return issue(authority(), "ana") })
)

// serving is a server's certificate for names and addresses.
func serving(t *testing.T, names []string) tls.Certificate {
	t.Helper()
	c := issue(authority(), "apiserver", names...)
	pair, err := tls.X509KeyPair(c.certPEM, c.keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// issue makes a certificate; without a parent, one that signs others.
func issue(parent *certificate, name string, hosts ...string) *certificate {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: must(rand.Int(rand.Reader, big.NewInt(1<<62))),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	signer, signerKey := template, key
	if parent == nil {
		template.IsCA, template.BasicConstraintsValid, template.ExtKeyUsage = true, true, nil
		template.KeyUsage |= x509.KeyUsageCertSign
	} else {
		signer, signerKey = parent.parsed, parent.key
	}
	der := must(x509.CreateCertificate(rand.Reader, template, signer, key.Public(), signerKey))
	return &certificate{
		parsed: must(x509.ParseCertificate(der)), key: key,
		certPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		keyPEM:  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: must(x509.MarshalECPrivateKey(key))}),
	}
}

// must is for what fails only where there is no randomness.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
