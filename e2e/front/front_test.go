package front

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// pass is how an answer passes a front.
type pass struct {
	hold int  // bytes that are held back until there are as many
	head bool // the head is held back with them
	cut  int  // bytes of the body after which the connection is reset, if not 0

	instead int // the code of an answer of the front's own, if not 0

	lose string // the first event of a protobuf watch that has these words is lost, once
}

// answered is a request and how it was answered.
type answered struct {
	address string
	code    int
}

// front is a load balancer between the proxy and the apiserver.
type front struct {
	*httptest.Server
	to     *url.URL
	client http.RoundTripper

	mu       sync.Mutex
	rule     func(*http.Request) pass
	answers  []answered
	answered int // bytes

	lost atomic.Bool // what a pass loses
}

// start starts a front of the cluster that ends with the test.
func start(t *testing.T, rule func(*http.Request) pass) *front {
	t.Helper()
	config, err := rest.TLSConfigFor(stage.Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	config.Certificates, config.GetClientCertificate = nil, nil // users bring their tokens
	to, err := url.Parse(stage.Cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: config, DisableCompression: true}
	f := &front{to: to, client: transport, rule: rule}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that are reset
	f.TLS = &tls.Config{Certificates: []tls.Certificate{certificate(t)}}
	f.StartTLS()
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
		transport.CloseIdleConnections()
	})
	return f
}

// certificate is the apiserver's own, which is good for any port of this machine.
func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	dir := filepath.Dir(stage.Cluster.CAFile())
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "apiserver.crt"), filepath.Join(dir, "apiserver.key"))
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// serve starts a proxy that reaches the cluster through the front.
func (f *front) serve(t *testing.T) *proxy.Proxy {
	t.Helper()
	return stage.Serve(t, proxy.Options{Kubeconfig: stage.Kubeconfig(t, operator, cluster.KubeconfigOptions{Server: f.URL})})
}

// passes has answers pass in another way.
func (f *front) passes(rule func(*http.Request) pass) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rule = rule
}

// seen are the answers to requests with some words in their address, and how many bytes all had.
func (f *front) seen(words string) (some []answered, bytes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.answers {
		if strings.Contains(a.address, words) {
			some = append(some, a)
		}
	}
	return some, f.answered
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	p := f.rule(r)
	f.mu.Unlock()
	if p.instead != 0 {
		http.Error(w, http.StatusText(p.instead), p.instead)
		return
	}
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.Host, out.RequestURI = f.to.Scheme, f.to.Host, f.to.Host, ""
	resp, err := f.client.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	f.mu.Lock()
	f.answers = append(f.answers, answered{r.URL.RequestURI(), resp.StatusCode})
	f.mu.Unlock()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	c := carrier{front: f, pass: p, to: w, code: resp.StatusCode}
	if !p.head || p.hold == 0 {
		c.let()
	}
	body := io.Reader(resp.Body)
	if p.lose != "" && resp.Header.Get("Content-Type") == "application/vnd.kubernetes.protobuf;stream=watch" {
		body = &losing{front: f, from: body, words: []byte(p.lose)}
	}
	c.carry(body)
}

// losing is a watch in protobuf without its first event that has some words.
type losing struct {
	front *front
	from  io.Reader
	words []byte
	rest  []byte // of an event
}

func (l *losing) Read(into []byte) (int, error) {
	for len(l.rest) == 0 {
		head := make([]byte, 4)
		if _, err := io.ReadFull(l.from, head); err != nil {
			return 0, err
		}
		event := append(head, make([]byte, binary.BigEndian.Uint32(head))...)
		if _, err := io.ReadFull(l.from, event[4:]); err != nil {
			return 0, err
		}
		if bytes.Contains(event, l.words) && l.front.lost.CompareAndSwap(false, true) {
			continue
		}
		l.rest = event
	}
	n := copy(into, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// carrier carries a body to where it ends or is cut.
type carrier struct {
	pass
	front *front
	to    http.ResponseWriter
	code  int
	begun bool
	held  bytes.Buffer
}

// let lets through what is held back.
func (c *carrier) let() {
	if !c.begun {
		c.begun = true
		c.to.WriteHeader(c.code)
	}
	_, _ = c.held.WriteTo(c.to) // who has gone is noticed where the answer is read
	_ = http.NewResponseController(c.to).Flush()
}

func (c *carrier) carry(body io.Reader) {
	chunk, passed := make([]byte, 4<<10), 0
	for {
		n, err := body.Read(chunk)
		if passed += n; c.cut > 0 && passed > c.cut {
			panic(http.ErrAbortHandler)
		}
		c.front.mu.Lock()
		c.front.answered += n
		c.front.mu.Unlock()
		if c.held.Write(chunk[:n]); c.held.Len() >= c.hold {
			c.let()
		}
		if err != nil {
			c.let()
			if err != io.EOF {
				panic(http.ErrAbortHandler)
			}
			return
		}
	}
}
