//go:build !js

package edge

import (
	"net/http"
	"time"

	"watchglass/internal/edge/session"
)

// mode is one way to sign in.
type mode interface {
	name() string
	// login returns a new session for a request to sign in, whose body is given, or renews the
	// session that the browser has. If the request has the launchHeader, what is given came from a
	// link, which somebody else may have made.
	login(r *http.Request, given string, by caller) (session.Session, error)
	// admit returns the session as this request may use it.
	admit(r *http.Request, s session.Session) (session.Session, error)
	// framed reports whether pages in frames may sign in, with the token that an embedder gives them.
	framed() bool
	// LastEnd returns when the last copy of a session expires, if none is renewed after now.
	LastEnd(s session.Session, now time.Time) time.Time
}
