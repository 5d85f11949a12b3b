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
		return "", tooLarge(len(sealed))
	}
	return sealed, nil
}

// tooLarge is the error for a session of so many bytes that browsers and servers do not accept it.
type tooLarge int

func (n tooLarge) Error() string {
	return fmt.Sprintf("The session is too large for a browser's cookies: %d bytes, and the maximum is %d. Its tokens are the largest part. Configure the provider to put less into them, such as fewer groups.", int(n), cookieMost)
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

// frameUse is the use for which the sessions of frames are encrypted. None of them is valid as a
// cookie, and no cookie as one of them.
func (j jar) frameUse(p Place) string { return "frame " + j.use(p) }

// openFramed opens the session of a page in a frame.
func (j jar) openFramed(p Place, sealed string, now time.Time) (Session, bool) {
	return opened(j.key.opener(j.frameUse(p)), sealed, now)
}

// sealFramed seals the session of a page in a frame.
func (j jar) sealFramed(p Place, s Session) (string, error) { return j.seal(j.frameUse(p), s) }
