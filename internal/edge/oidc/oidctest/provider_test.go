//go:build !js

package oidctest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const back = "https://wg.example.com/back"

// challenge is of the verifier that follows it, by RFC 7636's own example.
const (
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// started is a provider of one user, at a time that the test sets.
func started(t *testing.T) (p *Provider, now *time.Time) {
	t.Helper()
	now = new(time.Time)
	*now = time.Now()
	p = New(Options{ClientSecret: "s", Algorithm: "ES256", Now: func() time.Time { return *now }, Settings: Settings{Redirects: []string{back}}})
	t.Cleanup(p.Close)
	p.Set(User{Subject: "ann"})
	return p, now
}

var browser = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// authorize asks as a browser does, with some things said otherwise.
func authorize(t *testing.T, p *Provider, otherwise url.Values) (int, url.Values) {
	t.Helper()
	query := url.Values{
		"response_type": {"code"}, "client_id": {"watchglass"}, "redirect_uri": {back}, "scope": {"openid offline_access"},
		"state": {"st"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	for name, values := range otherwise {
		query[name] = values
	}
	resp, err := browser.Get(p.Issuer() + "/authorize?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	location, err := resp.Location()
	if err != nil {
		return resp.StatusCode, nil
	}
	return resp.StatusCode, location.Query()
}

// exchange asks for tokens, with some things said otherwise.
func exchange(t *testing.T, p *Provider, form url.Values) map[string]any {
	t.Helper()
	whole := url.Values{"client_id": {"watchglass"}, "client_secret": {"s"}, "redirect_uri": {back}, "code_verifier": {verifier}, "grant_type": {"authorization_code"}}
	for name, values := range form {
		whole[name] = values
	}
	resp, err := browser.PostForm(p.Issuer()+"/token", whole)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if (resp.StatusCode == http.StatusOK) != (answer["id_token"] != nil) {
		t.Errorf("%s with %v", resp.Status, answer)
	}
	return answer
}

// TestAuthorize holds a client to the protocol before a browser is sent back,
// and sends none where it has not been told to.
func TestAuthorize(t *testing.T) {
	p, _ := started(t)
	for name, c := range map[string]struct {
		otherwise url.Values
		code      int
		says      string
	}{
		"good":             {nil, 302, ""},
		"another client":   {url.Values{"client_id": {"x"}}, 400, ""},
		"another address":  {url.Values{"redirect_uri": {back + "/x"}}, 400, ""},
		"no address":       {url.Values{"redirect_uri": nil}, 400, ""},
		"a token at once":  {url.Values{"response_type": {"id_token"}}, 302, "unsupported_response_type"},
		"not openid":       {url.Values{"scope": {"email"}}, 302, "invalid_scope"},
		"no challenge":     {url.Values{"code_challenge": nil}, 302, "invalid_request"},
		"a plain one":      {url.Values{"code_challenge_method": {"plain"}}, 302, "invalid_request"},
		"an unknown user":  {url.Values{"user": {"eve"}}, 302, "access_denied"},
		"a user by a link": {url.Values{"user": {"ann"}}, 302, ""},
	} {
		code, query := authorize(t, p, c.otherwise)
		good := code == 302 && c.says == ""
		if code != c.code || query.Get("error") != c.says || (query.Get("code") != "") != good || code == 302 && (query.Get("state") != "st" || query.Get("iss") != p.Issuer()) {
			t.Errorf("%s: %d %v", name, code, query)
		}
	}
}

// TestToken gives tokens for what it gave itself, once, in time, to whom it gave it.
func TestToken(t *testing.T) {
	for name, c := range map[string]struct {
		form  url.Values
		later time.Duration
		says  string
	}{
		"good":             {nil, 0, ""},
		"another address":  {url.Values{"redirect_uri": {back + "/x"}}, 0, "invalid_grant"},
		"another verifier": {url.Values{"code_verifier": {verifier + "x"}}, 0, "invalid_grant"},
		"no verifier":      {url.Values{"code_verifier": nil}, 0, "invalid_grant"},
		"too late":         {nil, 2 * time.Minute, "invalid_grant"},
		"another secret":   {url.Values{"client_secret": {"x"}}, 0, "invalid_client"},
		"another client":   {url.Values{"client_id": {"x"}}, 0, "invalid_client"},
		"a password":       {url.Values{"grant_type": {"password"}}, 0, "unsupported_grant_type"},
		"no refresh token": {url.Values{"grant_type": {"refresh_token"}}, 0, "invalid_grant"},
	} {
		p, now := started(t)
		_, query := authorize(t, p, nil)
		*now = now.Add(c.later)
		form := url.Values{"code": query["code"]}
		for name, values := range c.form {
			form[name] = values
		}
		answer := exchange(t, p, form)
		if says, _ := answer["error"].(string); says != c.says {
			t.Errorf("%s: %v", name, answer)
		}
		if c.says != "" {
			continue
		}
		*now = now.Add(2 * time.Hour)
		refreshed := exchange(t, p, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {answer["refresh_token"].(string)}})
		if refreshed["error"] != "invalid_grant" {
			t.Errorf("a refresh token that is over gave %v", refreshed)
		}
	}
}

// TestLogout sends nobody where no client is.
func TestLogout(t *testing.T) {
	p, _ := started(t)
	for to, want := range map[string]string{"https://wg.example.com/": "https://wg.example.com/", "https://evil.example/": "", "https://wg.example.com.evil.example/": "", "": ""} {
		resp, err := browser.Get(p.Issuer() + "/logout?" + url.Values{"client_id": {"watchglass"}, "post_logout_redirect_uri": {to}}.Encode())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Header.Get("Location") != want {
			t.Errorf("%q: sent to %q", to, resp.Header.Get("Location"))
		}
	}
	if p.Asked("/logout") != 4 || !strings.HasPrefix(p.Issuer(), "http://127.0.0.1:") {
		t.Error(p.Asked("/logout"), p.Issuer())
	}
}
