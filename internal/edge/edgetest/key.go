//go:build !js

package edgetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Key is the key of a browser.
type Key struct{ private *ecdsa.PrivateKey }

// NewKey returns a new key.
func NewKey() *Key {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // it cannot fail on a machine that has randomness
	}
	return &Key{private}
}

// Public returns the public key as a session stores it.
func (k *Key) Public() string {
	point, err := k.private.PublicKey.Bytes()
	if err != nil {
		panic(err) // it is on the curve: it was made there
	}
	return base64.RawURLEncoding.EncodeToString(point)
}

// Prove returns a proof for a purpose, place and time.
func (k *Key) Prove(purpose, origin, base, context string, at time.Time) string {
	milliseconds := strconv.FormatInt(at.UnixMilli(), 10)
	digest := sha256.Sum256([]byte("watchglass\n" + purpose + "\n" + milliseconds + "\n" + origin + "\n" + base + "\n" + context))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, digest[:])
	if err != nil {
		panic(err) // the same
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return milliseconds + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// Sign adds the headers of a request to /-/login or /-/logout, whose Origin is set.
func (k *Key) Sign(r *http.Request) {
	base, _, _ := strings.Cut(r.URL.Path, "/-/")
	r.Header.Set("Watchglass-Key", k.Public())
	r.Header.Set("Watchglass-Proof", k.Prove(path.Base(r.URL.Path), r.Header.Get("Origin"), base, r.URL.Query().Get("c"), time.Now()))
}

// Hello returns the first message on a socket: the version, the proof, and the streams to open.
func (k *Key) Hello(version int, origin, base, context, early string) []byte {
	hello, err := json.Marshal(map[string]any{"v": version, "early": early, "proof": k.Prove("socket", origin, base, context, time.Now())})
	if err != nil {
		panic(err) // a map of texts
	}
	return hello
}
