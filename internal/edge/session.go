//go:build !js

package edge

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Session is a signed-in user. It is immutable. It is stored in a cookie, so its JSON names are
// short.
type Session struct {
	ID string `json:"i"`
	// Key is the public key of the browser that the session is bound to. Without a key, the page
	// stores a proof instead (see Key.Proof).
	Key string `json:"k,omitempty"`
	// User and Groups as named by the apiserver, the provider or the front.
	User   string   `json:"u,omitempty"`
	Groups []string `json:"g,omitempty"`
	// Bearer is the token of the user's requests to the apiserver, unless they impersonate.
	Bearer string `json:"b,omitempty"`
	// Refresh and Subject are from the provider. TokenEnds is when its ID token expires.
	Refresh   string    `json:"r,omitempty"`
	Subject   string    `json:"s,omitempty"`
	TokenEnds time.Time `json:"t,omitzero"`
	// Made is when it was created or last renewed. Expires is when its cookie and its sockets end.
	// Until is when it cannot be renewed anymore.
	Made    time.Time `json:"m"`
	Expires time.Time `json:"e"`
	Until   time.Time `json:"l,omitzero"`
}

// Renew returns when to renew the session: well before its end, or at its end if it cannot be
// extended.
func (s Session) Renew() time.Time {
	if !s.Until.IsZero() && !s.Expires.Before(s.Until) {
		return s.Expires
	}
	return s.Made.Add(s.Expires.Sub(s.Made) * 7 / 10)
}

// Name returns a short name of the session for logs. It is not a secret.
func (s Session) Name() string { return short(s.ID) }

// The maximum size of one cookie in browsers, and of all parts in servers.
const (
	cookiePart = 3800
	cookieMost = 12 << 10
)

// jar stores sessions in cookies. The name contains the port, since cookies ignore ports. With
// secure, browsers send them over https only.
type jar struct {
	key    Key
	name   string
	secure bool
}

// Place is what a session is valid for: the name of a context and the address of its cluster. A
// context that is later renamed or changed does not get the session of another cluster.
type Place struct{ Context, Server string }

// cookieName returns the name of a context's cookie. Each context has its own.
func (j jar) cookieName(p Place) string {
	if p.Context == "" {
		return j.name
	}
	return j.name + "-" + short(p.Context)
}

// use returns the use for which the sessions of a place are encrypted.
func (j jar) use(p Place) string { return j.cookieName(p) + " " + p.Server }

// short returns a short hash of a text, for names of cookies and for logs.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// read returns the session of a place in a request's cookies, if there is a valid one.
func (j jar) read(r *http.Request, p Place, now time.Time) (Session, bool) {
	name := j.cookieName(p)
	first := r.CookiesNamed(name)
	if len(first) == 0 {
		return Session{}, false
	}
	open := j.key.opener(j.use(p)) // once: a request may have a thousand cookies of the name
	for _, c := range first {      // several if a page of another port planted one
		sealed := c.Value
		for i := 1; len(sealed) == i*cookiePart && i <= cookieMost/cookiePart && len(first) == 1; i++ {
			if more, err := r.Cookie(part(name, i)); err == nil {
				sealed += more.Value
			}
		}
		if s, ok := opened(open, sealed, now); ok {
			return s, true
		}
	}
	return Session{}, false
}

// opened returns the session that a text is, decrypted by open, if it is valid.
func opened(open func(sealed string) ([]byte, error), sealed string, now time.Time) (Session, bool) {
	plain, err := open(sealed)
	if err != nil {
		return Session{}, false
	}
	var s Session
	if err := json.Unmarshal(plain, &s); err != nil || s.ID == "" || !now.Before(s.Expires) {
		return Session{}, false
	}
	return s, true
}

func part(name string, i int) string {
	if i == 0 {
		return name
	}
	return name + "." + strconv.Itoa(i)
}

// write sets the cookies of a session, and deletes further parts of a longer one.
func (j jar) write(w http.ResponseWriter, r *http.Request, p Place, s Session, now time.Time) error {
	name := j.cookieName(p)
	sealed, err := j.seal(j.use(p), s)
	if err != nil {
		return err
	}
	n := 0
	for ; len(sealed) >= cookiePart; n++ { // the last part is not full
		j.set(w, part(name, n), sealed[:cookiePart], s.Expires.Sub(now))
		sealed = sealed[cookiePart:]
	}
	j.set(w, part(name, n), sealed, s.Expires.Sub(now))
	j.drop(w, r, name, n+1)
	return nil
}

// seal encrypts a session for a use, if it fits into what browsers and servers accept.
func (j jar) seal(use string, s Session) (string, error) {
	plain, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode the session: %w", err)
	}
	sealed := j.key.seal(use, plain)
	if len(sealed) > cookieMost {
		return "", refusing(http.StatusInsufficientStorage, "large", "The session is too large for a browser's cookies: %d bytes, and the maximum is %d. Its tokens are the largest part. Configure the provider to put less into them, such as fewer groups.", len(sealed), cookieMost)
	}
	return sealed, nil
}

// clear deletes the cookies of a place.
func (j jar) clear(w http.ResponseWriter, r *http.Request, p Place) {
	j.drop(w, r, j.cookieName(p), 0)
}

// drop deletes the parts of a cookie that the browser sent, from the given part on.
func (j jar) drop(w http.ResponseWriter, r *http.Request, name string, from int) {
	for i := from; i <= cookieMost/cookiePart; i++ {
		if len(r.CookiesNamed(part(name, i))) > 0 {
			j.set(w, part(name, i), "", -time.Second)
		}
	}
}

func (j jar) set(w http.ResponseWriter, name, value string, life time.Duration) {
	age := -1
	if life > 0 {
		age = int(life/time.Second) + 1 // rounded up: the time in the session decides
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: j.secure, SameSite: http.SameSiteStrictMode,
	})
}

// begun returns a new session.
func (l Life) begun(now time.Time) Session {
	s := Session{ID: Token(), Made: now, Expires: now.Add(l.Session)}
	if l.Most > 0 {
		s.Until = now.Add(l.Most)
		s = s.endsBy(s.Until)
	}
	return s
}

// lastEnd returns when the last copy of a session expires, if none is renewed after now.
func (l Life) lastEnd(s Session, now time.Time) time.Time {
	if last := now.Add(l.Session); s.Until.IsZero() || last.Before(s.Until) {
		return last
	}
	return s.Until
}

// renewed returns the session extended from now, at most until it cannot be renewed.
func (l Life) renewed(s Session, now time.Time) Session {
	s.Made, s.Expires = now, now.Add(l.Session)
	return s.endsBy(s.Until)
}

// endsBy returns the session, expiring at t at the latest unless t is zero.
func (s Session) endsBy(t time.Time) Session {
	if !t.IsZero() && t.Before(s.Expires) {
		s.Expires = t
	}
	return s
}

// over returns the session, not to be renewed beyond t unless t is zero.
func (s Session) over(t time.Time) Session {
	if !t.IsZero() && (s.Until.IsZero() || t.Before(s.Until)) {
		s.Until = t
	}
	return s.endsBy(s.Until)
}

// due reports whether it is time to renew the session.
func (s Session) due(now time.Time) bool { return !now.Before(s.Renew()) }
