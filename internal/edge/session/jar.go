//go:build !js

package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The maximum size of one cookie in browsers, and of all parts of one in servers.
const (
	MaxCookie  = 3800
	MaxCookies = 12 << 10
)

// Jar stores sessions in cookies, whose names begin with its own.
type Jar struct {
	Name   string
	key    Key
	secure bool
}

// NewJar returns a jar. The name contains the port, since cookies ignore ports. If secure is set,
// browsers send the cookies over https only.
func NewJar(key Key, name string, secure bool) Jar {
	if secure {
		name = "__Host-" + name
	}
	return Jar{name, key, secure}
}

// Cookie returns a cookie that scripts cannot read, and that browsers send with our own pages' requests
// only. Its age is in seconds; if that is negative, browsers delete it.
func (j Jar) Cookie(name, value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: j.secure, SameSite: http.SameSiteStrictMode,
	}
}

// Place is what a session is valid for: the name of a context and the address of its cluster. A
// context that is later renamed or changed does not get the session of another cluster.
type Place struct{ Context, Server string }

// cookieName returns the name of a context's cookie. Each context has its own.
func (j Jar) cookieName(p Place) string {
	if p.Context == "" {
		return j.Name
	}
	return j.Name + "-" + ShortHash(p.Context)
}

// use returns the use for which the sessions of a place are encrypted.
func (j Jar) use(p Place) string { return j.cookieName(p) + " " + p.Server }

// ShortHash returns a short hash of a text, for names of cookies and for logs.
func ShortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// Read returns the session of a place in a request's cookies, if there is a valid one.
func (j Jar) Read(r *http.Request, p Place, now time.Time) (Session, bool) {
	name := j.cookieName(p)
	first := r.CookiesNamed(name)
	if len(first) == 0 {
		return Session{}, false
	}
	open := j.key.opener(j.use(p)) // once: a request may have a thousand cookies of the name
	for _, c := range first {      // several if a page of another port planted one
		sealed := c.Value
		for i := 1; len(sealed) == i*MaxCookie && i <= MaxCookies/MaxCookie && len(first) == 1; i++ {
			if more, err := r.Cookie(partName(name, i)); err == nil {
				sealed += more.Value
			}
		}
		if s, ok := decode(open, sealed, now); ok {
			return s, true
		}
	}
	return Session{}, false
}

// decode returns the session that a text is, decrypted by open, if it is valid.
func decode(open func(sealed string) ([]byte, error), sealed string, now time.Time) (Session, bool) {
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

// partName returns the name of a part of a cookie.
func partName(name string, i int) string {
	if i == 0 {
		return name
	}
	return name + "." + strconv.Itoa(i)
}

// Write sets the cookies of a session, and deletes further parts of a longer one.
func (j Jar) Write(w http.ResponseWriter, r *http.Request, p Place, s Session, now time.Time) error {
	name := j.cookieName(p)
	sealed, err := j.seal(j.use(p), s)
	if err != nil {
		return err
	}
	n := 0
	for ; len(sealed) >= MaxCookie; n++ { // the last part is not full
		j.set(w, partName(name, n), sealed[:MaxCookie], s.Expires.Sub(now))
		sealed = sealed[MaxCookie:]
	}
	j.set(w, partName(name, n), sealed, s.Expires.Sub(now))
	j.drop(w, r, name, n+1)
	return nil
}

// seal encrypts a session for a use, if it fits into what browsers and servers accept.
func (j Jar) seal(use string, s Session) (string, error) {
	plain, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode the session: %w", err)
	}
	sealed := j.key.Seal(use, plain)
	if len(sealed) > MaxCookies {
		return "", TooLarge(len(sealed))
	}
	return sealed, nil
}

// TooLarge is the error for a session of so many bytes that browsers and servers do not accept it.
type TooLarge int

func (n TooLarge) Error() string {
	return fmt.Sprintf("The session is too large for a browser's cookies: %d bytes, and the maximum is %d. Its tokens are the largest part. Configure the provider to put less into them, such as fewer groups.", int(n), MaxCookies)
}

// Clear deletes the cookies of a place.
func (j Jar) Clear(w http.ResponseWriter, r *http.Request, p Place) {
	j.drop(w, r, j.cookieName(p), 0)
}

// drop deletes the parts of a cookie that the browser sent, from the given part on.
func (j Jar) drop(w http.ResponseWriter, r *http.Request, name string, from int) {
	for i := from; i <= MaxCookies/MaxCookie; i++ {
		if len(r.CookiesNamed(partName(name, i))) > 0 {
			j.set(w, partName(name, i), "", -time.Second)
		}
	}
}

func (j Jar) set(w http.ResponseWriter, name, value string, life time.Duration) {
	age := -1
	if life > 0 {
		age = int(life/time.Second) + 1 // rounded up: the time in the session decides
	}
	http.SetCookie(w, j.Cookie(name, value, age))
}

// frameUse is the use for which the sessions of frames are encrypted. None of them is valid as a
// cookie, and no cookie as one of them.
func (j Jar) frameUse(p Place) string { return "frame " + j.use(p) }

// OpenFrame opens the session of a page in a frame.
func (j Jar) OpenFrame(p Place, sealed string, now time.Time) (Session, bool) {
	return decode(j.key.opener(j.frameUse(p)), sealed, now)
}

// SealFrame seals the session of a page in a frame.
func (j Jar) SealFrame(p Place, s Session) (string, error) { return j.seal(j.frameUse(p), s) }
