//go:build !js

package edge

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// issue returns a self-signed certificate and its key in PEM.
func issue(t *testing.T, serial int64, from, until time.Time) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "w"}, DNSNames: []string{"w.example"}, NotBefore: from, NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
}

// mount is a folder as the kubelet mounts a Secret: the files are links through ..data, which
// links to a folder and is replaced by a rename.
type mount struct {
	t   *testing.T
	dir string
}

func newMount(t *testing.T, cert, key []byte) *mount {
	m := &mount{t: t, dir: t.TempDir()}
	m.swap(cert, key)
	for _, name := range []string{"tls.crt", "tls.key"} {
		m.must(os.Symlink(filepath.Join("..data", name), filepath.Join(m.dir, name)))
	}
	return m
}

func (m *mount) must(err error) {
	if err != nil {
		m.t.Error(err)
	}
}

func (m *mount) swap(cert, key []byte) {
	dir, err := os.MkdirTemp(m.dir, "..2026-")
	m.must(err)
	m.must(os.WriteFile(filepath.Join(dir, "tls.crt"), cert, 0o600))
	m.must(os.WriteFile(filepath.Join(dir, "tls.key"), key, 0o600))
	next := filepath.Join(m.dir, "..data_tmp")
	m.must(os.Symlink(filepath.Base(dir), next))
	m.must(os.Rename(next, filepath.Join(m.dir, "..data")))
}

func (m *mount) load(log *slog.Logger) (*Certificate, error) {
	return NewCertificate(filepath.Join(m.dir, "tls.crt"), filepath.Join(m.dir, "tls.key"), log)
}

// connect performs a handshake, and returns the serial number of the certificate.
func connect(t *testing.T, config *tls.Config, most uint16) (serial int64, err error) {
	near, far := net.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		server := tls.Server(far, config)
		_ = server.Handshake() // the other end sees it too
		_, _ = io.Copy(io.Discard, server)
	}()
	defer func() { near.Close(); far.Close(); <-served }()
	client := tls.Client(near, &tls.Config{InsecureSkipVerify: true, MaxVersion: most, ServerName: "w.example"})
	if err := client.Handshake(); err != nil {
		return 0, err
	}
	return client.ConnectionState().PeerCertificates[0].SerialNumber.Int64(), nil
}

// TestCertificateSwap swaps the mounted pair while clients connect. None fails, each gets one of
// the pairs, and a second after a swap the new one.
func TestCertificateSwap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, now := int64(1), time.Now()
		cert, key := issue(t, begin, now.Add(-time.Hour), now.Add(time.Hour))
		m := newMount(t, cert, key)
		c, err := m.load(slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		config := c.TLS(tls.VersionTLS12, nil)
		var clients sync.WaitGroup
		stop := make(chan struct{})
		for range 4 {
			clients.Go(func() {
				for last := begin; ; time.Sleep(73 * time.Millisecond) { // never at the second: one looks, and others do not wait
					select {
					case <-stop:
						return
					default:
					}
					serial, err := connect(t, config, 0)
					if err != nil || serial < last {
						t.Errorf("%d after %d: %v", serial, last, err)
					}
					last = serial
				}
			})
		}
		for serial := begin + 1; serial <= 8; serial++ {
			cert, key := issue(t, serial, now.Add(-time.Hour), now.Add(time.Hour))
			m.swap(cert, key)
			time.Sleep(checkEvery)
			if got, err := connect(t, config, 0); got != serial || err != nil {
				t.Errorf("a second after the swap to %d: %d, %v", serial, got, err)
			}
		}
		close(stop)
		clients.Wait()
	})
}

// TestCertificateBroken checks that an invalid pair changes nothing, is logged once, and is
// replaced by a valid one.
func TestCertificateBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		cert, key := issue(t, 1, now.Add(-time.Hour), now.Add(time.Hour))
		other, _ := issue(t, 2, now.Add(-time.Hour), now.Add(time.Hour))
		m := newMount(t, cert, key)
		var log bytes.Buffer
		c, err := m.load(slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		config := c.TLS(tls.VersionTLS12, nil)
		expect := func(serial int64, errors int) {
			t.Helper()
			for range 3 {
				time.Sleep(checkEvery)
				if got, err := connect(t, config, 0); got != serial || err != nil {
					t.Errorf("shown is %d, %v", got, err)
				}
			}
			if n := strings.Count(log.String(), "level=ERROR"); n != errors {
				t.Errorf("%d errors, not %d: %s", n, errors, &log)
			}
			log.Reset()
		}
		expect(1, 0)
		m.swap(other, key)
		expect(1, 1)
		m.swap([]byte("nonsense"), key)
		expect(1, 1)
		m.must(os.Remove(filepath.Join(m.dir, "tls.key")))
		expect(1, 1)
		m.must(os.Symlink(filepath.Join("..data", "tls.key"), filepath.Join(m.dir, "tls.key")))
		expect(1, 0)
		cert, key = issue(t, 3, now.Add(-time.Hour), now.Add(time.Hour))
		m.swap(cert, key)
		expect(3, 0)
	})
}

// TestCertificateStart checks the errors and log messages for a pair at the start, and that they
// name the file.
func TestCertificateStart(t *testing.T) {
	now := time.Now()
	cert, key := issue(t, 1, now.Add(-time.Hour), now.Add(time.Hour))
	_, otherKey := issue(t, 2, now.Add(-time.Hour), now.Add(time.Hour))
	for name, c := range map[string]struct {
		cert, key []byte
		want      string
	}{
		"another's key":      {cert, otherKey, "tls.key, with the certificate in"},
		"no certificate":     {nil, key, "tls.crt: no PEM certificate found"},
		"the wrong way":      {key, cert, "tls.crt: no PEM certificate found"},
		"a broken one":       {pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")}), key, "tls.crt: x509: "},
		"a key that is none": {cert, []byte("x"), "tls.key, with the certificate in"},
	} {
		_, err := newMount(t, c.cert, c.key).load(slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--tls-") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewCertificate("/nowhere/tls.crt", "/nowhere/tls.key", nil); err == nil || !strings.Contains(err.Error(), "--tls-cert-file: open /nowhere/tls.crt") {
		t.Error(err)
	}
	for want, at := range map[string][2]time.Duration{"certificate expired": {-2 * time.Hour, -time.Hour}, "not yet valid": {time.Hour, 2 * time.Hour}, "certificate loaded": {-time.Hour, time.Hour}} {
		cert, key := issue(t, 1, now.Add(at[0]), now.Add(at[1]))
		var log bytes.Buffer
		if _, err := newMount(t, cert, key).load(slog.New(slog.NewTextHandler(&log, nil))); err != nil || !strings.Contains(log.String(), want) || strings.Contains(log.String(), "level=WARN") != (want != "certificate loaded") {
			t.Errorf("%s: %s, %v", want, &log, err)
		}
	}
}

// TestCertificateVersion checks that clients with older TLS are refused.
func TestCertificateVersion(t *testing.T) {
	now := time.Now()
	cert, key := issue(t, 1, now.Add(-time.Hour), now.Add(time.Hour))
	c, err := newMount(t, cert, key).load(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		least, most uint16
		served      bool
	}{
		{tls.VersionTLS12, tls.VersionTLS12, true}, {tls.VersionTLS12, tls.VersionTLS11, false},
		{tls.VersionTLS13, tls.VersionTLS12, false}, {tls.VersionTLS13, tls.VersionTLS13, true},
	} {
		if _, err := connect(t, c.TLS(v.least, nil), v.most); (err == nil) != v.served {
			t.Errorf("%x to %x: %v", v.least, v.most, err)
		}
	}
}

// TestCertificateClients checks that a client's certificate is optional, has to be signed by the
// CA, and is visible to the authenticator.
func TestCertificateClients(t *testing.T) {
	now := time.Now()
	cert, key := issue(t, 1, now.Add(-time.Hour), now.Add(time.Hour))
	c, err := newMount(t, cert, key).load(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	front, frontKey := issue(t, 2, now.Add(-time.Hour), now.Add(time.Hour))
	other, otherKey := issue(t, 3, now.Add(-time.Hour), now.Add(time.Hour))
	file := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(file, front, 0o600); err != nil {
		t.Fatal(err)
	}
	clients, err := Authority(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]struct {
		cert, key       []byte
		served, chained bool
	}{"none": {nil, nil, true, false}, "the front's": {front, frontKey, true, true}, "another's": {other, otherKey, false, false}} {
		near, far := net.Pipe()
		config := &tls.Config{InsecureSkipVerify: true}
		if v.cert != nil {
			shown, err := tls.X509KeyPair(v.cert, v.key)
			if err != nil {
				t.Fatal(err)
			}
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &shown, nil }
		}
		go func() { _, _ = io.Copy(io.Discard, tls.Client(near, config)) }()
		server := tls.Server(far, c.TLS(tls.VersionTLS12, clients))
		err := server.Handshake()
		if state := server.ConnectionState(); (err == nil) != v.served || len(state.VerifiedChains) > 0 != v.chained {
			t.Errorf("%s: %v, %d chains", name, err, len(state.VerifiedChains))
		}
		near.Close()
		far.Close()
	}
	if err := os.WriteFile(file, key, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Authority(file); err == nil || !strings.Contains(err.Error(), "ca.crt: no PEM certificate found") {
		t.Error(err)
	}
}
