//go:build !js

package edge

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A session is bound to a key in the browser, which cannot be exported. Each renewal, sign-out
// and socket carries a proof: the time, and the key's signature over the time, the purpose and
// the place. Whoever copied a cookie does not have the key.

// Purpose is what a proof is for. A proof is valid for one purpose only.
type Purpose string

// The purposes.
const (
	ForLogin  Purpose = "login"
	ForLogout Purpose = "logout"
	ForSocket Purpose = "socket"
	// ForRecording is reading the file that the proxy replays.
	ForRecording Purpose = "recording"
	// In oidc mode: before going to the provider, and after coming back.
	ForSignIn   Purpose = "signin"
	ForCallback Purpose = "callback"
)

// proofFresh is how far the time of a proof may differ from ours. A captured proof can be
// replayed for that long.
const proofFresh = time.Minute

// Headers of requests that sign in, renew or sign out. Pages of other origins cannot send them.
const (
	keyHeader   = "Watchglass-Key"   // the browser's public key
	proofHeader = "Watchglass-Proof" // its proof; without a key, the proof in the login's response
	timeHeader  = "Watchglass-Time"  // in the response: our clock in milliseconds, for browsers whose clock differs
)

// Signed returns the text that a proof signs. The page's JavaScript makes the same text.
func Signed(purpose Purpose, at, origin, base, context string) []byte {
	return []byte(strings.Join([]string{"watchglass", string(purpose), at, origin, base, context}, "\n"))
}

var errKey = errors.New("not a valid browser key")

// parsePublicKey reads a P-256 point, uncompressed, in base64: what WebCrypto exports as raw.
func parsePublicKey(text string) (*ecdsa.PublicKey, error) {
	b, ok := fromBase64(text)
	if !ok {
		return nil, errKey
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), b)
	if err != nil {
		return nil, errKey
	}
	return key, nil
}

// errClock says that the time of a proof is wrong. The browser corrects its clock by timeHeader
// and retries.
var errClock = refusing(http.StatusUnauthorized, "clock", "This computer's clock and the proxy's differ by more than a minute. Correct the clock and reload.")

var errUnproven = refusing(http.StatusUnauthorized, "proof", "This request is not from the browser that signed in. Reload the page.")

// verify checks a proof, which is TIME.SIGNATURE. The time is in milliseconds. The signature is
// that of WebCrypto: two numbers of 32 bytes, in base64.
func verify(key, proof string, purpose Purpose, place audience, now time.Time) error {
	public, err := parsePublicKey(key)
	at, encoded, ok := strings.Cut(proof, ".")
	milliseconds, notTime := strconv.ParseInt(at, 10, 64)
	signature, isBase64 := fromBase64(encoded)
	if err != nil || !ok || notTime != nil || !isBase64 || len(signature) != 64 {
		return errUnproven
	}
	digest := sha256.Sum256(Signed(purpose, at, place.origin, place.base, place.context))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	switch {
	case !ecdsa.Verify(public, digest[:], r, s):
		return errUnproven
	case now.Sub(time.UnixMilli(milliseconds)).Abs() > proofFresh:
		return errClock
	}
	return nil
}

// audience is where a proof is valid: one origin, base path and context.
type audience struct{ origin, base, context string }

// audience returns the audience of a request, whose Origin has been checked.
func (d *Door) audience(r *http.Request) audience {
	return audience{r.Header.Get("Origin"), d.o.Base, r.URL.Query().Get("c")}
}

// shown is what a request proves about the browser that sent it.
type shown struct {
	key    string   // of the browser, if any
	had    *Session // in its cookie, if any
	proven bool     // the cookie's session began in this browser
	doubt  bool     // the session may be invalid: renew it even if that is not due
}

// shows reads what a request proves. A wrong proof is an error, so that the browser retries with
// the right time instead of being signed in without a key.
func (d *Door) shows(r *http.Request, purpose Purpose) (shown, error) {
	s := shown{key: r.Header.Get(keyHeader), had: d.had(r), doubt: r.URL.Query().Get("doubt") != ""}
	proof := r.Header.Get(proofHeader)
	if s.key != "" {
		if err := verify(s.key, proof, purpose, d.audience(r), time.Now()); err != nil {
			return s, err
		}
	}
	if s.had != nil {
		s.proven = s.had.Key == s.key && (s.key != "" || d.o.Key.proves(*s.had, proof))
	}
	return s, nil
}

// posted reads what a POST from one of our pages proves. It answers other requests itself; ok is
// false then.
func (d *Door) posted(w http.ResponseWriter, r *http.Request, purpose Purpose) (by shown, ok bool) {
	if no := d.ours(r, http.MethodPost); no != nil {
		d.refuse(w, no)
		return by, false
	}
	w.Header().Set(timeHeader, strconv.FormatInt(time.Now().UnixMilli(), 10))
	err := d.mayFrame(r)
	if err == nil {
		by, err = d.shows(r, purpose)
	}
	if err == nil && by.key == "" && d.bindable(r) {
		err = refusing(http.StatusUnauthorized, "key", "The browser sent no key, and sessions here are bound to one. Reload the page.")
	}
	if err != nil {
		d.refuse(w, err)
	}
	return by, err == nil
}

// Proves returns a function that checks the proof in the hello of the socket that r opens.
func (d *Door) Proves(r *http.Request, s Session) func(proof string) bool {
	place := d.audience(r)
	return func(proof string) bool {
		if s.Key == "" {
			return d.o.Key.proves(s, proof)
		}
		return verify(s.Key, proof, ForSocket, place, time.Now()) == nil
	}
}

// bindable reports whether the browser that sent a request has WebCrypto. It does for https and
// for this machine.
func (d *Door) bindable(r *http.Request) bool {
	origin, err := url.Parse(r.Header.Get("Origin"))
	return err != nil || origin.Scheme == "https" || isLoopback(origin.Hostname())
}
