//go:build !js

package oidctest

import (
	"crypto/rand"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// grant is what came of one sign-in. All tokens that stem from it end together.
type grant struct {
	subject, nonce string
	offline        bool // it may be refreshed
	ended          bool
}

// code is good for one exchange.
type code struct {
	grant               *grant
	redirect, challenge string
	until               time.Time
	used                bool
}

// authorize signs a browser's user in at once, or shows a page first, and sends
// the browser back.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	s, query := p.current(), r.URL.Query()
	back, err := url.Parse(query.Get("redirect_uri"))
	if err != nil || query.Get("client_id") != p.options.ClientID || !slices.Contains(s.Redirects, query.Get("redirect_uri")) {
		http.Error(w, "no such client, or not its address", http.StatusBadRequest)
		return
	}
	if s.Page && !query.Has("user") {
		p.page(w, r)
		return
	}
	answer := url.Values{"state": query["state"], "iss": {p.Issuer()}}
	if name, words := p.wrong(s, query); name != "" {
		answer.Set("error", name)
		answer.Set("error_description", words)
	} else if c := p.grant(s, query); c != "" {
		answer.Set("code", c)
	} else {
		answer.Set("error", "access_denied")
		answer.Set("error_description", "no such user, or not any more")
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// wrong says what is wrong with a request to sign in.
func (p *Provider) wrong(s Settings, query url.Values) (name, words string) {
	switch {
	case s.Deny != "":
		return s.Deny, s.DenyWords
	case query.Get("response_type") != "code":
		return "unsupported_response_type", "only code"
	case !slices.Contains(strings.Fields(query.Get("scope")), "openid"):
		return "invalid_scope", "openid is missing"
	case query.Get("code_challenge_method") != "S256" || query.Get("code_challenge") == "":
		return "invalid_request", "PKCE with S256 is asked for"
	}
	return "", ""
}

// grant signs a user in, and returns the code of it.
func (p *Provider) grant(s Settings, query url.Values) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	subject := query.Get("user")
	if subject == "" {
		subject = s.SignIn
	}
	if subject == "" && len(p.users) > 0 {
		subject = p.users[0].Subject
	}
	if _, known := p.user(subject); !known {
		return ""
	}
	c := rand.Text()
	p.codes[c] = &code{
		grant:    &grant{subject: subject, nonce: query.Get("nonce"), offline: slices.Contains(strings.Fields(query.Get("scope")), "offline_access")},
		redirect: query.Get("redirect_uri"), challenge: query.Get("code_challenge"), until: p.options.Now().Add(s.CodeFor),
	}
	return c
}

// page has a link for each user.
func (p *Provider) page(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	users := slices.Clone(p.users)
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><title>Sign in</title><h1>Sign in as</h1>")
	for _, u := range users {
		query := r.URL.Query()
		query.Set("user", u.Subject)
		fmt.Fprintf(w, `<p><a href="/authorize?%s">%s</a>`, html.EscapeString(query.Encode()), html.EscapeString(u.Subject))
	}
}

// logout sends a browser back to where it may be sent, and else says so.
func (p *Provider) logout(w http.ResponseWriter, r *http.Request) {
	back := r.URL.Query().Get("post_logout_redirect_uri")
	u, err := url.Parse(back)
	allowed := slices.ContainsFunc(p.current().Redirects, func(redirect string) bool {
		known, parsed := url.Parse(redirect)
		return err == nil && parsed == nil && known.Scheme == u.Scheme && known.Host == u.Host
	})
	if r.URL.Query().Get("client_id") != p.options.ClientID || !allowed {
		http.Error(w, "signed out", http.StatusOK)
		return
	}
	http.Redirect(w, r, back, http.StatusFound)
}
