//go:build !js

package oidctest

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// Options are what a provider is made with.
type Options struct {
	ClientID     string // "watchglass" if empty
	ClientSecret string // a public client if empty
	Algorithm    string // of the ID tokens: RS256, or ES256; RS256 if empty
	TLS          bool   // serve https
	Now          func() time.Time
	Settings
}

// Settings are what a test may change while the provider runs.
type Settings struct {
	Redirects  []string // where browsers may be sent back to
	SignIn     string   // the subject that is signed in; else the first user
	Deny       string   // the error that is answered instead, such as access_denied
	DenyWords  string   // the description of it
	Page       bool     // show a page with a link for each user first
	Down       bool     // break off every connection
	IDFor      time.Duration
	CodeFor    time.Duration
	RefreshFor time.Duration
	// Draft may change an ID token before it is signed. It must not ask the
	// provider, which waits for it.
	Draft func(*Draft)
	// Answer may change an answer in JSON before it is sent.
	Answer func(path string, answer map[string]any)
	// Instead may answer a request itself, and then says so.
	Instead func(w http.ResponseWriter, r *http.Request) bool
}

// User is one whom the provider knows.
type User struct {
	Subject, Email string
	Unverified     bool // the email is not
	Groups         []string
	Claims         map[string]any // further ones
	Disabled       bool           // gets nothing more
}

// Provider is an OpenID Connect provider that runs.
type Provider struct {
	options Options
	server  *httptest.Server

	mu       sync.Mutex
	settings Settings
	users    []User
	keys     []key // the last one signs
	codes    map[string]*code
	refresh  map[string]*refresh
	asked    map[string]int
}

// New starts a provider on a free port of this machine.
func New(o Options) *Provider {
	if o.ClientID == "" {
		o.ClientID = "watchglass"
	}
	if o.Algorithm == "" {
		o.Algorithm = "RS256"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for _, d := range []struct {
		of   *time.Duration
		long time.Duration
	}{{&o.IDFor, 5 * time.Minute}, {&o.CodeFor, time.Minute}, {&o.RefreshFor, time.Hour}} {
		if *d.of == 0 {
			*d.of = d.long
		}
	}
	p := &Provider{options: o, settings: o.Settings, codes: make(map[string]*code), refresh: make(map[string]*refresh), asked: make(map[string]int)}
	p.Rotate()
	p.server = httptest.NewUnstartedServer(p.handler())
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0) // tests make handshakes fail
	if o.TLS {
		p.server.EnableHTTP2 = true
		p.server.StartTLS()
	} else {
		p.server.Start()
	}
	return p
}

// Close ends the provider.
func (p *Provider) Close() { p.server.Close() }

// Issuer is the provider's name and address.
func (p *Provider) Issuer() string { return p.server.URL }

// CA is the authority of the provider's certificate, in PEM.
func (p *Provider) CA() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
}

// Change changes the settings for all that comes.
func (p *Provider) Change(edit func(*Settings)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	edit(&p.settings)
}

// Set adds a user, or changes the one of that subject.
func (p *Provider) Set(u User) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.users, func(have User) bool { return have.Subject == u.Subject }); i >= 0 {
		p.users[i] = u
		return
	}
	p.users = append(p.users, u)
}

// user finds an enabled user; p.mu is held.
func (p *Provider) user(subject string) (User, bool) {
	i := slices.IndexFunc(p.users, func(u User) bool { return u.Subject == subject && !u.Disabled })
	if i < 0 {
		return User{}, false
	}
	return p.users[i], true
}

// Asked is how often a path was asked for, such as "/token".
func (p *Provider) Asked(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

func (p *Provider) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.published)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("POST /revoke", p.revoke)
	mux.HandleFunc("GET /logout", p.logout)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := p.ask(r.URL.Path)
		if s.Down {
			panic(http.ErrAbortHandler)
		}
		if s.Instead == nil || !s.Instead(w, r) {
			mux.ServeHTTP(w, r)
		}
	})
}

// ask counts a request.
func (p *Provider) ask(path string) Settings {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[path]++
	return p.settings
}

func (p *Provider) current() Settings {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.settings
}

// discovery says what there is.
func (p *Provider) discovery(w http.ResponseWriter, r *http.Request) {
	p.answer(w, r, http.StatusOK, map[string]any{
		"issuer":                                         p.Issuer(),
		"authorization_endpoint":                         p.Issuer() + "/authorize",
		"token_endpoint":                                 p.Issuer() + "/token",
		"jwks_uri":                                       p.Issuer() + "/keys",
		"revocation_endpoint":                            p.Issuer() + "/revoke",
		"end_session_endpoint":                           p.Issuer() + "/logout",
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{p.options.Algorithm},
		"scopes_supported":                               []string{"openid", "profile", "email", "groups", "offline_access"},
		"token_endpoint_auth_methods_supported":          []string{"client_secret_basic", "client_secret_post", "none"},
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	})
}

// answer sends JSON.
func (p *Provider) answer(w http.ResponseWriter, r *http.Request, code int, answer map[string]any) {
	if edit := p.current().Answer; edit != nil {
		edit(r.URL.Path, answer)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer) // a client that went away
}

// refuse answers with an error of the protocol.
func (p *Provider) refuse(w http.ResponseWriter, r *http.Request, code int, name, words string) {
	p.answer(w, r, code, map[string]any{"error": name, "error_description": words})
}
