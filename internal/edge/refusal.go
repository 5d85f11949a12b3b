//go:build !js

package edge

import (
	"errors"
	"fmt"
	"net/http"

	"watchglass/internal/edge/limit"
	"watchglass/internal/edge/session"
)

// refusal is why a request is refused: a text for users, and a word for metrics.
type refusal struct {
	code  int
	word  string
	words string
}

func (r *refusal) Error() string { return r.words }

func refusing(code int, word, format string, args ...any) *refusal {
	return &refusal{code, word, fmt.Sprintf(format, args...)}
}

// refusalOf returns the refusal that an error is, or that users read in its place.
func refusalOf(err error) *refusal {
	var no *refusal
	var large session.TooLarge
	switch {
	case errors.As(err, &no):
		return no
	case errors.Is(err, session.ErrClock):
		return refusing(http.StatusUnauthorized, "clock", "This computer's clock and the proxy's differ by more than a minute. Correct the clock and reload.")
	case errors.Is(err, session.ErrUnproven):
		return refusing(http.StatusUnauthorized, "proof", "This request is not from the browser that signed in. Reload the page.")
	case errors.Is(err, limit.ErrSignIns):
		return refusing(http.StatusTooManyRequests, "rate", "Too many sign-ins just now. Try again in a moment.")
	case errors.As(err, &large):
		return &refusal{http.StatusInsufficientStorage, "large", large.Error()}
	}
	return &refusal{http.StatusInternalServerError, "fault", err.Error()}
}

// blamed reports whether the client is to blame for an error, and not an apiserver or a provider.
func blamed(err error) bool { return refusalOf(err).code < http.StatusInternalServerError }

// refuse answers with a code and a text.
func refuse(w http.ResponseWriter, code int, words string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	fmt.Fprintln(w, words)
}
