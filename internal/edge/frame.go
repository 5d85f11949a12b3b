//go:build !js

package edge

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A page in a frame of another site gets no cookies: browsers block them there. The portal around
// it gives it a token, and the page keeps the sealed session in memory. It sends the session in a
// header of its requests and, since scripts cannot set headers of a WebSocket, among the
// subprotocols of the socket. So nobody gets a socket without a session.

const (
	// frameHeader marks the requests of such a page. Its value is the sealed session, or "none".
	frameHeader = "Watchglass-Session"
	// embedderHeader is the origin of the page around it, which gave the token.
	embedderHeader = "Watchglass-Embedder"
	// sessionProtocol is the prefix of the subprotocol that carries the session.
	sessionProtocol = "watchglass.session."
)

// SocketProtocol is the subprotocol of sockets that also offer a session. Browsers require that the
// server chooses one of those they offer.
const SocketProtocol = "watchglass.v1"

var errFrame = refusing(http.StatusForbidden, "frame", "This Watchglass does not sign in users inside other pages. Open it in a window of its own.")

// frameSession returns the session that a page in a frame sent, still sealed. ok is false for
// requests that use cookies.
func frameSession(r *http.Request) (sealed string, ok bool) {
	if values := r.Header.Values(frameHeader); len(values) > 0 {
		return values[0], true
	}
	for offered := range strings.SplitSeq(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",") {
		if encoded, ok := strings.CutPrefix(strings.TrimSpace(offered), sessionProtocol); ok {
			return encoded, true
		}
	}
	return "", false
}

// checkFrame returns an error if a request to sign in is from a page in a frame that may not: only
// tokens can be given to a page, and only by an embedder.
func (a *Authenticator) checkFrame(r *http.Request) error {
	if _, ok := frameSession(r); !ok {
		return nil
	}
	if !a.mode.framed() || !slices.Contains(a.o.Embedders, r.Header.Get(embedderHeader)) {
		return errFrame
	}
	return nil
}

// Embedders are the origins of pages that may show ours in a frame.
type Embedders []string

var errEmbedder = errors.New("must be the origin of a page, such as https://portal.example.com: a scheme and a host, without path or *")

// ParseEmbedder returns an origin as browsers write it. Plain HTTP is for this machine only.
func ParseEmbedder(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Hostname() == "", u.User != nil, u.RawQuery != "", u.Fragment != "", strings.Trim(u.Path, "/") != "", strings.ContainsAny(u.Host, "*'\"; ,"):
		return "", errEmbedder
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return originOf(u.Scheme, u.Host), nil
	}
	return "", errors.New("must begin with https://, except for this machine: whoever can change the page around ours can draw over it")
}

// embedded reports whether a request is for the page in a frame.
func embedded(r *http.Request) bool { return r.URL.Query().Get("embed") != "" }

// Frame lets the given pages show next in a frame, if the request asks for the page in its form for
// frames. All other pages stay closed to frames.
func (e Embedders) Frame(next http.Handler) http.Handler {
	origins := strings.Join(slices.Compact(slices.Sorted(slices.Values(e))), " ")
	opened := strings.Replace(policy, framedByNone, "frame-ancestors "+origins+";", 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(e) > 0 && embedded(r) {
			w.Header().Set("Content-Security-Policy", opened)
			w.Header().Del("X-Frame-Options") // it knows no origins
		}
		next.ServeHTTP(w, r)
	})
}

// Shared lets pages of all origins load a file that is meant for them and holds no data.
func Shared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		next.ServeHTTP(w, r)
	})
}
