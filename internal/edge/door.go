//go:build !js

package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Door lets requests in, or answers them.
type Door struct {
	o      Options // with nothing left out
	mode   mode
	jar    jar
	budget *budget
}

// Options of a Door.
type Options struct {
	Hosts Hosts
	Key   Key
	// Cookie is the name of the sessions' cookie; with Secure, browsers hold us to https.
	Cookie string
	Secure bool
	Life   Life
	// Base is the path below which everything is.
	Base  string
	Files Files
	// Fronts are where a reverse proxy's connections come from. It is believed about the
	// address of a client, in X-Forwarded-For.
	Fronts []netip.Prefix
	// Place is what a request is about; none: there is one cluster.
	Place func(r *http.Request) Place
	// Open are the connections that are open.
	Open *Open
	// Refused is told, in a word, of each request that is not let in.
	Refused func(why string)
	// Entered is told of each session that begins.
	Entered func(s Session)
}

// Life is how long sessions last: without being renewed, and in all.
type Life struct{ Session, Most time.Duration }

// mode is one way for users to say who they are.
type mode interface {
	name() string
	// login makes the session of a request to sign in, with what was given in its body,
	// or renews the one that the browser has.
	login(r *http.Request, given string, by shown) (Session, error)
	// admit is the session as it is to be used for this request, or why it is not to be.
	admit(r *http.Request, s Session) (Session, error)
}

// refusal is why somebody does not come in: in words, and in one for counting.
type refusal struct {
	code  int
	word  string
	words string
}

func (r *refusal) Error() string { return r.words }

func refusing(code int, word, format string, args ...any) *refusal {
	return &refusal{code, word, fmt.Sprintf(format, args...)}
}

func newDoor(o Options, m mode) *Door {
	if o.Place == nil {
		o.Place = func(*http.Request) Place { return Place{} }
	}
	if o.Refused == nil {
		o.Refused = func(string) {}
	}
	if o.Entered == nil {
		o.Entered = func(Session) {}
	}
	if o.Open == nil {
		o.Open = NewOpen(Limits{})
	}
	d := &Door{o: o, mode: m, budget: newBudget(o.Fronts), jar: jar{key: o.Key, name: o.Cookie, secure: o.Secure}}
	if o.Secure {
		d.jar.name = "__Host-" + o.Cookie
	}
	return d
}

// Mode is the name of how users say who they are.
func (d *Door) Mode() string { return d.mode.name() }

// Page lets requests for the page and its files in: they must be for us.
func (d *Door) Page(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if no := d.reading(r); no != nil {
			d.refuse(w, no)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// reading says why a request is none of a browser that reads what everybody may.
func (d *Door) reading(r *http.Request) *refusal {
	switch {
	case !d.o.Hosts.Host(r):
		return refusing(http.StatusMisdirectedRequest, "host", "this is not %q: open the address that was printed at the start, or name the host with --host", r.Host)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return refusing(http.StatusMethodNotAllowed, "method", "only GET")
	}
	return nil
}

// ours says why a request is not one that a page of ours sent.
func (d *Door) ours(r *http.Request, method string) *refusal {
	switch {
	case !d.o.Hosts.Host(r):
		return refusing(http.StatusMisdirectedRequest, "host", "another host was meant")
	case r.Method != method:
		return refusing(http.StatusMethodNotAllowed, "method", "only %s", method)
	case !d.o.Hosts.Origin(r):
		return refusing(http.StatusForbidden, "origin", "only a page of this server may do that")
	}
	return nil
}

// Socket lets requests for the socket in: they must come from a page of ours, with a
// session that is good. It is asked before the upgrade.
func (d *Door) Socket(next func(w http.ResponseWriter, r *http.Request, s Session)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if no := d.ours(r, http.MethodGet); no != nil {
			d.refuse(w, no)
			return
		}
		had := d.had(r)
		if had == nil {
			d.refuse(w, refusing(http.StatusUnauthorized, "session", "there is no session: open the page, which begins one"))
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

// maxGiven bounds the body of a login: a token, as large as fits into cookies.
const maxGiven = cookieMost

// launchHeader says that what is given stood in the page's address. There it may be the
// token of a launch, and nothing else: a link of somebody else's would sign in as them.
const launchHeader = "Watchglass-Launch"

// Login begins a session, or renews it. A session that no key protects has a proof of its
// own, in the answer.
func (d *Door) Login() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, ok := d.posted(w, r, ForLogin)
		if !ok {
			return
		}
		given, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxGiven))
		if err != nil {
			d.refuse(w, refusing(http.StatusRequestEntityTooLarge, "body", "that is no token"))
			return
		}
		if _, local := d.mode.(*launch); !local && r.Header.Get(launchHeader) != "" {
			given = nil
		}
		s, err := d.session(w, r, strings.TrimSpace(string(given)), by)
		if err != nil {
			d.refuse(w, err)
			return
		}
		answer := map[string]string{"session": s.Name(), "user": s.User}
		if s.Key == "" {
			answer["proof"] = d.o.Key.Proof(s)
		}
		answerWhole(w, answer)
	})
}

// session is that of a request which signs in or renews; its cookie is written if it
// is a new one.
func (d *Door) session(w http.ResponseWriter, r *http.Request, given string, by shown) (Session, error) {
	s, err := d.mode.login(r, given, by)
	var kept *spent
	switch {
	case errors.As(err, &kept):
		return s, errors.Join(err, d.keep(w, r, by.had, s))
	case err != nil:
		return Session{}, err
	case by.had != nil && by.had.ID == s.ID && by.had.Made.Equal(s.Made):
		return s, nil // it is as it was
	case by.had == nil || by.had.ID != s.ID:
		s.Key = by.key
	}
	return s, d.keep(w, r, by.had, s)
}

// keep has the browser keep a session instead of the one that it had. If that was
// another user's, its pages end: the user who is there now must not see what they show. A
// cookie that came from another browser ends nothing.
func (d *Door) keep(w http.ResponseWriter, r *http.Request, had *Session, s Session) error {
	if err := d.jar.write(w, r, d.o.Place(r), s, time.Now()); err != nil {
		return err
	}
	if had == nil || had.ID != s.ID {
		d.o.Entered(s)
	}
	if had != nil && had.User != s.User && had.Key == s.Key {
		d.end(*had, Over)
	}
	return nil
}

// end ends a session here, and every copy of it.
func (d *Door) end(s Session, why *Ended) {
	d.o.Open.End(s, d.o.Life.lastEnd(s, time.Now()), why)
}

// had is the session that a browser has, if it has one that was not ended here.
func (d *Door) had(r *http.Request) *Session {
	if s, ok := d.jar.read(r, d.o.Place(r), time.Now()); ok && !d.o.Open.HasEnded(s) {
		know(r.Context())
		return &s
	}
	return nil
}

// Logout ends a session: it takes its cookie back, and closes its sockets. It answers
// with where the provider ends its own session, if it has one.
func (d *Door) Logout() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, ok := d.posted(w, r, ForLogout)
		if !ok {
			return
		}
		d.jar.clear(w, r, d.o.Place(r))
		m, provided := d.mode.(*openid)
		had, to := by.had, ""
		if !by.proven { // whoever has a copy of the cookie ends nobody's session
			had = nil
		}
		if had != nil && provided {
			to = m.provider.EndSession(r.Context(), m.home)
		}
		if had != nil {
			d.end(*had, SignedOut)
		}
		w.Header().Set("Connection", "close") // which, over HTTP/2, has a table of what its requests said
		answerWhole(w, map[string]string{"to": to})
		if had != nil && provided { // nobody waits for the provider
			m.revoke(r.Context(), *had)
		}
	})
}

// answerWhole writes an answer that is with the browser before its handler has ended.
func answerWhole(w http.ResponseWriter, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)                      // who is gone needs none
	_ = http.NewResponseController(w).Flush() // nor does a recorder
}

// refuse answers who does not come in.
func (d *Door) refuse(w http.ResponseWriter, err error) {
	var no *refusal
	if !errors.As(err, &no) {
		no = &refusal{http.StatusInternalServerError, "fault", err.Error()}
	}
	d.o.Refused(no.word)
	w.Header().Set("Watchglass-Auth", d.Mode()) // whether to sign in helps
	refuse(w, no.code, no.words)
}

func refuse(w http.ResponseWriter, code int, words string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	fmt.Fprintln(w, words)
}
