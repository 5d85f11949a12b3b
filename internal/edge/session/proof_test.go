//go:build !js

package session

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"watchglass/internal/edge/edgetest"
)

// TestProof checks that a proof is valid for one key, purpose, place and time.
func TestProof(t *testing.T) {
	key, other, now := edgetest.NewKey(), edgetest.NewKey(), time.Now()
	place := Audience{"https://wg.example.com", "/k8s", "prod"}
	prove := func(k *edgetest.Key, purpose, origin, base, context string, at time.Time) string {
		return k.Prove(purpose, origin, base, context, at)
	}
	good := prove(key, "socket", place.Origin, place.Base, place.Context, now)
	if err := VerifyProof(key.Public(), good, ForSocket, place, now); err != nil {
		t.Fatal(err)
	}
	at, signature, _ := strings.Cut(good, ".")
	later := prove(key, "socket", place.Origin, place.Base, place.Context, now.Add(time.Second))
	laterAt, _, _ := strings.Cut(later, ".")
	for name, c := range map[string]struct {
		key, proof string
		want       error
	}{
		"another key":         {other.Public(), good, ErrUnproven},
		"for another purpose": {key.Public(), prove(key, "login", place.Origin, place.Base, place.Context, now), ErrUnproven},
		"at another origin":   {key.Public(), prove(key, "socket", "http://wg.example.com", place.Base, place.Context, now), ErrUnproven},
		"below another path":  {key.Public(), prove(key, "socket", place.Origin, "", place.Context, now), ErrUnproven},
		"for another context": {key.Public(), prove(key, "socket", place.Origin, place.Base, "dev", now), ErrUnproven},
		"fields moved":        {key.Public(), prove(key, "socket", place.Origin, place.Base+"\nprod", "", now), ErrUnproven},
		"another time":        {key.Public(), laterAt + "." + signature, ErrUnproven},
		"old":                 {key.Public(), prove(key, "socket", place.Origin, place.Base, place.Context, now.Add(-proofFresh-time.Second)), ErrClock},
		"of the future":       {key.Public(), prove(key, "socket", place.Origin, place.Base, place.Context, now.Add(proofFresh+time.Second)), ErrClock},
		"nothing":             {key.Public(), "", ErrUnproven},
		"no signature":        {key.Public(), at, ErrUnproven},
		"half a signature":    {key.Public(), at + "." + signature[:40], ErrUnproven},
		"a signature of zero": {key.Public(), at + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 64)), ErrUnproven},
		"no time":             {key.Public(), "." + signature, ErrUnproven},
		"no key":              {"", good, ErrUnproven},
		"a key of zeros":      {base64.RawURLEncoding.EncodeToString(make([]byte, 65)), good, ErrUnproven},
		"the point nowhere":   {base64.RawURLEncoding.EncodeToString([]byte{0}), good, ErrUnproven},
	} {
		if err := VerifyProof(c.key, c.proof, ForSocket, place, now); err != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 2000 { // one bit or another
		b := []byte(good)
		b[rand.IntN(len(b))] ^= 1 << rand.IntN(8)
		if string(b) != good && VerifyProof(key.Public(), string(b), ForSocket, place, now) == nil {
			t.Errorf("%q is taken for %q", b, good)
		}
	}
}
