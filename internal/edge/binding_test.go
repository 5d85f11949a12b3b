//go:build !js

package edge

import (
	"encoding/base64"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/edge/edgetest"
)

// TestProof checks that a proof is valid for one key, purpose, place and time.
func TestProof(t *testing.T) {
	key, other, now := edgetest.NewKey(), edgetest.NewKey(), time.Now()
	place := audience{"https://wg.example.com", "/k8s", "prod"}
	prove := func(k *edgetest.Key, purpose, origin, base, context string, at time.Time) string {
		return k.Prove(purpose, origin, base, context, at)
	}
	good := prove(key, "socket", place.origin, place.base, place.context, now)
	if err := verify(key.Public(), good, ForSocket, place, now); err != nil {
		t.Fatal(err)
	}
	at, signature, _ := strings.Cut(good, ".")
	later := prove(key, "socket", place.origin, place.base, place.context, now.Add(time.Second))
	laterAt, _, _ := strings.Cut(later, ".")
	for name, c := range map[string]struct {
		key, proof string
		want       error
	}{
		"another key":         {other.Public(), good, errUnproven},
		"for another purpose": {key.Public(), prove(key, "login", place.origin, place.base, place.context, now), errUnproven},
		"at another origin":   {key.Public(), prove(key, "socket", "http://wg.example.com", place.base, place.context, now), errUnproven},
		"below another path":  {key.Public(), prove(key, "socket", place.origin, "", place.context, now), errUnproven},
		"for another context": {key.Public(), prove(key, "socket", place.origin, place.base, "dev", now), errUnproven},
		"fields moved":        {key.Public(), prove(key, "socket", place.origin, place.base+"\nprod", "", now), errUnproven},
		"another time":        {key.Public(), laterAt + "." + signature, errUnproven},
		"old":                 {key.Public(), prove(key, "socket", place.origin, place.base, place.context, now.Add(-proofFresh-time.Second)), errClock},
		"of the future":       {key.Public(), prove(key, "socket", place.origin, place.base, place.context, now.Add(proofFresh+time.Second)), errClock},
		"nothing":             {key.Public(), "", errUnproven},
		"no signature":        {key.Public(), at, errUnproven},
		"half a signature":    {key.Public(), at + "." + signature[:40], errUnproven},
		"a signature of zero": {key.Public(), at + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 64)), errUnproven},
		"no time":             {key.Public(), "." + signature, errUnproven},
		"no key":              {"", good, errUnproven},
		"a key of zeros":      {base64.RawURLEncoding.EncodeToString(make([]byte, 65)), good, errUnproven},
		"the point nowhere":   {base64.RawURLEncoding.EncodeToString([]byte{0}), good, errUnproven},
	} {
		if err := verify(c.key, c.proof, ForSocket, place, now); err != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 2000 { // one bit or another
		b := []byte(good)
		b[rand.IntN(len(b))] ^= 1 << rand.IntN(8)
		if string(b) != good && verify(key.Public(), string(b), ForSocket, place, now) == nil {
			t.Errorf("%q is taken for %q", b, good)
		}
	}
}

// TestClock checks that a browser with a wrong clock gets ours, and can sign in.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := Token()
		v := visit(t, local(NewKey(), token), here)
		off := time.Hour
		v.edit = func(r *http.Request) {
			r.Header.Set(proofHeader, v.key.Prove("login", here, "", "", time.Now().Add(off)))
		}
		w := v.send(v.door.Login(), http.MethodPost, "/-/login", token)
		if w.Code != 401 || w.Header().Get(timeHeader) == "" || !strings.Contains(w.Body.String(), "clock") {
			t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		off = 0
		v.want("by our clock", v.login(token), 200) // and the ticket was not spent
	})
}

// TestSignOutHolds checks that after a sign-out this replica refuses every copy of the session,
// even one that was just renewed with a copied key.
func TestSignOutHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := counting(t, public(t))
		ana := visit(t, d, there)
		ana.want("in", ana.login("good"), 200)
		copied := visit(t, d, there)
		copied.key = ana.key // a whole profile
		for name, c := range ana.cookies {
			copied.cookies[name] = c
		}
		time.Sleep(14 * time.Minute)
		copied.want("the copy is renewed", copied.login(""), 200)
		ana.want("out", ana.send(d.Logout(), http.MethodPost, "/-/logout", "").Code, 200)
		for range 14 {
			code, _ := copied.socket()
			copied.want("the copy's socket", code, 401)
			copied.want("the copy's renewal", copied.login(""), 401)
			time.Sleep(time.Minute)
		}
	})
}
