//go:build !js

package edge

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// maxAddress bounds a request's path and query, which are kept as long as the request is.
const maxAddress = 8 << 10

// Plain lets requests in that mean the same to everybody on their way. The path has
// one spelling, so that none is answered with a redirect to another. Who reads sends no
// body, behind which a second request might hide, or which might never come. A body has a
// length: one in chunks may have come with a length too, which servers read differently;
// no browser sends either.
func Plain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case len(r.RequestURI) > maxAddress:
			refuse(w, http.StatusRequestURITooLong, "the address is too long")
		case len(r.TransferEncoding) > 0:
			w.Header().Set("Connection", "close")
			refuse(w, http.StatusBadRequest, "chunked request bodies are refused: send Content-Length")
		case !clean(r.URL):
			refuse(w, http.StatusNotFound, "there is nothing at this address")
		case reads && r.ContentLength != 0:
			w.Header().Set("Connection", "close")
			refuse(w, http.StatusBadRequest, "a request that reads has no body")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// clean reports whether an address has one spelling: no empty segments, no dots for
// segments, and no slash or backslash that is escaped, which becomes one further on.
func clean(u *url.URL) bool {
	p := u.EscapedPath()
	return strings.HasPrefix(p, "/") && p != "//" && (p == path.Clean(p) || p == path.Clean(p)+"/") &&
		strings.Count(p, "/") == strings.Count(u.Path, "/") && !strings.Contains(u.Path, `\`)
}
