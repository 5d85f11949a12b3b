//go:build !js

package edge

import (
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Local is the door of local mode: whoever has the address that was printed at
// the launch may come in. The token stands in the address's fragment, which no
// browser sends; the page posts it once and gets a cookie for it.
type Local struct {
	hosts  Hosts
	token  string
	key    Key
	cookie string // its name carries the port, since cookies ignore ports
	port   string
}

// cookieFor is how long a browser is remembered since it was last seen.
const cookieFor = 7 * 24 * time.Hour

// maxToken bounds the body of a login.
const maxToken = 1 << 10

// NewLocal returns the door of one launch.
func NewLocal(listen net.Addr, token string, key Key, moreHosts ...string) *Local {
	_, port, _ := net.SplitHostPort(listen.String()) // without one, all is refused
	return &Local{hosts: NewHosts(listen, moreHosts...), token: token, key: key, cookie: "watchglass-" + port, port: port}
}

// Page lets requests for the page and its files in: they must be for us.
func (l *Local) Page(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.hosts.Host(r) {
			refuse(w, http.StatusMisdirectedRequest, fmt.Sprintf("this is not %q: open the address that was printed at the start, or name the host with --host", r.Host))
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			refuse(w, http.StatusMethodNotAllowed, "only GET")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Socket lets requests for the socket in: they must come from a page of ours,
// in a browser that holds our cookie. It is asked before the upgrade.
func (l *Local) Socket(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !l.hosts.Host(r):
			refuse(w, http.StatusMisdirectedRequest, "another host was meant")
		case !l.hosts.Origin(r):
			refuse(w, http.StatusForbidden, "only a page of this server may do that")
		case !l.known(r):
			refuse(w, http.StatusUnauthorized, "open the address that was printed at the start: it holds the token")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// known reports whether the request has our cookie.
func (l *Local) known(r *http.Request) bool {
	for _, c := range r.CookiesNamed(l.cookie) {
		if l.key.verify(l.port, c.Value, time.Now()) {
			return true
		}
	}
	return false
}

// Login exchanges the token of the launch for the cookie; with an empty body it
// renews the cookie of a browser that has one. It answers 204, or 401.
func (l *Local) Login() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !l.hosts.Host(r):
			refuse(w, http.StatusMisdirectedRequest, "another host was meant")
			return
		case r.Method != http.MethodPost:
			refuse(w, http.StatusMethodNotAllowed, "only POST")
			return
		case !l.hosts.Origin(r):
			refuse(w, http.StatusForbidden, "only a page of this server may do that")
			return
		}
		token, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxToken))
		if err != nil {
			refuse(w, http.StatusRequestEntityTooLarge, "that is no token")
			return
		}
		if subtle.ConstantTimeCompare(token, []byte(l.token)) != 1 && !l.known(r) {
			refuse(w, http.StatusUnauthorized, "the token is not of this launch: open the address that was printed last")
			return
		}
		http.SetCookie(w, &http.Cookie{
			Name: l.cookie, Value: l.key.sign(l.port, time.Now().Add(cookieFor)), Path: "/",
			MaxAge: int(cookieFor / time.Second), HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
		})
		w.WriteHeader(http.StatusNoContent)
	})
}

func refuse(w http.ResponseWriter, code int, words string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	fmt.Fprintln(w, words)
}
