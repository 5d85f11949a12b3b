package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// authority is the cluster's own certificate authority, for the serving
// certificate and for the users' client certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// keyPair is a certificate and its key, both in PEM.
type keyPair struct{ cert, key []byte }

// lifetime is far beyond any test run.
const lifetime = 10 * 365 * 24 * time.Hour

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificate(pkix.Name{CommonName: "watchglass-e2e-ca"})
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{cert: cert, key: key, pem: certPEM(der)}, nil
}

// serving makes the apiserver's certificate.
func (a *authority) serving() (keyPair, error) { return a.servingUntil(time.Now().Add(lifetime)) }

func (a *authority) servingUntil(until time.Time) (keyPair, error) {
	template := certificate(pkix.Name{CommonName: "kube-apiserver"})
	template.NotAfter = until
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	return a.sign(template)
}

// client makes a certificate that says who its holder is.
func (a *authority) client(user User) (keyPair, error) {
	template := certificate(pkix.Name{CommonName: user.Name, Organization: user.Groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(template)
}

func (a *authority) sign(template *x509.Certificate) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return keyPair{}, fmt.Errorf("sign the certificate of %s: %w", template.Subject.CommonName, err)
	}
	keyText, err := keyPEM(key)
	if err != nil {
		return keyPair{}, err
	}
	return keyPair{cert: certPEM(der), key: keyText}, nil
}

func certificate(subject pkix.Name) *x509.Certificate {
	serial := make([]byte, 16)
	_, _ = rand.Read(serial) // never fails
	return &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial),
		Subject:      subject,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

// signingKey makes the key for service account tokens. The apiserver takes the
// public half from the same file.
func signingKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return keyPEM(key)
}

// ServingCertificate makes another certificate of the apiserver, valid until a time.
func (c *Cluster) ServingCertificate(until time.Time) (tls.Certificate, error) {
	pair, err := c.authority.servingUntil(until)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(pair.cert, pair.key)
}
