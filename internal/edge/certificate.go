//go:build !js

package edge

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Certificate is a certificate and its key, reloaded when their files change. A handshake checks
// the files, at most once a second. It compares their content, so that it does not matter how
// they are replaced: the files of a mounted Secret are links into a folder that is swapped as a
// whole. An invalid pair does not replace the previous one.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	pair              atomic.Pointer[tls.Certificate]

	mu      sync.Mutex // locked while checking; other handshakes do not wait
	checked time.Time
	content files // what was last read, valid or not
	failed  string
}

// files is the content of the two files.
type files struct{ cert, key []byte }

func (f files) equal(o files) bool { return bytes.Equal(f.cert, o.cert) && bytes.Equal(f.key, o.key) }

// checkEvery is how often the files are checked.
const checkEvery = time.Second

// NewCertificate reads a certificate with its chain, and its key, both in PEM.
func NewCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log, checked: time.Now()}
	content, pair, err := c.load()
	if err != nil {
		return nil, err
	}
	c.use(pair, content)
	return c, nil
}

// TLS returns the configuration of a listener with this certificate. It has Go's defaults: HTTP/2
// is negotiated, and sockets use HTTP/1.1. With CAs in clients, a client may show a certificate;
// the authenticator decides whether it has to.
func (c *Certificate) TLS(least uint16, clients *x509.CertPool) *tls.Config {
	t := &tls.Config{MinVersion: least, GetCertificate: c.get}
	if clients != nil {
		t.ClientCAs, t.ClientAuth = clients, tls.VerifyClientCertIfGiven
	}
	return t
}

// Authority reads the certificates of a CA.
func Authority(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if err := certificates(text); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool, nil
}

func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c.mu.TryLock() {
		defer c.mu.Unlock()
		if now := time.Now(); now.Sub(c.checked) >= checkEvery {
			c.checked = now
			c.reload()
		}
	}
	return c.pair.Load(), nil
}

// reload loads a changed pair, or logs once why it cannot.
func (c *Certificate) reload() {
	content, err := c.read()
	if err == nil && content.equal(c.content) {
		c.failed = ""
		return
	}
	content, pair, err := c.load() // again: they may have been swapped between the two reads
	if err == nil {
		c.use(pair, content)
		return
	}
	why, changed := err.Error(), content.cert != nil
	if changed {
		c.content = content
	}
	if changed || why != c.failed {
		c.failed = why
		c.log.Error("certificate invalid, keeping the previous one", "error", err)
	}
}

func (c *Certificate) load() (files, *tls.Certificate, error) {
	content, err := c.read()
	if err != nil {
		return files{}, nil, err
	}
	pair, err := c.parse(content)
	return content, pair, err
}

func (c *Certificate) use(pair *tls.Certificate, content files) {
	c.pair.Store(pair)
	c.content, c.failed = content, ""
	leaf := pair.Leaf
	attrs := []any{"file", c.certFile, "subject", leaf.Subject.String(), "names", leaf.DNSNames, "until", leaf.NotAfter}
	switch now := time.Now(); {
	case now.After(leaf.NotAfter):
		c.log.Warn("certificate expired: browsers will reject it", attrs...)
	case now.Before(leaf.NotBefore):
		c.log.Warn("certificate not yet valid: browsers will reject it", append(attrs, "from", leaf.NotBefore)...)
	default:
		c.log.Info("certificate loaded", attrs...)
	}
}

func (c *Certificate) read() (files, error) {
	cert, err := os.ReadFile(c.certFile)
	if err != nil {
		return files{}, fmt.Errorf("--tls-cert-file: %w", err)
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return files{}, fmt.Errorf("--tls-private-key-file: %w", err)
	}
	return files{cert, key}, nil
}

// parse returns the pair, or an error that names the wrong file.
func (c *Certificate) parse(f files) (*tls.Certificate, error) {
	if err := certificates(f.cert); err != nil {
		return nil, fmt.Errorf("--tls-cert-file %s: %w", c.certFile, err)
	}
	pair, err := tls.X509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("--tls-private-key-file %s, with the certificate in %s: %w", c.keyFile, c.certFile, err)
	}
	return &pair, nil
}

// certificates returns an error if a text is not a list of certificates in PEM.
func certificates(text []byte) error {
	n := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return errors.New("no PEM certificate found")
	}
	return nil
}
