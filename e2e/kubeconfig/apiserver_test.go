package kubeconfig_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// identity is what a server learns of a client, whatever it asks for: who it
// is, and by which way it came.
type identity struct {
	Authorization string
	Impersonate   string // the headers, as "User=ana Group=a Group=b"
	Certificate   string // the common name of the client's
	ServerName    string // in the TLS handshake
	Host          string // that the client thinks it talks to; "server" is this server's own address
	Tunnel        string // what the proxy in between was asked for
}

// request is one that came.
type request struct {
	path string
	identity
}

// apiserver looks like one just enough that kubectl lists pods of it and
// Watchglass watches them, and records who asks.
type apiserver struct {
	*httptest.Server
	address string
	denies  bool // it accepts nobody's credentials
	tunnel  *tunnel

	mu   sync.Mutex
	came []request
}

// startAPIServer serves TLS under names, or without any, plain HTTP.
func startAPIServer(t *testing.T, names []string, denies bool) *apiserver {
	t.Helper()
	a := &apiserver{denies: denies}
	a.Server = httptest.NewUnstartedServer(a)
	a.address = a.Listener.Addr().String()
	a.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	a.tunnel = startTunnel(t, a.address)
	t.Cleanup(a.Close)
	if len(names) == 0 {
		a.Start()
		return a
	}
	a.TLS = &tls.Config{Certificates: []tls.Certificate{serving(t, names)}, ClientAuth: tls.RequestClientCert}
	a.EnableHTTP2 = true
	a.StartTLS()
	return a
}

// answers are found by how a path ends: a server may live below a prefix.
var answers = []struct{ end, body string }{
	{"/version", `{"major":"1","minor":"36","gitVersion":"v1.36.3"}`},
	{"/api", `{"kind":"APIVersions","apiVersion":"v1","versions":["v1"]}`},
	{"/apis", `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`},
	{"/api/v1", `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get","list","watch"]}]}`},
	{"/pods", `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`},
}

func (a *apiserver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.record(r)
	w.Header().Set("Content-Type", "application/json")
	if a.denies {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`)
		return
	}
	if r.URL.Query().Has("watch") {
		_ = http.NewResponseController(w).Flush() // accepted; nothing ever changes
		<-r.Context().Done()
		return
	}
	for _, answer := range answers {
		if strings.HasSuffix(r.URL.Path, answer.end) {
			_, _ = io.WriteString(w, answer.body)
			return
		}
	}
	http.NotFound(w, r)
}

func (a *apiserver) record(r *http.Request) {
	came := request{path: r.URL.Path, identity: identity{
		Authorization: r.Header.Get("Authorization"),
		Impersonate:   impersonation(r.Header),
		Host:          strings.ReplaceAll(r.Host, a.address, "server"),
		Tunnel:        a.tunnel.carried(r.RemoteAddr),
	}}
	if r.TLS != nil {
		came.ServerName = r.TLS.ServerName
		for _, c := range r.TLS.PeerCertificates {
			came.Certificate = c.Subject.CommonName
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.came = append(a.came, came)
}

func impersonation(h http.Header) string {
	var parts []string
	for _, name := range []string{"User", "Uid", "Group", "Extra-Team"} {
		for _, value := range h["Impersonate-"+name] {
			parts = append(parts, name+"="+value)
		}
	}
	return strings.Join(parts, " ")
}

// take returns what came since the last take.
func (a *apiserver) take() []request {
	a.mu.Lock()
	defer a.mu.Unlock()
	came := a.came
	a.came = nil
	return came
}

// podsPath is where pods are: below a prefix, of all namespaces or of one.
var podsPath = regexp.MustCompile(`^(.*)/api/v1/(?:namespaces/([^/]+)/)?pods$`)

// resolved is how a client understood its kubeconfig.
type resolved struct {
	identity
	Prefix    string // of the server's paths
	Namespace string
}

// understood reads it off what the client sent: all of it under one identity,
// and pods among it.
func understood(t *testing.T, came []request) resolved {
	t.Helper()
	var r resolved
	found := false
	for _, c := range came {
		if c.identity != came[0].identity {
			t.Errorf("%s came from\n%+v, but %s from\n%+v", came[0].path, came[0].identity, c.path, c.identity)
		}
		if match := podsPath.FindStringSubmatch(c.path); match != nil {
			found = true
			r = resolved{c.identity, match[1], match[2]}
		}
	}
	if !found {
		t.Errorf("nobody asked for pods: %+v", came)
	}
	return r
}
