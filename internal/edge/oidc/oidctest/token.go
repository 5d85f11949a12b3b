//go:build !js

package oidctest

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// refresh is a refresh token, good for one use.
type refresh struct {
	grant *grant
	until time.Time
	used  bool
}

// token exchanges a code or a refresh token for new tokens.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	if !p.authenticated(r) {
		p.refuse(w, r, http.StatusUnauthorized, "invalid_client", "the client is not who it says")
		return
	}
	var g *grant
	var err error
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		g, err = p.spendCode(r.PostForm)
	case "refresh_token":
		g, err = p.spendRefresh(r.PostFormValue("refresh_token"))
	default:
		p.refuse(w, r, http.StatusBadRequest, "unsupported_grant_type", "a code or a refresh token")
		return
	}
	var answer map[string]any
	if err == nil {
		answer, err = p.tokens(g)
	}
	if err != nil {
		p.refuse(w, r, http.StatusBadRequest, "invalid_grant", err.Error())
		return
	}
	p.answer(w, r, http.StatusOK, answer)
}

// authenticated reports whether a request is the client's.
func (p *Provider) authenticated(r *http.Request) bool {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	} else {
		var idErr, secretErr error
		id, idErr = url.QueryUnescape(id)
		secret, secretErr = url.QueryUnescape(secret)
		if idErr != nil || secretErr != nil {
			return false
		}
	}
	return id == p.options.ClientID && subtle.ConstantTimeCompare([]byte(secret), []byte(p.options.ClientSecret)) == 1
}

// spendCode takes a code for the first time; the second time ends all that came
// of the first.
func (p *Provider) spendCode(form url.Values) (*grant, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.codes[form.Get("code")]
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case c == nil:
		return nil, errors.New("no such code")
	case c.used:
		c.grant.ended = true
		return nil, errors.New("the code was used before")
	}
	c.used = true
	switch {
	case !p.options.Now().Before(c.until):
		return nil, errors.New("the code is over")
	case c.redirect != form.Get("redirect_uri"):
		return nil, errors.New("the code was for another address")
	case c.challenge != encode(sum[:]):
		return nil, errors.New("the verifier is not the challenge's")
	}
	return c.grant, nil
}

// spendRefresh takes a refresh token for the first time; the second time ends
// the session, since one of the two who used it has stolen it.
func (p *Provider) spendRefresh(token string) (*grant, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.refresh[token]
	switch {
	case t == nil:
		return nil, errors.New("no such refresh token")
	case t.used:
		t.grant.ended = true
		return nil, errors.New("the refresh token was used before")
	case t.grant.ended, !p.options.Now().Before(t.until):
		return nil, errors.New("the session is over")
	}
	t.used = true
	return t.grant, nil
}

// tokens makes the answer for a grant.
func (p *Provider) tokens(g *grant) (map[string]any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	user, known := p.user(g.subject)
	if !known {
		return nil, fmt.Errorf("%s may not sign in any more", g.subject)
	}
	access := rand.Text()
	id, err := p.draft(g, user, access).sign()
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(p.settings.IDFor / time.Second), "id_token": id}
	if g.offline {
		token := rand.Text()
		p.refresh[token] = &refresh{grant: g, until: p.options.Now().Add(p.settings.RefreshFor)}
		answer["refresh_token"] = token
	}
	return answer, nil
}

// draft is the ID token of a user, now.
func (p *Provider) draft(g *grant, user User, access string) Draft {
	now, signer, sum := p.options.Now(), p.keys[len(p.keys)-1], sha256.Sum256([]byte(access))
	d := Draft{Header: map[string]any{"typ": "JWT", "kid": signer.id}, Claims: make(map[string]any), Key: signer.signer}
	maps.Copy(d.Claims, user.Claims)
	maps.Copy(d.Claims, map[string]any{
		"iss": p.Issuer(), "aud": p.options.ClientID, "sub": user.Subject, "iat": now.Unix(), "exp": now.Add(p.settings.IDFor).Unix(),
		"at_hash": encode(sum[:len(sum)/2]),
	})
	if user.Email != "" {
		d.Claims["email"], d.Claims["email_verified"] = user.Email, !user.Unverified
	}
	if user.Groups != nil {
		d.Claims["groups"] = user.Groups
	}
	if g.nonce != "" {
		d.Claims["nonce"] = g.nonce
	}
	if p.settings.Draft != nil {
		p.settings.Draft(&d)
	}
	return d
}

// revoke ends the session of a refresh token. It never says whether there was one.
func (p *Provider) revoke(w http.ResponseWriter, r *http.Request) {
	if !p.authenticated(r) {
		p.refuse(w, r, http.StatusUnauthorized, "invalid_client", "the client is not who it says")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.refresh[r.PostFormValue("token")]; t != nil {
		t.grant.ended = true
	}
}
