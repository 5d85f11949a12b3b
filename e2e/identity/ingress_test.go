package identity

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// ingress ends TLS in front of a server, as in a cluster. Its address is known before that server
// runs. It notes the refreshes that clients of a provider behind it ask for.
type ingress struct {
	*httptest.Server

	mu        sync.Mutex
	to        *url.URL
	refreshes map[refresh]time.Time // the last of each
	stolen    map[string]bool       // the clients whose refresh tokens somebody else uses first
}

// refresh is one answer to a refresh token.
type refresh struct {
	client string
	code   int
}

func newIngress() *ingress {
	i := &ingress{to: new(url.URL), refreshes: make(map[refresh]time.Time), stolen: make(map[string]bool)}
	pass := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			i.mu.Lock()
			defer i.mu.Unlock()
			r.SetURL(i.to)
			r.SetXForwarded()
			r.Out.Host = r.In.Host
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	i.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, refreshes := refreshing(r)
		if !refreshes {
			pass.ServeHTTP(w, r)
			return
		}
		if i.steals(client) {
			pass.ServeHTTP(httptest.NewRecorder(), r)
			r.Body, _ = r.GetBody()
		}
		answer := httptest.NewRecorder()
		pass.ServeHTTP(answer, r)
		i.mu.Lock()
		i.refreshes[refresh{client, answer.Code}] = time.Now()
		i.mu.Unlock()
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = answer.Body.WriteTo(w)
	}))
	i.Config.ErrorLog = log.New(io.Discard, "", 0)
	return i
}

// refreshing reports whether a request brings a refresh token, and which client sends it.
func refreshing(r *http.Request) (client string, refreshes bool) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/token") {
		return "", false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", false
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("grant_type") != "refresh_token" {
		return "", false
	}
	if name, _, basic := r.BasicAuth(); basic {
		return name, true
	}
	return form.Get("client_id"), true
}

// refreshed returns when the provider last answered a refresh of a client with a code; zero if it never did.
func (i *ingress) refreshed(client string, code int) time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.refreshes[refresh{client, code}]
}

// steal sets whether somebody else uses each refresh token of a client first. A provider that lets each be
// used once then refuses the client.
func (i *ingress) steal(client string, steal bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stolen[client] = steal
}

func (i *ingress) steals(client string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.stolen[client]
}

// before puts the ingress in front of an address.
func (i *ingress) before(t *testing.T, address string) {
	t.Helper()
	to, err := url.Parse(address)
	must(t, err)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.to = to
}

// ca returns the authority of its certificate, in PEM.
func (i *ingress) ca() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.Certificate().Raw})
}
