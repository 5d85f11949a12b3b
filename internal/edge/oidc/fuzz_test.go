//go:build !js

package oidc

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
)

// canned answers with discovery, and with one answer at the token endpoint.
type canned struct {
	discovery string
	code      int
	body      []byte
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	switch r.URL.Path {
	case "/token":
		w.WriteHeader(c.code)
		_, _ = w.Write(c.body)
	case "/keys":
		_, _ = w.WriteString(`{"keys":[]}`)
	default:
		_, _ = w.WriteString(c.discovery)
	}
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

const (
	fuzzSecret = "CANARYsecretCANARYsecret"
	fuzzState  = "CANARYstateCANARYstateCA"
	fuzzNonce  = "CANARYnonceCANARYnonceCA"
	fuzzVerify = "CANARYverifierCANARYverifierCANARYverifier"
	fuzzCode   = "CANARYcodeCANARYcodeCANARY"
	fuzzToken  = "CANARYrefreshCANARYrefre"
	fuzzIssuer = "https://idp.example"
)

// inMemory is a client of a provider that is not there.
func inMemory(f *testing.F) (*Provider, *canned) {
	p, err := New(Options{Issuer: fuzzIssuer, ClientID: "wg", ClientSecret: fuzzSecret, Redirect: redirect})
	if err != nil {
		f.Fatal(err)
	}
	c := &canned{code: 400, body: []byte(`{"error":"invalid_grant"}`)}
	c.discovery = strings.ReplaceAll(`{"issuer":"ISS","authorization_endpoint":"ISS/authorize","token_endpoint":"ISS/token","jwks_uri":"ISS/keys"}`, "ISS", fuzzIssuer)
	p.client.Transport = answers{c}
	return p, c
}

func fuzzPending() Pending {
	return Pending{State: fuzzState, Nonce: fuzzNonce, Verifier: fuzzVerify, Until: time.Now().Add(time.Hour)}
}

// fit holds that an error may be shown.
func fit(t *testing.T, err error, secrets ...string) {
	t.Helper()
	text := err.Error()
	for _, secret := range append(secrets, fuzzSecret) {
		if len(secret) >= 20 && strings.Contains(text, secret) {
			t.Fatalf("%q holds %q", text, secret)
		}
	}
	if len(text) > 3000 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Fatalf("%q is not fit to be shown", text)
	}
}

// FuzzFinish brings back any query: nobody is signed in by one, what is refused
// says nothing secret, and without the state no code is asked about.
func FuzzFinish(f *testing.F) {
	p, _ := inMemory(f)
	for _, query := range []string{
		"", "state=" + fuzzState, "code=abc&state=" + fuzzState, "error=access_denied&error_description=no&state=" + fuzzState,
		"error=server_error&state=" + fuzzState, "iss=https://idp.example&code=abc&state=" + fuzzState, "iss=https://evil.example&code=a&state=" + fuzzState,
		"state=" + fuzzState + "&state=" + fuzzState, "code=abc&error=" + fuzzCode + "abc&state=" + fuzzState,
		"error=x&error_description=%00%0a%1b%5b31m%E2%80%AE&state=" + fuzzState, "error=x&error_description=" + fuzzVerify + "&state=" + fuzzState,
		"error=%25%34%33ANARYverifierCANARYverifierCANARYverifier&state=" + fuzzState, "state=%ff&code=%zz",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		query, _ := url.ParseQuery(raw) // as net/http reads it: what is wrong is left out
		if query.Has("code") {
			query["code"][0] = fuzzCode + query["code"][0] // none of our own words
		}
		tokens, err := p.Finish(t.Context(), fuzzPending(), query)
		if err == nil || tokens.ID != "" || tokens.Refresh != "" || tokens.Subject != "" {
			t.Fatalf("signed in by %q", raw)
		}
		if query.Get("state") != fuzzState && !errors.Is(err, ErrRefused) {
			t.Fatalf("%q is not refused: %v", raw, err)
		}
		fit(t, err, query.Get("code"), fuzzState, fuzzNonce, fuzzVerify)
	})
}

// FuzzAnswer lets the token endpoint answer anything: nobody is signed in, and
// nobody becomes another, by what nobody has signed.
func FuzzAnswer(f *testing.F) {
	p, c := inMemory(f)
	for _, body := range []string{
		"", "{}", "[]", "null", `{"access_token":"a"}`, `{"access_token":"a","id_token":"a.b.c"}`, `{"access_token":"a","id_token":"eyJhbGciOiJub25lIn0.e30."}`,
		`{"access_token":"a","expires_in":"CANARYtimeCANARYtimeCANARY"}`, `{"error":"invalid_grant","error_description":"` + fuzzToken + `"}`,
		`{"error":"` + fuzzVerify + `"}`, `{"access_token":"CANARYaccessCANARYaccess","error":"e","error_description":"CANARYaccessCANARYaccess"}`,
		`{"access_token":"a","refresh_token":"new"}`, `{"access_token":"a","id_token":7}`, "<html>", `{"ACCESS_TOKEN":"a","Id_Token":"b"}`,
	} {
		f.Add([]byte(body), 200)
		f.Add([]byte(body), 400)
	}
	was := Tokens{ID: "a.b.c", Refresh: fuzzToken, Subject: "ann", User: "u", Expires: time.Now().Add(time.Hour)}
	f.Fuzz(func(t *testing.T, body []byte, code int) {
		c.code, c.body = 200+(code%400+400)%400, body
		var came struct {
			ID      string `json:"id_token"`
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
		}
		_ = json.Unmarshal(body, &came) // it may be anything
		query := url.Values{"state": {fuzzState}, "code": {fuzzCode}}
		if _, err := p.Finish(t.Context(), fuzzPending(), query); err == nil {
			t.Fatalf("signed in by %q", body)
		} else {
			fit(t, err, came.ID, came.Access, came.Refresh, query.Get("code"), fuzzState, fuzzNonce, fuzzVerify)
		}
		now, err := p.Refresh(t.Context(), was)
		if err != nil {
			fit(t, err, came.ID, came.Access, came.Refresh, fuzzToken)
		}
		if !errors.Is(err, ErrRefused) && (now.ID != was.ID || now.Subject != was.Subject || now.User != was.User || now.Refresh == "" || !now.Expires.Equal(was.Expires)) {
			t.Fatalf("%q makes %+v, %v", body, now, err)
		}
	})
}
