package identity

import (
	"net/http"
	"strings"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
	"watchglass/internal/edge/edgetest"
)

// signIn gives a token to the form, by keyboard.
func (e eyes) signIn(token string) {
	e.T.Helper()
	e.Says("h1", "Sign in")
	e.Await(`document.readyState === "complete" && document.activeElement?.id === "token"`) // the script is there, too
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

// TestCopiedCookie copies a browser's cookies: they open nothing and are not renewed, at
// no replica; and when the user has signed out, nor are they with what else was sent.
func TestCopiedCookie(t *testing.T) {
	one, two, public := replicas(t)
	e := person(t)
	e.Must(e.Open(public + "/configmaps"))
	e.signIn(vera.Token)
	e.sees("of-green")
	thief := stage.Steal(t, public, func(address string) {
		other := e.beside()
		other.Must(other.Open(address))
	})
	try := func(when string) {
		t.Helper()
		for name, key := range map[string]*edgetest.Key{"without a key": nil, "with a key of its own": edgetest.NewKey()} {
			for replica, at := range map[string]string{"the first": one.Origin(), "the other": two.Origin()} {
				th := thief.With(key)
				if code, cookie := th.Posts(at, "/-/login"); code != http.StatusUnauthorized || cookie {
					t.Errorf("%s, %s, at %s replica the session is renewed: %d", when, name, replica, code)
				}
				if th.Enters(at) {
					t.Errorf("%s, %s, %s replica lets it in", when, name, replica)
				}
				th.Posts(at, "/-/logout")
			}
		}
	}
	try("while the user is there")
	e.AwaitState("live")
	e.Must(e.Click("#who"))
	e.Await(`document.querySelector("#sign-out")`)
	e.Must(e.Click("#sign-out"))
	e.Says("main", "You have signed out")
	try("when the user has signed out")
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
