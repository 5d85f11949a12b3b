package identity

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/edge/edgetest"
)

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
		{nadia, "/configmaps?n=green", "denied", "", "of-green"},
		{dan, "/configmaps", "denied", "", "of-blue"},
	} {
		t.Run(c.user.Name, func(t *testing.T) {
			e := person(t)
			e.Must(e.Open(p.At(c.path)))
			e.Keep("sign-in")
			e.SignIn(c.user.Token)
			e.Await(`document.querySelector("#grid")`)
			if c.state == "live" {
				e.sees(c.sees)
			}
			e.AwaitState(c.state)
			e.Says("#who", "as "+c.user.Name)
			if c.not != "" && e.shows(c.not) {
				t.Errorf("%s sees %s", c.user.Name, c.not)
			}
			if at := stage.Now[string](e, "location.href"); strings.Contains(at, c.user.Token) || strings.Contains(at, "#") || !strings.Contains(at, c.path) {
				t.Errorf("the address is %s", at)
			}
			if cookies := stage.Now[string](e, "document.cookie"); cookies != "" {
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
	e.SignIn("a-token-of-nobody")
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
		who.SignIn(vera.Token)
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

// slowToLeave serves in front of a proxy. After the sign-out it holds back the sign-in page of
// a tab that leaves a view, until some tab has asked to renew its session.
func slowToLeave(t *testing.T, view, listen string) (public string) {
	t.Helper()
	to, err := url.Parse("http://" + listen)
	must(t, err)
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
	var out atomic.Bool
	asked := make(chan struct{})
	answered := sync.OnceFunc(func() { close(asked) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/-/logout":
			out.Store(true)
		case r.URL.Path == "/-/login" && out.Load():
			defer answered()
		case r.URL.Path == "/-/signin" && r.URL.Query().Get("to") == view:
			select {
			case <-asked:
			case <-r.Context().Done():
			}
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestSignOutSlowly tests that a tab tells the first reason to leave: another tab signs out,
// and before the sign-in page arrives the worker has it check the session, which is over.
func TestSignOutSlowly(t *testing.T) {
	listen := stage.FreePort(t)
	public := slowToLeave(t, "/pods", listen)
	stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig(t, gate), Listen: listen, Args: []string{"--auth", "token", "--public-url", public}})
	e := person(t)
	e.Must(e.Open(public + "/configmaps"))
	e.SignIn(vera.Token)
	e.sees("of-green")
	beside := e.beside()
	beside.Must(beside.Open(public + "/pods"))
	beside.AwaitState("live")
	e.SignOut()
	for _, tab := range []eyes{e, beside} {
		tab.Says("main", "You have signed out")
	}
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
	e.SignIn(vera.Token)
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
	e.SignOut()
	e.Says("main", "You have signed out")
	try("when the user has signed out")
}

// TestNextMorning has two tabs whose session is over, and somebody who signs in in one of
// them and then in the other: both show what they showed, and neither ends the other.
func TestNextMorning(t *testing.T) {
	p := serve(t, gate, "", "--auth", "token", "--session", "14s", "--session-max", "14s")
	e := person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.SignIn(vera.Token)
	e.sees("of-green")
	beside := e.beside()
	beside.Must(beside.Open(p.At("/secrets")))
	beside.AwaitState("live")
	for _, tab := range []eyes{e, beside} {
		tab.Says("main", "Your session has ended")
	}
	e.SignIn(vera.Token)
	e.sees("of-green")
	beside.SignIn(vera.Token)
	beside.AwaitState("live")
	e.AwaitState("live")
	e.sees("of-green") // one tab's sign-in does not throw the other out
}
