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

// Session is what is known of a user who came in. It is immutable, and goes into a
// cookie, so its names are short there.
type Session struct {
	ID string `json:"i"`
	// Key is the public key of the browser that the session is bound to. Without one a
	// proof of its own protects it, which the page keeps.
	Key string `json:"k,omitempty"`
	// User and Groups as the apiserver, the provider or the front has them.
	User   string   `json:"u,omitempty"`
	Groups []string `json:"g,omitempty"`
	// Bearer is what requests of the user go upstream with, if not by impersonation.
	Bearer string `json:"b,omitempty"`
	// Refresh and Subject are of the provider, and TokenEnds is when its ID token does.
	Refresh   string    `json:"r,omitempty"`
	Subject   string    `json:"s,omitempty"`
	TokenEnds time.Time `json:"t,omitzero"`
	// Made is when it was made or last renewed, Expires when its cookie and its sockets
	// end, Until when it cannot be renewed any more.
	Made    time.Time `json:"m"`
	Expires time.Time `json:"e"`
	Until   time.Time `json:"l,omitzero"`
}

// Renew is when the session is to be renewed: well before its end, or at its end if
// nothing can put that off.
func (s Session) Renew() time.Time {
	if !s.Until.IsZero() && !s.Expires.Before(s.Until) {
		return s.Expires
	}
	return s.Made.Add(s.Expires.Sub(s.Made) * 7 / 10)
}

// Name is a short name of the session for logs; it opens nothing.
func (s Session) Name() string { return short(s.ID) }

// The limits of a cookie: what browsers take in one, and what servers take of all.
const (
	cookiePart = 3800
	cookieMost = 12 << 10
)

// jar keeps sessions in cookies. Its name carries the port, since cookies ignore
// ports; where the page is reached by https alone, browsers hold it to that.
type jar struct {
	key    Key
	name   string
	secure bool
}

// Place is what a session is good for: a context, by its name, and the address of its
// cluster, so that no cluster is sent what is another's, whatever a file calls it later.
type Place struct{ Context, Server string }

// cookieName is that of a context: each has sessions of its own.
func (j jar) cookieName(p Place) string {
	if p.Context == "" {
		return j.name
	}
	return j.name + "-" + short(p.Context)
}

// use is what the session of a place is sealed for.
func (j jar) use(p Place) string { return j.cookieName(p) + " " + p.Server }

// short stands for a text, in a cookie's name or a log.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// read finds the session of a place in a request, if its cookie is good.
func (j jar) read(r *http.Request, p Place, now time.Time) (Session, bool) {
	name := j.cookieName(p)
	first := r.CookiesNamed(name)
	for _, c := range first { // several: a page of another port planted one
		sealed := c.Value
		for i := 1; len(sealed) == i*cookiePart && i <= cookieMost/cookiePart && len(first) == 1; i++ {
			if more, err := r.Cookie(part(name, i)); err == nil {
				sealed += more.Value
			}
		}
		if s, ok := j.open(j.use(p), sealed, now); ok {
			return s, true
		}
	}
	return Session{}, false
}

func (j jar) open(use, sealed string, now time.Time) (Session, bool) {
	plain, err := j.key.open(use, sealed)
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

// write sets the cookies of a session, and takes back those of a longer one.
func (j jar) write(w http.ResponseWriter, r *http.Request, p Place, s Session, now time.Time) error {
	plain, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write down the session: %w", err)
	}
	name := j.cookieName(p)
	sealed := j.key.seal(j.use(p), plain)
	if len(sealed) > cookieMost {
		return refusing(http.StatusInsufficientStorage, "large", "what the session holds is too large for a browser's cookies: %d bytes, and %d is the most. It is mostly the tokens: have the provider put less into them (fewer groups)", len(sealed), cookieMost)
	}
	n := 0
	for ; len(sealed) >= cookiePart; n++ { // a part that is not full is the last
		j.set(w, part(name, n), sealed[:cookiePart], s.Expires.Sub(now))
		sealed = sealed[cookiePart:]
	}
	j.set(w, part(name, n), sealed, s.Expires.Sub(now))
	j.drop(w, r, name, n+1)
	return nil
}

// clear takes back the cookies of a place's session.
func (j jar) clear(w http.ResponseWriter, r *http.Request, p Place) {
	j.drop(w, r, j.cookieName(p), 0)
}

// drop takes back the parts of a cookie that the browser has, from one on.
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
		age = int(life/time.Second) + 1 // the browser's clock is not what ends it
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: j.secure, SameSite: http.SameSiteStrictMode,
	})
}

// begun is a new session.
func (l Life) begun(now time.Time) Session {
	s := Session{ID: Token(), Made: now, Expires: now.Add(l.Session)}
	if l.Most > 0 {
		s.Until = now.Add(l.Most)
		s = s.endsBy(s.Until)
	}
	return s
}

// lastEnd is when the last copy of a session ends that was renewed before now.
func (l Life) lastEnd(s Session, now time.Time) time.Time {
	if last := now.Add(l.Session); s.Until.IsZero() || last.Before(s.Until) {
		return last
	}
	return s.Until
}

// renewed is the session with a new life, as far as it has any.
func (l Life) renewed(s Session, now time.Time) Session {
	s.Made, s.Expires = now, now.Add(l.Session)
	return s.endsBy(s.Until)
}

// endsBy is the session with an end that is not after t, if there is a t.
func (s Session) endsBy(t time.Time) Session {
	if !t.IsZero() && t.Before(s.Expires) {
		s.Expires = t
	}
	return s
}

// over is the session that nothing puts off beyond t, if there is a t.
func (s Session) over(t time.Time) Session {
	if !t.IsZero() && (s.Until.IsZero() || t.Before(s.Until)) {
		s.Until = t
	}
	return s.endsBy(s.Until)
}

// due reports whether it is time to renew the session.
func (s Session) due(now time.Time) bool { return !now.Before(s.Renew()) }
