//go:build !js

package edge

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/edge/limit"
	"watchglass/internal/edge/session"
)

// Authenticator decides which requests from browsers to pass on, and as which user.
type Authenticator struct {
	o       Options // with defaults filled in
	mode    mode
	oidc    *oidcMode // the mode, if a provider signs users in; nil otherwise
	jar     session.Jar
	signIns *limit.SignIns
}

// Options of an Authenticator.
type Options struct {
	Hosts Hosts
	Key   session.Key
	// Cookie is the name of the session cookie. With Secure, browsers send it over https only.
	Cookie string
	Secure bool
	Life   session.Life
	// Base is the path below which everything is served.
	Base  string
	Files Files
	// Fronts are the addresses of reverse proxies, which are trusted to give the address of a
	// client in X-Forwarded-For.
	Fronts []netip.Prefix
	// Serves names what local mode shows, if that is not the clusters of the user's own kubeconfig. Sessions of something
	// else are not valid.
	Serves string
	// Place returns the context and cluster of a request. It is nil if there is one cluster.
	Place func(r *http.Request) session.Place
	// Embedders may show the page in a frame, and sign its user in.
	Embedders Embedders
	// Sessions are the open connections and the ended sessions.
	Sessions *session.Registry
	// Refused is called for each refused request, with the reason in a word.
	Refused func(why string)
	// SignedIn is called for each new session.
	SignedIn func(s session.Session)
}

func newAuthenticator(o Options, m mode) *Authenticator {
	if o.Place == nil {
		o.Place = func(*http.Request) session.Place { return session.Place{} }
	}
	if o.Refused == nil {
		o.Refused = func(string) {}
	}
	if o.SignedIn == nil {
		o.SignedIn = func(session.Session) {}
	}
	if o.Sessions == nil {
		o.Sessions = session.NewRegistry(session.Limits{})
	}
	return &Authenticator{o: o, mode: m, signIns: limit.NewSignIns(o.Fronts, blamed), jar: session.NewJar(o.Key, o.Cookie, o.Secure)}
}

// Mode returns the name of the authentication mode.
func (a *Authenticator) Mode() string { return a.mode.name() }

// VisitKey returns the name of a session, and the key of what its page stores on disk.
func (a *Authenticator) VisitKey(s session.Session) string { return s.Name() + " " + a.o.Key.Visit(s) }

// Page passes on requests for the page and its files if they have one of our host names.
func (a *Authenticator) Page(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if no := a.checkRead(r); no != nil {
			a.refuse(w, no)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// checkRead returns why a request for public files is refused, or nil.
func (a *Authenticator) checkRead(r *http.Request) *refusal {
	switch {
	case !a.o.Hosts.Host(r):
		return refusing(http.StatusMisdirectedRequest, "host", "%q is not a name of this server: open the address that was printed at the start, or allow this name with --host", r.Host)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return refusing(http.StatusMethodNotAllowed, "method", "only GET")
	}
	return nil
}

// checkOwnPage returns why a request cannot come from one of our pages, or nil.
func (a *Authenticator) checkOwnPage(r *http.Request, method string) *refusal {
	switch {
	case !a.o.Hosts.Host(r):
		return refusing(http.StatusMisdirectedRequest, "host", "wrong Host header")
	case r.Method != method:
		return refusing(http.StatusMethodNotAllowed, "method", "only %s", method)
	case !a.o.Hosts.Origin(r):
		return refusing(http.StatusForbidden, "origin", "only pages of this server may do that")
	}
	return nil
}

// Socket passes on requests for the socket if they come from one of our pages, with a valid
// session. It is called before the upgrade.
func (a *Authenticator) Socket(next func(w http.ResponseWriter, r *http.Request, s session.Session)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if no := a.checkOwnPage(r, http.MethodGet); no != nil {
			a.refuse(w, no)
			return
		}
		had := a.current(r)
		if had == nil {
			a.refuse(w, refusing(http.StatusUnauthorized, "session", "there is no session: open the page to start one"))
			return
		}
		s, err := a.mode.admit(r, *had)
		if err != nil {
			a.refuse(w, err)
			return
		}
		next(w, r, s)
	})
}

// maxGiven is the maximum size of a login's body: a token that still fits into cookies.
const maxGiven = session.MaxCookies

// Login starts a session, or renews it. For a session without a key, the response contains a
// proof.
func (a *Authenticator) Login() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, ok := a.checkPost(w, r, session.ForLogin)
		if !ok {
			return
		}
		given, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxGiven))
		if err != nil {
			a.refuse(w, refusing(http.StatusRequestEntityTooLarge, "body", "this is not a token"))
			return
		}
		answer := map[string]string{}
		s, err := a.login(r, strings.TrimSpace(string(given)), by, func(s session.Session) error { return a.store(w, r, answer, by.session, s) })
		if err != nil {
			a.refuse(w, err)
			return
		}
		answer["session"], answer["user"] = s.Name(), s.User
		if s.Key == "" {
			answer["proof"] = a.o.Key.Proof(s)
		}
		answerJSON(w, answer)
	})
}

// login returns the session of a request that signs in or renews, and calls store if it has
// changed.
func (a *Authenticator) login(r *http.Request, given string, by caller, store func(session.Session) error) (session.Session, error) {
	s, err := a.mode.login(r, given, by)
	var rotated *tokenRotated
	switch {
	case errors.As(err, &rotated):
		return s, errors.Join(err, store(s))
	case err != nil:
		return session.Session{}, err
	case by.session != nil && by.session.ID == s.ID && by.session.Made.Equal(s.Made) && by.session.Bearer == s.Bearer:
		return s, nil // unchanged
	case by.session == nil || by.session.ID != s.ID:
		s.Key = by.key
	}
	return s, store(s)
}

// store writes a session that replaces the previous one: into its cookie, or into the answer to a
// page in a frame. If the previous one belonged to another user, it is ended, since the new user
// must not see its pages. A cookie copied from another browser ends nothing.
func (a *Authenticator) store(w http.ResponseWriter, r *http.Request, answer map[string]string, had *session.Session, s session.Session) error {
	if err := a.deliver(w, r, answer, s); err != nil {
		return err
	}
	if had == nil || had.ID != s.ID {
		a.o.SignedIn(s)
	}
	if had != nil && had.User != s.User && had.Key == s.Key {
		a.end(*had, session.Over)
	}
	return nil
}

// deliver gives a session to the browser.
func (a *Authenticator) deliver(w http.ResponseWriter, r *http.Request, answer map[string]string, s session.Session) (err error) {
	if _, framed := frameSession(r); framed {
		answer["sealed"], err = a.jar.SealFrame(a.o.Place(r), s)
		return err
	}
	return a.jar.Write(w, r, a.o.Place(r), s, time.Now())
}

// end ends a session at this replica, and every copy of it.
func (a *Authenticator) end(s session.Session, why *session.CloseReason) {
	a.o.Sessions.End(s, a.mode.LastEnd(s, time.Now()), why)
}

// current returns the session of a request, or nil if there is none or it was ended here.
func (a *Authenticator) current(r *http.Request) *session.Session {
	if s, ok := a.carried(r); ok && !a.o.Sessions.HasEnded(s) {
		limit.Authenticated(r.Context())
		return &s
	}
	return nil
}

// carried returns the session that a request carries: in a cookie or, from a page in a frame, in a
// header.
func (a *Authenticator) carried(r *http.Request) (session.Session, bool) {
	if sealed, framed := frameSession(r); framed {
		return a.jar.OpenFrame(a.o.Place(r), sealed, time.Now())
	}
	return a.jar.Read(r, a.o.Place(r), time.Now())
}

// Logout ends a session: it deletes its cookie and closes its sockets. The response contains the
// address at which the provider ends its own session, if there is one.
func (a *Authenticator) Logout() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, ok := a.checkPost(w, r, session.ForLogout)
		if !ok {
			return
		}
		if _, framed := frameSession(r); !framed {
			a.jar.Clear(w, r, a.o.Place(r))
		}
		had, to := by.session, ""
		if !by.proven { // a copied cookie ends no session
			had = nil
		}
		if had != nil && a.oidc != nil {
			to = a.oidc.provider.EndSession(r.Context(), a.oidc.home)
		}
		if had != nil {
			a.end(*had, session.SignedOut)
		}
		w.Header().Set("Connection", "close") // over HTTP/2 it keeps a table of request headers
		answerJSON(w, map[string]string{"to": to})
		if had != nil && a.oidc != nil { // the browser does not wait for the provider
			a.oidc.revoke(r.Context(), *had)
		}
	})
}

// checkPost reads what a POST from one of our pages proves. It answers other requests itself; ok is
// false then.
func (a *Authenticator) checkPost(w http.ResponseWriter, r *http.Request, purpose session.Purpose) (by caller, ok bool) {
	if no := a.checkOwnPage(r, http.MethodPost); no != nil {
		a.refuse(w, no)
		return by, false
	}
	w.Header().Set(timeHeader, strconv.FormatInt(time.Now().UnixMilli(), 10))
	err := a.checkFrame(r)
	if err == nil {
		by, err = a.caller(r, purpose)
	}
	if err == nil && by.key == "" && a.bindable(r) {
		err = refusing(http.StatusUnauthorized, "key", "The browser sent no key, and sessions here are bound to one. Reload the page.")
	}
	if err != nil {
		a.refuse(w, err)
	}
	return by, err == nil
}

// refuse answers a refused request.
func (a *Authenticator) refuse(w http.ResponseWriter, err error) {
	no := refusalOf(err)
	a.o.Refused(no.word)
	w.Header().Set("Watchglass-Auth", a.Mode()) // tells the page whether signing in helps
	refuse(w, no.code, no.words)
}
