//go:build !js

package oidc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/oauth2"
)

var (
	// ErrRefused is a no that asking again does not change: of the provider, or
	// of ours to what it sent.
	ErrRefused = errors.New("sign-in refused")
	// ErrEnded is a session, or a try to sign in, whose time is over.
	ErrEnded = errors.New("sign in again")
)

// refused is our own no.
func refused(format string, args ...any) error {
	return fmt.Errorf("%w by the proxy: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// ended asks the user to sign in again.
func ended(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrEnded, fmt.Sprintf(format, args...))
}

// says is the provider's no, in its own words as far as they may be shown.
func (p *Provider) says(code, words string, secrets ...string) error {
	secrets = append(secrets, p.options.ClientSecret)
	said := clean(code, secrets...)
	if words = clean(words, secrets...); words != "" {
		said += ": " + words
	}
	if code == "server_error" || code == "temporarily_unavailable" {
		return fmt.Errorf("the provider %s cannot answer now: it says %s", p.options.Issuer, said)
	}
	return fmt.Errorf("%w by the provider %s: it says %s", ErrRefused, p.options.Issuer, said)
}

// failed tells why no tokens came. The error of oauth2 may hold the whole
// answer, so it is taken apart and never shown.
func (p *Provider) failed(err error, secrets ...string) error {
	var answer *oauth2.RetrieveError
	var u *url.Error
	switch {
	case errors.As(err, &answer) && answer.ErrorCode != "":
		var came struct {
			ID      string `json:"id_token"`
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
		}
		_ = json.Unmarshal(answer.Body, &came) // what cannot be read is not shown either
		return p.says(answer.ErrorCode, answer.ErrorDescription, append(secrets, came.ID, came.Access, came.Refresh)...)
	case errors.As(err, &answer):
		code := answer.Response.StatusCode
		return fmt.Errorf("the provider %s gives no tokens and no reason: it answers %d %s", p.options.Issuer, code, http.StatusText(code))
	case errors.As(err, &u):
		return p.unreached(err)
	}
	return fmt.Errorf("the provider %s gives an answer that holds no tokens", p.options.Issuer)
}

const (
	maxWords = 240     // of the provider's, in runes
	maxRead  = 4 << 10 // of them, in bytes
	// A word of theirs that is so long and stands in a secret is a part of it.
	partOfSecret = 8
)

// clean makes text of others fit to be shown: short, without control
// characters, and without the secrets. Words that repeat a secret are left out
// as a whole.
func clean(text string, secrets ...string) string {
	text = text[:min(len(text), maxRead)]
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError
	}), " ")
	plain, err := url.PathUnescape(text)
	if repeats(text, secrets) || err == nil && repeats(plain, secrets) {
		return "(its words repeat a secret)"
	}
	if runes := []rune(text); len(runes) > maxWords {
		return string(runes[:maxWords]) + "…"
	}
	return text
}

// repeats reports whether a text holds a secret, or a part of one.
func repeats(text string, secrets []string) bool {
	if strings.Contains(text, "eyJ") { // so every JWT begins
		return true
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'<>()[]{},;:=&?…", r)
	})
	for _, secret := range secrets {
		if len(secret) >= partOfSecret && strings.Contains(text, secret) {
			return true
		}
		for _, word := range words {
			word = strings.TrimRight(word, ".")
			if word == secret || len(word) >= partOfSecret && strings.Contains(secret, word) {
				return true
			}
		}
	}
	return false
}
