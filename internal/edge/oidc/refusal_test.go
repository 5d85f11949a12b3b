//go:build !js

package oidc

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"watchglass/internal/edge/oidc/oidctest"
)

// TestAnswers refuses whatever a browser brings back that is not the answer to
// its own sign-in.
func TestAnswers(t *testing.T) {
	other := begin(t)
	for name, c := range map[string]struct {
		edit  func(pending *Pending, query url.Values)
		kind  error
		words string
	}{
		"no state":               {func(_ *Pending, q url.Values) { q.Del("state") }, ErrRefused, "does not belong to a sign-in of this browser"},
		"another state":          {func(_ *Pending, q url.Values) { q.Set("state", rand.Text()) }, ErrRefused, "does not belong to a sign-in of this browser"},
		"a longer state":         {func(_ *Pending, q url.Values) { q.Set("state", q.Get("state")+"A") }, ErrRefused, "does not belong to a sign-in of this browser"},
		"two states":             {func(_ *Pending, q url.Values) { q.Add("state", q.Get("state")) }, ErrRefused, "more than one state"},
		"two codes":              {func(_ *Pending, q url.Values) { q.Add("code", "x") }, ErrRefused, "more than one code"},
		"nothing has begun":      {func(p *Pending, q url.Values) { *p = Pending{}; q.Del("state") }, ErrRefused, "does not belong to a sign-in of this browser"},
		"no verifier":            {func(p *Pending, _ url.Values) { p.Verifier = "" }, ErrRefused, "does not belong to a sign-in of this browser"},
		"no nonce":               {func(p *Pending, _ url.Values) { p.Nonce = "" }, ErrRefused, "does not belong to a sign-in of this browser"},
		"another nonce":          {func(p *Pending, _ url.Values) { p.Nonce = rand.Text() }, ErrRefused, "nonce is not that of this sign-in"},
		"another verifier":       {func(p *Pending, _ url.Values) { p.Verifier += "x" }, ErrRefused, "invalid_grant: the verifier is not the challenge's"},
		"too late":               {func(p *Pending, _ url.Values) { p.Until = p.Until.Add(-2 * pendingFor) }, ErrEnded, "more than 10m"},
		"no code":                {func(_ *Pending, q url.Values) { q.Del("code") }, ErrRefused, "has no code"},
		"no such code":           {func(_ *Pending, q url.Values) { q.Set("code", rand.Text()) }, ErrRefused, "invalid_grant: no such code"},
		"another provider's":     {func(_ *Pending, q url.Values) { q.Set("iss", other.idp.Issuer()) }, ErrRefused, "from another provider"},
		"a provider of no name":  {func(_ *Pending, q url.Values) { q.Set("iss", "") }, ErrRefused, "from another provider"},
		"of nobody":              {func(_ *Pending, q url.Values) { q.Del("iss") }, ErrRefused, "from another provider, or does not say from which"},
		"denied":                 {func(_ *Pending, q url.Values) { q.Set("error", "access_denied") }, ErrRefused, ": access_denied"},
		"the provider is broken": {func(_ *Pending, q url.Values) { q.Set("error", "server_error") }, nil, "is unavailable: server_error"},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t)
			pending, query := f.sent(t)
			c.edit(&pending, query)
			f.secrets.add(pending.State, query.Get("state"), query.Get("code"))
			tokens, err := f.p.Finish(t.Context(), pending, query)
			f.refuses(t, err, c.kind, c.words)
			if tokens.ID != "" {
				t.Error("there are tokens")
			}
		})
	}
}

// TestNamesSelf takes an answer that does not name its provider, from one that
// does not promise to.
func TestNamesSelf(t *testing.T) {
	f := begin(t, func(theirs *oidctest.Options, _ *Options) {
		theirs.Answer = func(_ string, answer map[string]any) {
			delete(answer, "authorization_response_iss_parameter_supported")
		}
	})
	pending, query := f.sent(t)
	query.Del("iss")
	if _, err := f.p.Finish(t.Context(), pending, query); err != nil {
		t.Fatal(err)
	}
	pending, query = f.sent(t)
	query.Set("iss", "https://evil.example")
	_, err := f.p.Finish(t.Context(), pending, query)
	f.refuses(t, err, ErrRefused, "from another provider")
}

// TestDenied shows the provider's words, as far as they are fit to be shown.
func TestDenied(t *testing.T) {
	f := begin(t)
	for words, want := range map[string]string{
		"not in the team":         "access_denied: not in the team",
		"a\x00b\u202ec\n<b>d</b>": "access_denied: a b c <b>d</b>",
		"":                        ": access_denied",
	} {
		f.idp.Change(func(s *oidctest.Settings) { s.Deny, s.DenyWords = "access_denied", words })
		pending, query := f.sent(t)
		_, err := f.p.Finish(t.Context(), pending, query)
		f.refuses(t, err, ErrRefused, want)
	}
	if f.idp.Asked("/token") != 0 {
		t.Error("a code was asked about where there was none")
	}
}

// TestCodeReuse uses a code twice: the second time is refused, and the provider
// ends what came of the first.
func TestCodeReuse(t *testing.T) {
	f := begin(t)
	pending, query := f.sent(t)
	tokens, err := f.p.Finish(t.Context(), pending, query)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.p.Finish(t.Context(), pending, query)
	f.refuses(t, err, ErrRefused, "invalid_grant: the code was used before")
	_, err = f.p.Refresh(t.Context(), tokens)
	f.refuses(t, err, ErrRefused, "invalid_grant: the session is over")
	if asked := f.idp.Asked("/token"); asked != 3 {
		t.Errorf("%d requests for tokens: a refused one was sent again", asked)
	}
}

// TestIDTokens refuses an ID token that is wrong in any way, at the sign-in and
// at a refresh alike.
func TestIDTokens(t *testing.T) {
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var public []byte
	claim := func(name string, value any) func(*oidctest.Draft) {
		return func(d *oidctest.Draft) { d.Claims[name] = value }
	}
	hour := time.Now().Add(time.Hour).Unix()
	for name, c := range map[string]struct {
		edit  func(*oidctest.Draft)
		words string
	}{
		"issuer":        {claim("iss", "https://evil.example"), "issued by a different provider"},
		"audience":      {claim("aud", "other"), "expected audience"},
		"no audience":   {func(d *oidctest.Draft) { delete(d.Claims, "aud") }, "expected audience"},
		"expired":       {claim("exp", time.Now().Add(-time.Minute).Unix()), "expired at"},
		"no expiry":     {func(d *oidctest.Draft) { delete(d.Claims, "exp") }, "expired at"},
		"not yet":       {claim("nbf", hour), "before the nbf"},
		"unknown key":   {func(d *oidctest.Draft) { d.Key = stranger }, "failed to verify"},
		"unknown kid":   {func(d *oidctest.Draft) { d.Key, d.Header["kid"] = stranger, "key-99" }, "failed to verify"},
		"alg none":      {func(d *oidctest.Draft) { d.Key = nil }, `unexpected signature algorithm "none"`},
		"alg None":      {func(d *oidctest.Draft) { d.Key, d.Header["alg"] = nil, "None" }, "unexpected signature algorithm"},
		"HS256":         {func(d *oidctest.Draft) { d.Key = public }, `unexpected signature algorithm "HS256"`},
		"not signed":    {func(d *oidctest.Draft) { d.Key, d.Header["alg"] = nil, "ES256" }, "not accepted"},
		"another alg":   {func(d *oidctest.Draft) { d.Header["alg"] = "ES384" }, `unexpected signature algorithm "ES384"`},
		"access token":  {claim("at_hash", "AAAA"), "does not match the access token"},
		"another party": {claim("azp", "other"), "issued to another client"},
		"claims of a wrong kind": {func(d *oidctest.Draft) {
			d.Claims["exp"] = "CANARY in a claim, which is no time"
		}, "not accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t)
			public = f.idp.Public()
			tokens := f.signIn(t)
			f.idp.Change(func(s *oidctest.Settings) { s.Draft = c.edit })
			pending, query := f.sent(t)
			_, err := f.p.Finish(t.Context(), pending, query)
			f.refuses(t, err, ErrRefused, c.words)
			_, err = f.p.Refresh(t.Context(), tokens)
			f.refuses(t, err, ErrRefused, c.words)
		})
	}
}

// TestPromises keeps to algorithms with public keys, even of a provider that
// promises others.
func TestPromises(t *testing.T) {
	var public []byte
	f := begin(t, func(theirs *oidctest.Options, _ *Options) {
		theirs.Algorithm = "RS256"
		theirs.Answer = func(path string, answer map[string]any) {
			answer["id_token_signing_alg_values_supported"] = []string{"none", "HS256"}
		}
	})
	public = f.idp.Public()
	f.signIn(t)
	for _, key := range []any{nil, public} {
		f.idp.Change(func(s *oidctest.Settings) { s.Draft = func(d *oidctest.Draft) { d.Key = key } })
		pending, query := f.sent(t)
		_, err := f.p.Finish(t.Context(), pending, query)
		f.refuses(t, err, ErrRefused, "unexpected signature algorithm")
	}
}

// TestClient refuses to go on when the provider does not know the client.
func TestClient(t *testing.T) {
	f := begin(t)
	o := f.p.options
	o.ClientSecret = "another CANARY of a secret"
	f.p = f.client(t, o)
	pending, query := f.sent(t)
	_, err := f.p.Finish(t.Context(), pending, query)
	f.refuses(t, err, ErrRefused, "invalid_client")
	f.refuses(t, f.p.Revoke(t.Context(), Tokens{Refresh: "a token, CANARY"}), ErrRefused, ": 401: Unauthorized")
	if asked := f.idp.Asked("/token"); asked != 1 {
		t.Errorf("the secret was tried %d times", asked)
	}
}

// TestClean leaves out words that repeat a secret, or a part of one, in any
// writing; what is only like one stays.
func TestClean(t *testing.T) {
	const secret = "s/ecret+CANARY=="
	for text, shown := range map[string]bool{
		"bad token " + secret:             false,
		"bad token " + secret[:9] + "...": false,
		"bad token s%2Fecret%2BCANARY%3D": false,
		"bad token=" + secret[4:]:         false,
		"bad pin 1234":                    false,
		"hint: eyJhbGciOi":                false,
		"bad token":                       true,
		"AADSTS70008: expired, trace 3b1d7c5e-0000-4a5b-9c1d-2f3a4b5c6d7e": true,
		"PIN-12345": true,
	} {
		if got := clean(text, secret, "1234", ""); (got == text) != shown {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	if got := clean(strings.Repeat("ä", 5000)); utf8.RuneCountInString(got) != maxWords+1 {
		t.Errorf("%d runes", utf8.RuneCountInString(got))
	}
}
