//go:build !js

package edge

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/edge/session"
)

const portal = "https://portal.example.com"

// inFrame makes a browser a page in a frame of an origin, with a session that it keeps in memory.
func (v *browser) inFrame(embedder string, sealed *string) *browser {
	v.edit = func(r *http.Request) {
		if r.Method == http.MethodGet {
			r.Header.Set("Sec-WebSocket-Protocol", "watchglass.v1, watchglass.session."+*sealed)
			return
		}
		r.Header.Set("Watchglass-Session", *sealed)
		r.Header.Set("Watchglass-Embedder", embedder)
	}
	return v
}

// TestFramed checks the session of a page in a frame: it has no cookie, renews, ends, and is bound
// to the key of its browser.
func TestFramed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := public(t)
		o.Embedders = Embedders{portal}
		d := NewToken(o, func(_ context.Context, _, token string) (Who, error) {
			if token == "ana's" || token == "ana-next" || token == "bob's" {
				return Who{User: token[:3]}, nil
			}
			return Who{}, ErrUnknown
		})
		sealed := "none"
		v := newBrowser(t, d, there).inFrame(portal, &sealed)
		enter := func(token string) int {
			w := v.send(d.Login(), http.MethodPost, "/-/login", token)
			var answer struct{ Sealed string }
			if w.Code == http.StatusOK {
				if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
					t.Fatal(err)
				}
				if answer.Sealed != "" {
					sealed = answer.Sealed
				}
			}
			if len(w.Result().Cookies()) > 0 {
				t.Errorf("it has a cookie: %v", w.Result().Cookies())
			}
			return w.Code
		}
		code, _ := v.socket()
		v.want("a socket without a session", code, 401)
		v.want("a wrong token", enter("mallory's"), 401)
		v.want("no token", enter(""), 401)
		v.want("hers", enter("ana's"), 200)
		if strings.Contains(sealed, "ana") || sealed == "none" {
			t.Fatalf("the session is %q", sealed)
		}
		code, s := v.socket()
		v.want("the socket", code, 418)
		if s.User != "ana" || s.Bearer != "ana's" || s.Key != v.key.Public() {
			t.Errorf("%+v", s)
		}
		name := s.ID
		time.Sleep(11 * time.Minute)
		v.want("renewed by the same token", enter("ana's"), 200)
		if _, s = v.socket(); s.ID != name {
			t.Error("the renewed session is another")
		}
		old := sealed
		v.want("with the next token", enter("ana-next"), 200)
		if _, s = v.socket(); s.User != "ana" || s.Bearer != "ana-next" || s.ID != name || s.Key != v.key.Public() {
			t.Errorf("it is not the same session with the next token: %+v", s)
		}
		thief := newBrowser(t, d, there).inFrame(portal, &old)
		thief.want("a copied session, renewed elsewhere", thief.send(d.Login(), http.MethodPost, "/-/login", "").Code, 401)

		cookie := newBrowser(t, d, there)
		cookie.cookies["c"] = &http.Cookie{Name: "__Host-watchglass", Value: sealed}
		code, _ = cookie.socket()
		v.want("a frame's session as a cookie", code, 401)
		cookie = newBrowser(t, d, there)
		cookie.want("by cookie", cookie.login("bob's"), 200)
		asFrame := cookie.cookies["__Host-watchglass"].Value
		code, _ = newBrowser(t, d, there).inFrame(portal, &asFrame).socket()
		v.want("a cookie as a frame's session", code, 401)

		v.want("sign-out", v.send(d.Logout(), http.MethodPost, "/-/logout", "").Code, 200)
		code, _ = v.socket()
		v.want("the socket after it", code, 401)
		sealed = old
		code, _ = v.socket()
		v.want("the socket with the session before its last token", code, 401)
		v.want("signed in again", enter("ana-next"), 200)
		if _, s = v.socket(); s.ID == name {
			t.Error("a session that was ended goes on")
		}
		anas := sealed
		v.want("another user's token", enter("bob's"), 200)
		if _, s = v.socket(); s.User != "bob" || s.ID == name {
			t.Errorf("%+v", s)
		}
		sealed = anas
		code, _ = v.socket()
		v.want("the session of the user before", code, 401)
	})
}

// TestFrameAndCookie checks a frame on the same site, whose requests carry the cookie of a page that
// another user has signed in to: each session stays apart.
func TestFrameAndCookie(t *testing.T) {
	o := public(t)
	o.Embedders = Embedders{portal}
	d := NewToken(o, func(_ context.Context, _, token string) (Who, error) { return Who{User: token[:3]}, nil })
	v := newBrowser(t, d, there)
	v.want("by cookie", v.login("bob's"), 200)
	sealed := "none"
	v.inFrame(portal, &sealed)
	code, _ := v.socket()
	v.want("a frame's socket with the cookie only", code, 401)
	v.want("a frame's renewal with the cookie only", v.send(d.Login(), http.MethodPost, "/-/login", "").Code, 401)
	w := v.send(d.Login(), http.MethodPost, "/-/login", "ana's")
	v.want("in the frame", w.Code, 200)
	var answer struct{ Sealed, User string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.User != "ana" {
		t.Fatalf("%+v, %v", answer, err)
	}
	sealed = answer.Sealed
	if _, s := v.socket(); s.User != "ana" {
		t.Errorf("the frame's socket is of %q", s.User)
	}
	w = v.send(d.Logout(), http.MethodPost, "/-/logout", "")
	v.want("sign-out in the frame", w.Code, 200)
	if len(w.Result().Cookies()) > 0 {
		t.Errorf("it changes the page's cookie: %v", w.Result().Cookies())
	}
	v.edit = func(*http.Request) {}
	if code, s := v.socket(); code != 418 || s.User != "bob" {
		t.Errorf("the page: %d as %q", code, s.User)
	}
}

// TestFrameAndFront checks a frame whose requests get a token of a front: a host that does not know that token
// does not get a session of its user, whose rows it could count.
func TestFrameAndFront(t *testing.T) {
	o := public(t)
	o.Embedders = Embedders{portal}
	d := NewToken(o, func(_ context.Context, _, token string) (Who, error) { return Who{User: token[:3]}, nil })
	for given, want := range map[string]int{"": 403, "x": 403, "bob's": 403, "ana's": 200} {
		sealed := "none"
		v := newBrowser(t, d, there).inFrame(portal, &sealed)
		framed := v.edit
		v.edit = func(r *http.Request) {
			framed(r)
			r.Header.Set("Authorization", "Bearer ana's")
		}
		v.want(given, v.send(d.Login(), http.MethodPost, "/-/login", given).Code, want)
	}
}

// TestFrameRefused checks who may not sign in in a frame, by any mode.
func TestFrameRefused(t *testing.T) {
	verify := func(context.Context, string, string) (Who, error) { return Who{User: "ana"}, nil }
	allowed := public(t)
	allowed.Embedders = Embedders{portal}
	front := NewProxy(allowed, Front{From: nil, UserHeader: "X-User"})
	local := NewLocal(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8001}, "launch", Options{Key: session.NewKey(), Hosts: NewHosts(listen), Embedders: Embedders{portal}})
	for name, c := range map[string]struct {
		auth     *Authenticator
		origin   string
		embedder string
		want     int
	}{
		"allowed":            {NewToken(allowed, verify), there, portal, 200},
		"no embedder":        {NewToken(allowed, verify), there, "", 403},
		"another":            {NewToken(allowed, verify), there, "https://evil.example", 403},
		"a longer one":       {NewToken(allowed, verify), there, portal + ".evil.example", 403},
		"nobody is allowed":  {NewToken(public(t), verify), there, portal, 403},
		"proxy mode":         {front, there, portal, 403},
		"local mode":         {local, "http://127.0.0.1:8001", portal, 403},
		"not from our page":  {NewToken(allowed, verify), portal, portal, 403},
		"an origin in lists": {NewToken(allowed, verify), there, portal + " https://evil.example", 403},
	} {
		sealed := "none"
		v := newBrowser(t, c.auth, c.origin).inFrame(c.embedder, &sealed)
		if c.origin == portal {
			v.edit = func(edit func(*http.Request)) func(*http.Request) {
				return func(r *http.Request) { edit(r); r.Host = strings.TrimPrefix(there, "https://") }
			}(v.edit)
		}
		v.want(name, v.send(c.auth.Login(), http.MethodPost, "/-/login", "token").Code, c.want)
	}
}

// TestFramePolicy checks which pages may be shown in a frame, and by whom.
func TestFramePolicy(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, c := range []struct {
		embedders Embedders
		target    string
		ancestors string
	}{
		{nil, "/pods", "'none'"},
		{nil, "/pods?embed=list", "'none'"},
		{Embedders{portal}, "/pods", "'none'"},
		{Embedders{portal}, "/pods?embed=", "'none'"},
		{Embedders{portal}, "/pods?embed=list", portal},
		{Embedders{portal, "https://b.example", portal}, "/pods?c=x&embed=object", "https://b.example " + portal},
	} {
		w := httptest.NewRecorder()
		Strict(false, c.embedders.Frame(page)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, c.target, nil))
		policy, options := w.Header().Values("Content-Security-Policy"), w.Header().Get("X-Frame-Options")
		if len(policy) != 1 || !strings.Contains(policy[0], "; frame-ancestors "+c.ancestors+"; ") || strings.Count(policy[0], "frame-ancestors") != 1 || strings.Count(policy[0], "script-src 'self'") != 1 {
			t.Errorf("%v %s: %q", c.embedders, c.target, policy)
		}
		if (options == "DENY") != (c.ancestors == "'none'") {
			t.Errorf("%v %s: X-Frame-Options %q", c.embedders, c.target, options)
		}
	}
}

func TestParseEmbedder(t *testing.T) {
	for text, want := range map[string]string{
		"https://portal.example.com": portal, "https://Portal.example.com/": portal, "https://portal.example.com:443": portal,
		"https://portal.example.com:8443": "https://portal.example.com:8443", "http://localhost:7007": "http://localhost:7007", "http://127.0.0.1:3000": "http://127.0.0.1:3000",
		"http://portal.example.com": "", "https://*.example.com": "", "*": "", "https://": "", "portal.example.com": "", "https://a.example/path": "", "https://a.example?x": "",
		"https://a.example#x": "", "https://user@a.example": "", "https://a.example https://b.example": "", "https://a.example;script-src *": "", "https://a.example,b.example": "",
		"javascript:alert(1)": "", "file:///": "", "data:text/html,x": "", "": "", "null": "", "https://'none'": "", "https://:443": "",
		"https://a.example%3Bscript-src": "", "https://a.example%0d%0aX: y": "", "https://[::1%25%20*]": "", "https://[::1%25;]": "", "https://a.example\nX: y": "", "https://a.example\t*": "", "//a.example": "", "https:a.example": "",
	} {
		if got, err := ParseEmbedder(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
