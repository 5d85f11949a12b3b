package identity

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// signIn gives a token to the form, by keyboard.
func (e eyes) signIn(token string) {
	e.T.Helper()
	e.Says("h1", "Sign in")
	e.Await(`document.activeElement?.id === "token"`)
	e.Press(token + "\r")
}

// TestToken shows who sees what by a token of their own.
func TestToken(t *testing.T) {
	p := serve(t, gate, "", "--auth", "token")
	for _, c := range []struct {
		user        cluster.User
		path, state string
		sees, not   string
	}{
		{vera, "/configmaps", "live", "of-green", ""},
		{nadia, "/configmaps?n=blue", "live", "of-blue", "of-green"},
		{dan, "/configmaps", "denied", "", "of-blue"},
	} {
		t.Run(c.user.Name, func(t *testing.T) {
			e := person(t)
			e.Must(e.Open(p.At(c.path)))
			e.Keep("sign-in")
			e.signIn(c.user.Token)
			e.Await(`document.querySelector("#grid")`)
			if c.state == "live" {
				e.sees(c.sees)
			}
			e.AwaitState(c.state)
			e.Says("#who", "as "+c.user.Name)
			if c.not != "" && e.shows(c.not) {
				t.Errorf("%s sees %s", c.user.Name, c.not)
			}
			if at := stage.Eval[string](e, "location.href"); strings.Contains(at, c.user.Token) || strings.Contains(at, "#") || !strings.Contains(at, c.path) {
				t.Errorf("the address is %s", at)
			}
			if cookies := stage.Eval[string](e, "document.cookie"); cookies != "" {
				t.Errorf("scripts see the cookie: %s", cookies)
			}
		})
	}
}

// TestWrongToken shows what is said of a token that the apiserver does not know, and
// that a right one does then.
func TestWrongToken(t *testing.T) {
	e := person(t)
	e.Must(e.Open(serve(t, gate, "", "--auth", "token").At("/configmaps")))
	e.signIn("a-token-of-nobody")
	e.Says("[role=alert]", "The apiserver does not accept this token")
	e.Keep("wrong")
	e.Await(`document.activeElement?.id === "token"`)
	e.Press(vera.Token + "\r")
	e.sees("of-green")
}

// TestSignOut shows that who signs out in one tab is out in all of that browser, at once,
// and in no other.
func TestSignOut(t *testing.T) {
	p := serve(t, gate, "", "--auth", "token")
	e, other := person(t), person(t)
	for _, who := range []eyes{e, other} {
		who.Must(who.Open(p.At("/configmaps")))
		who.signIn(vera.Token)
		who.sees("of-green")
	}
	beside := e.beside()
	beside.Must(beside.Open(p.At("/pods")))
	beside.AwaitState("live")
	e.Must(e.Click("#who"))
	e.Says("#whoami", "You signed in with a token", "vera")
	e.Keep("who")
	e.Must(e.Click("#sign-out"))
	for _, tab := range []eyes{e, beside} {
		tab.Says("main", "You have signed out")
	}
	e.Keep("out")
	e.Must(e.Open(p.At("/configmaps")))
	e.Says("h1", "Sign in")
	must(t, configMap(t.Context(), "green", "after-sign-out"))
	other.sees("after-sign-out")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestCopiedCookie shows that the cookie alone opens nothing, and with the proof, which
// only the page has, nothing after its time.
func TestCopiedCookie(t *testing.T) {
	p := serve(t, gate, "", "--auth", "token", "--session", "3s")
	login := func(token, cookie, proof string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Origin()+"/-/login", strings.NewReader(token))
		must(t, err)
		r.Header.Set("Origin", p.Origin())
		r.Header.Set("Cookie", cookie)
		r.Header.Set("Watchglass-Proof", proof)
		resp, err := http.DefaultTransport.RoundTrip(r)
		must(t, err)
		resp.Body.Close()
		return resp
	}
	resp := login(vera.Token, "", "")
	if resp.StatusCode != 200 || len(resp.Cookies()) != 1 {
		t.Fatal(resp.Status)
	}
	cookie := resp.Cookies()[0].Name + "=" + resp.Cookies()[0].Value
	if resp := login("", cookie, ""); resp.StatusCode != 401 {
		t.Errorf("the cookie alone: %s", resp.Status)
	}
	socket := func() int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Origin()+"/-/socket", nil)
		must(t, err)
		r.Header.Set("Origin", p.Origin())
		r.Header.Set("Cookie", cookie)
		resp, err := http.DefaultTransport.RoundTrip(r)
		must(t, err)
		resp.Body.Close()
		return resp.StatusCode
	}
	if code := socket(); code != http.StatusUpgradeRequired {
		t.Errorf("the cookie in its time: %d", code)
	}
	for deadline := time.Now().Add(stage.Soon); socket() != http.StatusUnauthorized; <-time.After(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the cookie is good after its time")
		}
	}
}

// TestNextMorning has two tabs whose session is over, and somebody who signs in in one of
// them and then in the other: both show what they showed, and neither ends the other.
func TestNextMorning(t *testing.T) {
	p := serve(t, gate, "", "--auth", "token", "--session", "14s", "--session-max", "14s")
	e := person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.signIn(vera.Token)
	e.sees("of-green")
	beside := e.beside()
	beside.Must(beside.Open(p.At("/secrets")))
	beside.AwaitState("live")
	for _, tab := range []eyes{e, beside} {
		tab.Says("main", "Your session is over")
	}
	e.signIn(vera.Token)
	e.sees("of-green")
	beside.signIn(vera.Token)
	beside.AwaitState("live")
	e.AwaitState("live")
	if !e.shows("of-green") {
		t.Error("one tab's sign-in threw the other out")
	}
}
