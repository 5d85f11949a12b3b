//go:build !js

package edge

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"
	"watchglass/internal/edge/limit"
	"watchglass/internal/edge/session"
)

// Door passes requests on, or refuses them.
type Door struct {
	o       Options // with defaults filled in
	mode    mode
	openid  *openid // the mode, if a provider signs users in; nil otherwise
	jar     session.Jar
	signIns *limit.SignIns
}

// Options of a Door.
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
	// Entered is called for each new session.
	Entered func(s session.Session)
}

func newDoor(o Options, m mode) *Door {
	if o.Place == nil {
		o.Place = func(*http.Request) session.Place { return session.Place{} }
	}
	if o.Refused == nil {
		o.Refused = func(string) {}
	}
	if o.Entered == nil {
		o.Entered = func(session.Session) {}
	}
	if o.Sessions == nil {
		o.Sessions = session.NewRegistry(session.Limits{})
	}
	return &Door{o: o, mode: m, signIns: limit.NewSignIns(o.Fronts, blamed), jar: session.NewJar(o.Key, o.Cookie, o.Secure)}
}

// Mode returns the name of the authentication mode.
func (d *Door) Mode() string { return d.mode.name() }

// VisitKey returns the name of a session, and the key of what its page stores on disk.
func (d *Door) VisitKey(s session.Session) string { return s.Name() + " " + d.o.Key.Visit(s) }

// Page passes on requests for the page and its files if they have one of our host names.
func (d *Door) Page(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if no := d.reading(r); no != nil {
			d.refuse(w, no)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// reading returns why a request for public files is refused, or nil.
func (d *Door) reading(r *http.Request) *refusal {
	switch {
	case !d.o.Hosts.Host(r):
		return refusing(http.StatusMisdirectedRequest, "host", "%q is not a name of this server: open the address that was printed at the start, or allow this name with --host", r.Host)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return refusing(http.StatusMethodNotAllowed, "method", "only GET")
	}
	return nil
}

// ours returns why a request cannot come from one of our pages, or nil.
func (d *Door) ours(r *http.Request, method string) *refusal {
	switch {
	case !d.o.Hosts.Host(r):
		return refusing(http.StatusMisdirectedRequest, "host", "wrong Host header")
	case r.Method != method:
		return refusing(http.StatusMethodNotAllowed, "method", "only %s", method)
	case !d.o.Hosts.Origin(r):
		return refusing(http.StatusForbidden, "origin", "only pages of this server may do that")
	}
	return nil
}

// Socket passes on requests for the socket if they come from one of our pages, with a valid
// session. It is called before the upgrade.
func (d *Door) Socket(next func(w http.ResponseWriter, r *http.Request, s session.Session)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if no := d.ours(r, http.MethodGet); no != nil {
			d.refuse(w, no)
			return
		}
		had := d.had(r)
		if had == nil {
			d.refuse(w, refusing(http.StatusUnauthorized, "session", "there is no session: open the page to start one"))
			return
		}
		s, err := d.mode.admit(r, *had)
		if err != nil {
			d.refuse(w, err)
			return
		}
		next(w, r, s)
	})
}

// maxGiven is the maximum size of a login's body: a token that still fits into cookies.
const maxGiven = session.MaxCookies

// Login starts a session, or renews it. For a session without a key, the response contains a
// proof.
func (d *Door) Login() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, ok := d.posted(w, r, session.ForLogin)
		if !ok {
			return
		}
		given, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxGiven))
		if err != nil {
			d.refuse(w, refusing(http.StatusRequestEntityTooLarge, "body", "this is not a token"))
			return
		}
		answer := map[string]string{}
		s, err := d.session(r, strings.TrimSpace(string(given)), by, func(s session.Session) error { return d.keep(w, r, answer, by.had, s) })
		if err != nil {
			d.refuse(w, err)
			return
		}
		answer["session"], answer["user"] = s.Name(), s.User
		if s.Key == "" {
			answer["proof"] = d.o.Key.Proof(s)
		}
		answerWhole(w, answer)
	})
}

// session returns the session of a request that signs in or renews, and calls keep if it has
// changed.
func (d *Door) session(r *http.Request, given string, by shown, keep func(session.Session) error) (session.Session, error) {
	s, err := d.mode.login(r, given, by)
	var kept *spent
	switch {
	case errors.As(err, &kept):
		return s, errors.Join(err, keep(s))
	case err != nil:
		return session.Session{}, err
	case by.had != nil && by.had.ID == s.ID && by.had.Made.Equal(s.Made) && by.had.Bearer == s.Bearer:
		return s, nil // unchanged
	case by.had == nil || by.had.ID != s.ID:
		s.Key = by.key
	}
	return s, keep(s)
}

// keep writes a session that replaces the previous one: into its cookie, or into the answer to a
// page in a frame. If the previous one belonged to another user, it is ended, since the new user
// must not see its pages. A cookie copied from another browser ends nothing.
func (d *Door) keep(w http.ResponseWriter, r *http.Request, answer map[string]string, had *session.Session, s session.Session) error {
	if err := d.hand(w, r, answer, s); err != nil {
		return err
	}
	if had == nil || had.ID != s.ID {
		d.o.Entered(s)
	}
	if had != nil && had.User != s.User && had.Key == s.Key {
		d.end(*had, session.Over)
	}
	return nil
}

// hand gives a session to the browser.
func (d *Door) hand(w http.ResponseWriter, r *http.Request, answer map[string]string, s session.Session) (err error) {
	if _, framed := frameSession(r); framed {
		answer["sealed"], err = d.jar.SealFrame(d.o.Place(r), s)
		return err
	}
	return d.jar.Write(w, r, d.o.Place(r), s, time.Now())
}

// end ends a session at this replica, and every copy of it.
func (d *Door) end(s session.Session, why *session.Ended) {
	d.o.Sessions.End(s, d.mode.LastEnd(s, time.Now()), why)
}

// had returns the session of a request, or nil if there is none or it was ended here.
func (d *Door) had(r *http.Request) *session.Session {
	if s, ok := d.brought(r); ok && !d.o.Sessions.HasEnded(s) {
		limit.Authenticated(r.Context())
		return &s
	}
	return nil
}

// brought returns the session that a request carries: in a cookie or, from a page in a frame, in a
// header.
func (d *Door) brought(r *http.Request) (session.Session, bool) {
	if sealed, framed := frameSession(r); framed {
		return d.jar.OpenFrame(d.o.Place(r), sealed, time.Now())
	}
	return d.jar.Read(r, d.o.Place(r), time.Now())
}

// Logout ends a session: it deletes its cookie and closes its sockets. The response contains the
// address at which the provider ends its own session, if there is one.
func (d *Door) Logout() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, ok := d.posted(w, r, session.ForLogout)
		if !ok {
			return
		}
		if _, framed := frameSession(r); !framed {
			d.jar.Clear(w, r, d.o.Place(r))
		}
		had, to := by.had, ""
		if !by.proven { // a copied cookie ends no session
			had = nil
		}
		if had != nil && d.openid != nil {
			to = d.openid.provider.EndSession(r.Context(), d.openid.home)
		}
		if had != nil {
			d.end(*had, session.SignedOut)
		}
		w.Header().Set("Connection", "close") // over HTTP/2 it keeps a table of request headers
		answerWhole(w, map[string]string{"to": to})
		if had != nil && d.openid != nil { // the browser does not wait for the provider
			d.openid.revoke(r.Context(), *had)
		}
	})
}
