package identity

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
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
)

// ingress ends TLS in front of a server, as in a cluster. Its address is known before that server
// runs. It notes the tokens that clients of a provider behind it get.
type ingress struct {
	*httptest.Server

	mu      sync.Mutex
	to      *url.URL
	clients map[string]*client // by ID
}

// client is what a provider answered a client.
type client struct {
	stolen           bool  // somebody else uses each refresh token first
	refused          int   // how many refreshes were
	expires, renewed int64 // when the first ID token since the sign-in expires, and when the newest was issued, both in Unix seconds
}

func newIngress() *ingress {
	i := &ingress{to: new(url.URL), clients: make(map[string]*client)}
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
		id, refreshes := tokensFor(r)
		if id == "" {
			pass.ServeHTTP(w, r)
			return
		}
		if refreshes && i.client(id).stolen {
			pass.ServeHTTP(httptest.NewRecorder(), r)
			r.Body, _ = r.GetBody()
		}
		answer := httptest.NewRecorder()
		pass.ServeHTTP(answer, r)
		i.note(id, refreshes, answer)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = answer.Body.WriteTo(w)
	}))
	i.Config.ErrorLog = log.New(io.Discard, "", 0)
	return i
}

// tokensFor returns the client that asks a provider for tokens, and whether for a refresh token; "" if a request does not.
func tokensFor(r *http.Request) (id string, refreshes bool) {
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
	if err != nil {
		return "", false
	}
	id = form.Get("client_id")
	if name, _, basic := r.BasicAuth(); basic {
		id = name
	}
	return id, form.Get("grant_type") == "refresh_token"
}

// note notes what a provider answered.
func (i *ingress) note(id string, refreshes bool, answer *httptest.ResponseRecorder) {
	var tokens struct {
		ID string `json:"id_token"`
	}
	var claims struct{ Exp, Iat int64 }
	if json.Unmarshal(answer.Body.Bytes(), &tokens) == nil {
		if parts := strings.Split(tokens.ID, "."); len(parts) == 3 {
			payload, _ := base64.RawURLEncoding.DecodeString(parts[1])
			_ = json.Unmarshal(payload, &claims) // if there are none, the test waits for them in vain, and says so
		}
	}
	i.update(id, func(c *client) {
		switch {
		case refreshes && answer.Code == http.StatusBadRequest:
			c.refused++
		case refreshes:
			c.renewed = claims.Iat
		default:
			c.expires, c.renewed = claims.Exp, claims.Iat
		}
	})
}

// client returns what is known of a client.
func (i *ingress) client(id string) (c client) {
	i.update(id, func(known *client) { c = *known })
	return c
}

// update changes what is known of a client.
func (i *ingress) update(id string, change func(c *client)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.clients[id] == nil {
		i.clients[id] = new(client)
	}
	change(i.clients[id])
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
