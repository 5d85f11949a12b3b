//go:build !js

package edge

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// maxAddress limits a request's path and query, which stay in memory as long as the request.
const maxAddress = 8 << 10

// Plain passes on requests that all servers on their way interpret in the same way. The path must be
// in canonical form, so that there are no redirects. GET and HEAD must not have a body, which
// could hide a second request or never arrive. Other bodies need a Content-Length: servers
// disagree about chunked requests that also have a length. Browsers send none of these.
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
			refuse(w, http.StatusNotFound, "nothing found at this address")
		case reads && r.ContentLength != 0:
			w.Header().Set("Connection", "close")
			refuse(w, http.StatusBadRequest, "GET and HEAD requests must not have a body")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// clean reports whether an address is in canonical form: no empty segments, no dot segments, and no
// escaped slash or backslash, which another server could unescape.
func clean(u *url.URL) bool {
	p := u.EscapedPath()
	return strings.HasPrefix(p, "/") && p != "//" && (p == path.Clean(p) || p == path.Clean(p)+"/") &&
		strings.Count(p, "/") == strings.Count(u.Path, "/") && !strings.Contains(u.Path, `\`)
}
