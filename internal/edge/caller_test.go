//go:build !js

package edge

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/edge/session"
)

// TestClock checks that a browser with a wrong clock gets ours, and can sign in.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := session.NewSecret()
		v := newBrowser(t, local(session.NewKey(), token), here)
		off := time.Hour
		v.edit = func(r *http.Request) {
			r.Header.Set(proofHeader, v.key.Prove("login", here, "", "", time.Now().Add(off)))
		}
		w := v.send(v.auth.Login(), http.MethodPost, "/-/login", token)
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
		ana := newBrowser(t, d, there)
		ana.want("in", ana.login("good"), 200)
		copied := newBrowser(t, d, there)
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
