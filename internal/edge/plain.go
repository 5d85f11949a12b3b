//go:build !js

package edge

import (
	"net/http"
	"path"
	"strings"
)

// Plain lets requests in that mean the same to everybody on their way: the path has
// one spelling, so that none is answered with a redirect to another, and who reads
// sends no body, behind which a second request might hide, or which might never come.
func Plain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case !clean(r.URL.EscapedPath()):
			refuse(w, http.StatusNotFound, "there is nothing at this address")
		case reads && r.ContentLength != 0:
			w.Header().Set("Connection", "close")
			refuse(w, http.StatusBadRequest, "a request that reads has no body")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// clean reports whether a path has no empty segments and no dots for segments.
func clean(p string) bool {
	return strings.HasPrefix(p, "/") && p != "//" && (p == path.Clean(p) || p == path.Clean(p)+"/")
}
