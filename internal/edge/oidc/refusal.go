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
	// ErrRefused is a permanent failure: the provider refused, or we refused its answer.
	ErrRefused = errors.New("sign-in refused")
	// ErrEnded says that a session or a sign-in has expired.
	ErrEnded = errors.New("sign in again")
)

// refused returns an error for an answer that we refuse.
func refused(format string, args ...any) error {
	return fmt.Errorf("%w by the proxy: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// ended returns an error that asks the user to sign in again.
func ended(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrEnded, fmt.Sprintf(format, args...))
}

// says returns the provider's error, with its text as far as it may be shown.
func (p *Provider) says(code, words string, secrets ...string) error {
	secrets = append(secrets, p.options.ClientSecret)
	said := clean(code, secrets...)
	if words = clean(words, secrets...); words != "" {
		said += ": " + words
	}
	if code == "server_error" || code == "temporarily_unavailable" {
		return fmt.Errorf("the provider %s is unavailable: %s", p.options.Issuer, said)
	}
	return fmt.Errorf("%w by the provider %s: %s", ErrRefused, p.options.Issuer, said)
}

// failed returns why there are no tokens. It never contains the error of oauth2, which may contain the
// whole response.
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
		_ = json.Unmarshal(answer.Body, &came) // what cannot be decoded is not shown either
		return p.says(answer.ErrorCode, answer.ErrorDescription, append(secrets, came.ID, came.Access, came.Refresh)...)
	case errors.As(err, &answer):
		code := answer.Response.StatusCode
		return fmt.Errorf("the provider %s sent no tokens and no reason: it answered %d %s", p.options.Issuer, code, http.StatusText(code))
	case errors.As(err, &u):
		return p.unreached(err)
	}
	return fmt.Errorf("the provider %s sent an answer without tokens", p.options.Issuer)
}

const (
	maxWords = 240     // shown of the provider's text, in runes
	maxRead  = 4 << 10 // read of it, in bytes
	// A word of this length that occurs in a secret is treated as a part of it.
	partOfSecret = 8
)

// clean makes a text from elsewhere fit to be shown: short, and without control characters. A text that
// repeats a secret is replaced as a whole.
func clean(text string, secrets ...string) string {
	text = text[:min(len(text), maxRead)]
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError
	}), " ")
	plain, err := url.PathUnescape(text)
	if repeats(text, secrets) || err == nil && repeats(plain, secrets) {
		return "(text hidden: it contains a secret)"
	}
	if runes := []rune(text); len(runes) > maxWords {
		return string(runes[:maxWords]) + "…"
	}
	return text
}

// repeats reports whether a text contains a secret or a part of one.
func repeats(text string, secrets []string) bool {
	if strings.Contains(text, "eyJ") { // every JWT begins like this
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
