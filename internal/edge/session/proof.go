//go:build !js

package session

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"math/big"
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

// Errors of proofs. After ErrClock, the browser corrects its clock by the proxy's and retries.
var (
	ErrClock    = errors.New("the time of the proof is wrong")
	ErrUnproven = errors.New("the proof is not of the session's browser")
)

// VerifyProof checks a proof, which is TIME.SIGNATURE. The time is in milliseconds. The signature is
// that of WebCrypto: two numbers of 32 bytes, in base64.
func VerifyProof(key, proof string, purpose Purpose, place Audience, now time.Time) error {
	public, err := parsePublicKey(key)
	at, encoded, ok := strings.Cut(proof, ".")
	milliseconds, notTime := strconv.ParseInt(at, 10, 64)
	signature, isBase64 := fromBase64(encoded)
	if err != nil || !ok || notTime != nil || !isBase64 || len(signature) != 64 {
		return ErrUnproven
	}
	digest := sha256.Sum256(Signed(purpose, at, place.Origin, place.Base, place.Context))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	switch {
	case !ecdsa.Verify(public, digest[:], r, s):
		return ErrUnproven
	case now.Sub(time.UnixMilli(milliseconds)).Abs() > proofFresh:
		return ErrClock
	}
	return nil
}

// Audience is where a proof is valid: one origin, base path and context.
type Audience struct{ Origin, Base, Context string }
