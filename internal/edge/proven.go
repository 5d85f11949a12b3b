//go:build !js

package edge

import (
	"net/http"

	"watchglass/internal/edge/session"
)

// Proven passes on a POST from one of our pages if the browser proves, for a purpose, that its session
// began there.
func (a *Authenticator) Proven(purpose session.Purpose, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, ok := a.checkPost(w, r, purpose)
		if !ok {
			return
		}
		if !by.proven {
			a.refuse(w, refusing(http.StatusUnauthorized, "session", "Not signed in, or not in this browser. Reload the page."))
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
