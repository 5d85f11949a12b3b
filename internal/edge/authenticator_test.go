//go:build !js

package edge

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/session"
)

// browser is a browser as a test controls it. It keeps cookies, has a key, and sends what browsers send.
type browser struct {
	t       *testing.T
	auth    *Authenticator
	origin  string
	cookies map[string]*http.Cookie
	key     *edgetest.Key       // none: it has no WebCrypto
	session string              // its name
	proof   string              // of the session, without a key
	edit    func(*http.Request) // what is else about its requests
}

func newBrowser(t *testing.T, d *Authenticator, origin string) *browser {
	return &browser{t: t, auth: d, origin: origin, cookies: map[string]*http.Cookie{}, key: edgetest.NewKey(), edit: func(*http.Request) {}}
}

func (v *browser) send(h http.Handler, method, target, body string) *httptest.ResponseRecorder {
	r := v.request(method, target, body)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		} else {
			v.cookies[c.Name] = c
		}
	}
	return w
}

// request returns a request of the browser.
func (v *browser) request(method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	u, err := url.Parse(v.origin)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Host = u.Host
	r.Header.Set("Origin", v.origin)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if v.key != nil {
		v.key.Sign(r)
	} else {
		r.Header.Set(proofHeader, v.proof)
	}
	for _, c := range v.cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	v.edit(r)
	return r
}

// login signs in or renews, and stores the response.
func (v *browser) login(body string) int {
	w := v.send(v.auth.Login(), http.MethodPost, "/-/login", body)
	if w.Code == http.StatusOK {
		var answer struct{ Session, Proof string }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Session == "" || (answer.Proof == "") != (v.key != nil) {
			v.t.Fatalf("%v: %s", err, w.Body)
		}
		v.session, v.proof = answer.Session, answer.Proof
	}
	return w.Code
}

// socket tries to open a socket, and returns its session.
func (v *browser) socket() (int, session.Session) {
	var in session.Session
	w := v.send(v.auth.Socket(func(w http.ResponseWriter, _ *http.Request, s session.Session) {
		in = s
		w.WriteHeader(http.StatusTeapot)
	}), http.MethodGet, "/-/socket", "")
	return w.Code, in
}

func (v *browser) want(what string, code, want int) {
	v.t.Helper()
	if code != want {
		v.t.Errorf("%s: %d, want %d", what, code, want)
	}
}

// TestReading checks which requests get the page.
func TestReading(t *testing.T) {
	d := NewLocal(listen, session.NewSecret(), Options{Key: session.NewKey(), Hosts: NewHosts(listen)})
	page := d.Page(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	v := newBrowser(t, d, here)
	v.want("the page", v.send(page, http.MethodGet, "/pods", "").Code, 418)
	v.want("a write", v.send(page, http.MethodPost, "/pods", "").Code, 405)
	v.edit = func(r *http.Request) { r.Host = "evil.example:8001" }
	v.want("another host", v.send(page, http.MethodGet, "/pods", "").Code, 421)
}

// public returns an authenticator's options for the modes in which users sign in.
func public(t *testing.T) Options {
	t.Helper()
	u, err := url.Parse("https://wg.example.com")
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Hosts: PublicHosts(u), Key: session.NewKey(), Cookie: "watchglass", Secure: true, Life: session.Life{Session: 15 * time.Minute, Most: time.Hour}, Sessions: session.NewRegistry(session.Limits{}),
		Place: func(r *http.Request) session.Place {
			return session.Place{Context: r.URL.Query().Get("c"), Server: "https://" + r.URL.Query().Get("c")}
		},
	}
}

const there = "https://wg.example.com"

// jwt returns a token with an expiry.
func jwt(exp time.Time) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"RS256"}`) + "." + part(fmt.Sprintf(`{"exp":%d}`, exp.Unix())) + "." + part("signature")
}

// TestToken follows a session of token mode from start to end.
func TestToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := map[string]Who{"ana's": {User: "ana", Groups: []string{"dev"}}}
		var asked []string
		var down error
		d := NewToken(public(t), func(_ context.Context, context, token string) (Who, error) {
			asked = append(asked, context+" "+token)
			if who, ok := known[token]; ok || down != nil {
				return who, down
			}
			return Who{}, ErrUnknown
		})
		v := newBrowser(t, d, there)
		v.want("nothing", v.login(""), 401)
		v.want("another's", v.login("mallory's"), 401)
		v.want("no token", v.login("two words"), 401)
		v.want("hers", v.login("ana's\n"), 200)
		c := v.cookies["__Host-watchglass"]
		if c == nil || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || strings.Contains(c.Value, "ana") {
			t.Fatalf("%+v", c)
		}
		code, s := v.socket()
		v.want("the socket", code, 418)
		if s.User != "ana" || s.Bearer != "ana's" || s.Expires.Sub(s.Made) != 15*time.Minute {
			t.Errorf("%+v", s)
		}
		asked = nil
		v.want("before it is due", v.login(""), 200)
		if len(asked) > 0 {
			t.Errorf("the apiserver was asked: %q", asked)
		}
		if v.send(d.Login(), http.MethodPost, "/-/login?doubt=1", ""); len(asked) != 1 {
			t.Errorf("in doubt, the apiserver was not asked: %q", asked)
		}
		asked = nil
		copied, name, own := *c, v.session, v.key
		v.key = edgetest.NewKey()
		v.want("with another key", v.login(""), 401)
		v.key = own
		time.Sleep(11 * time.Minute)
		down = fmt.Errorf("connection refused")
		v.want("while the apiserver is away", v.login(""), 502)
		down = nil
		v.want("when it is due", v.login(""), 200)
		if v.session != name || len(asked) != 2 {
			t.Errorf("%q", asked)
		}
		time.Sleep(5 * time.Minute)
		v.want("the renewed", func() int { code, _ := v.socket(); return code }(), 418)
		thief := newBrowser(t, d, there)
		thief.cookies[copied.Name] = &copied
		thief.key = own // even that
		code, _ = thief.socket()
		thief.want("a copied cookie past its time", code, 401)
		time.Sleep(7 * time.Minute)
		delete(known, "ana's")
		v.want("when the token is not known any more", v.login(""), 401)
	})
}

// TestNames checks which user names are refused although the apiserver knows them.
func TestNames(t *testing.T) {
	for name, want := range map[string]int{
		"ana": 200, "ana@example.com": 200, "system:serviceaccount:ns:sa": 200, "Ἀννα": 200, "https://issuer#ana": 200,
		"ana\u202enimda": 403, "ana\u2066x": 403, "a\u200bna": 403, "ana\n": 403, "a\x1b[31mna": 403, "a\u2028na": 403, "ana\xff": 403, "": 403, " ana": 403, "a\u0085na": 403,
	} {
		d := NewToken(public(t), func(context.Context, string, string) (Who, error) { return Who{User: name}, nil })
		v := newBrowser(t, d, there)
		v.want(fmt.Sprintf("%q", name), v.login("token"), want)
	}
}

// TestSessionEnds checks that renewals do not extend a session beyond its end or that of its
// token.
func TestSessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewToken(public(t), func(context.Context, string, string) (Who, error) { return Who{User: "ana"}, nil })
		v := newBrowser(t, d, there)
		v.want("in", v.login("opaque"), 200)
		began := time.Now()
		for v.login("") == http.StatusOK {
			time.Sleep(4 * time.Minute)
		}
		if lasted := time.Since(began); lasted < time.Hour || lasted > time.Hour+4*time.Minute {
			t.Errorf("it lasted %v", lasted)
		}
		end := time.Now().Add(3 * time.Minute)
		v.want("a token that ends", v.login(jwt(end)), 200)
		if _, s := v.socket(); s.Expires.After(end) {
			t.Errorf("the session outlives its token: %v, %v", s.Expires, end)
		}
	})
}

// TestBrought checks that a token in each request works like a pasted one, and overrides it.
func TestBrought(t *testing.T) {
	d := NewToken(public(t), func(_ context.Context, _, token string) (Who, error) { return Who{User: token + "'s"}, nil })
	v := newBrowser(t, d, there)
	v.edit = func(r *http.Request) { r.Header.Set("Authorization", "Bearer ana") }
	v.want("brought", v.login(""), 200)
	if _, s := v.socket(); s.User != "ana's" {
		t.Errorf("%+v", s)
	}
	v.edit = func(r *http.Request) { r.Header.Set("Authorization", "Bearer bob") }
	v.want("another's", v.login(""), 200)
	if _, s := v.socket(); s.User != "bob's" {
		t.Errorf("%+v", s)
	}
}

// TestParts checks that large sessions are split and joined, that a smaller one deletes unused
// parts, and the error for one that is too large.
func TestParts(t *testing.T) {
	d := NewToken(public(t), func(context.Context, string, string) (Who, error) { return Who{User: "ana"}, nil })
	v := newBrowser(t, d, there)
	for _, c := range []struct{ size, cookies int }{{100, 1}, {2500, 1}, {6000, 3}, {8400, 4}, {3000, 2}, {100, 1}} {
		token := strings.Repeat("t", c.size)
		v.want(fmt.Sprint(c.size), v.login(token), 200)
		if _, s := v.socket(); s.Bearer != token {
			t.Errorf("%d: another session comes back", c.size)
		}
		if len(v.cookies) != c.cookies {
			t.Errorf("%d: %d cookies", c.size, len(v.cookies))
		}
		for _, cookie := range v.cookies {
			if len(cookie.Value) > session.MaxCookie {
				t.Errorf("%d: a cookie of %d", c.size, len(cookie.Value))
			}
		}
	}
	w := v.send(d.Login(), http.MethodPost, "/-/login", strings.Repeat("t", 10_000))
	if w.Code != http.StatusInsufficientStorage || !strings.Contains(w.Body.String(), "too large for a browser's cookies") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestContexts checks that a session for one cluster is not valid for another.
func TestContexts(t *testing.T) {
	d := NewToken(public(t), func(_ context.Context, context, _ string) (Who, error) { return Who{User: "ana of " + context}, nil })
	v := newBrowser(t, d, there)
	w := v.send(d.Login(), http.MethodPost, "/-/login?c=one", "token")
	v.want("one", w.Code, 200)
	socket := d.Socket(func(w http.ResponseWriter, _ *http.Request, s session.Session) { _, _ = io.WriteString(w, s.User) })
	if w := v.send(socket, http.MethodGet, "/-/socket?c=one", ""); w.Body.String() != "ana of one" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, other := range []string{"/-/socket", "/-/socket?c=two", "/-/socket?c=ONE"} {
		v.want(other, v.send(socket, http.MethodGet, other, "").Code, 401)
	}
	for name, c := range v.cookies { // nor by its cookie under the other's name
		v.cookies["moved"] = &http.Cookie{Name: d.jar.Name + "-" + session.ShortHash("two"), Value: c.Value}
		delete(v.cookies, name)
		break
	}
	v.want("a renamed cookie", v.send(socket, http.MethodGet, "/-/socket?c=two", "").Code, 401)
}

// testFront checks whose headers are trusted, and which names are accepted.
func testFront(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		front := Front{From: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}, UserHeader: "X-Forwarded-User", GroupHeader: "X-Forwarded-Groups", Log: slog.New(slog.DiscardHandler)}
		if err := front.Validate(); err != nil {
			t.Fatal(err)
		}
		d := NewProxy(public(t), front)
		from := func(peer string, headers ...string) func(*http.Request) {
			return func(r *http.Request) {
				r.RemoteAddr = peer
				for i := 0; i < len(headers); i += 2 {
					r.Header[headers[i]] = append(r.Header[headers[i]], headers[i+1])
				}
			}
		}
		const peer = "10.1.2.3:4"
		for name, c := range map[string]struct {
			edit func(*http.Request)
			code int
		}{
			"the front":             {from(peer, "X-Forwarded-User", "ana"), 200},
			"the front by IPv6":     {from("[fd00::1]:4", "X-Forwarded-User", "ana"), 200},
			"by IPv4 in IPv6":       {from("[::ffff:10.1.2.3]:4", "X-Forwarded-User", "ana"), 200},
			"somebody else":         {from("11.1.2.3:4", "X-Forwarded-User", "ana"), 403},
			"this machine":          {from("127.0.0.1:4", "X-Forwarded-User", "ana"), 403},
			"nobody":                {from(peer), 401},
			"nobody, by a header":   {from(peer, "X-Forwarded-User", ""), 401},
			"two users":             {from(peer, "X-Forwarded-User", "ana", "X-Forwarded-User", "bob"), 403},
			"two users in one":      {from(peer, "X-Forwarded-User", "ana,bob"), 403},
			"two, and a space":      {from(peer, "X-Forwarded-User", "ana, bob"), 403},
			"a comma at the end":    {from(peer, "X-Forwarded-User", "ana,"), 403},
			"with an underscore":    {from(peer, "X_Forwarded_User", "ana"), 401},
			"another case":          {from(peer, "x-forwarded-user", "ana"), 401}, // no server hands it over so
			"the cluster's own":     {from(peer, "X-Forwarded-User", "system:admin"), 403},
			"the same, hidden":      {from(peer, "X-Forwarded-User", "System:kube-controller-manager"), 403},
			"a control character":   {from(peer, "X-Forwarded-User", "ana\x01"), 401},
			"no UTF-8":              {from(peer, "X-Forwarded-User", "ana\xff"), 401},
			"invisible":             {from(peer, "X-Forwarded-User", "a\u200dna"), 401},
			"turned around":         {from(peer, "X-Forwarded-User", "ana\u202egnitset"), 401},
			"two headers of groups": {from(peer, "X-Forwarded-User", "ana", "X-Forwarded-Groups", "dev", "X-Forwarded-Groups", "kubeadm:cluster-admins"), 403},
			"a group turned around": {from(peer, "X-Forwarded-User", "ana", "X-Forwarded-Groups", "\u202edev"), 200}, // it is dropped
			"an address of a proxy": {from("11.1.2.3:4", "X-Forwarded-User", "ana", "X-Forwarded-For", "10.1.2.3", "X-Real-Ip", "10.1.2.3"), 403},
		} {
			v := newBrowser(t, d, there)
			v.edit = c.edit
			v.want(name, v.login(""), c.code)
		}
		v := newBrowser(t, d, there)
		v.edit = from(peer, "X-Forwarded-User", "ana,bob")
		if said := v.send(d.Login(), http.MethodPost, "/-/login", "").Body.String(); !strings.Contains(said, "The X-Forwarded-User header contains a comma") {
			t.Errorf("of two users in one header it says %q", said)
		}
		v.edit = from(peer, "X-Forwarded-User", "ana", "X-Forwarded-Groups", "dev, ops,system:masters,,dev")
		v.want("in", v.login(""), 200)
		code, s := v.socket()
		if v.want("socket", code, 418); s.User != "ana" || strings.Join(s.Groups, "|") != "dev|ops" {
			t.Errorf("%+v", s)
		}
		v.edit = from(peer, "X-Forwarded-User", "ana", "X-Forwarded-Groups", "dev")
		if _, s := v.socket(); strings.Join(s.Groups, "|") != "dev" {
			t.Errorf("groups that are gone count: %q", s.Groups)
		}
		v.edit = from(peer, "X-Forwarded-User", "bob")
		code, _ = v.socket()
		v.want("the cookie of another user", code, 401)
		v.edit = from("11.1.2.3:4")
		code, _ = v.socket()
		v.want("the cookie alone, past the front", code, 403)
	})
}

// TestFrontGroups checks that groups are read only with a GroupHeader, and the effect of a prefix.
func TestFrontGroups(t *testing.T) {
	for name, c := range map[string]struct {
		header, userPrefix, groupPrefix string
		user, groups                    string
	}{
		"no header is named":  {"", "", "", "ana", ""},
		"a header is named":   {"X-Forwarded-Groups", "", "", "ana", "dev|ops"},
		"another is named":    {"X-Groups", "", "", "ana", ""},
		"with prefixes":       {"X-Forwarded-Groups", "sso:", "sso:", "sso:ana", "sso:dev|sso:ops|sso:system:masters"},
		"a prefix of our own": {"X-Forwarded-Groups", "", "system:", "ana", ""},
	} {
		front := Front{From: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, UserHeader: "X-Forwarded-User", GroupHeader: c.header, UserPrefix: c.userPrefix, GroupPrefix: c.groupPrefix, Log: slog.New(slog.DiscardHandler)}
		v := newBrowser(t, NewProxy(public(t), front), there)
		v.edit = func(r *http.Request) {
			r.RemoteAddr = "10.1.2.3:4"
			r.Header.Set("X-Forwarded-User", "ana")
			r.Header.Set("X-Forwarded-Groups", "dev, ops,system:masters")
		}
		v.want(name, v.login(""), 200)
		if _, s := v.socket(); s.User != c.user || strings.Join(s.Groups, "|") != c.groups {
			t.Errorf("%s: %s in %q", name, s.User, s.Groups)
		}
	}
}

// TestFrontLacks checks the errors for incomplete configurations.
func TestFrontLacks(t *testing.T) {
	some := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for name, f := range map[string]Front{
		"nobody to believe": {UserHeader: "X-User"}, "no header": {From: some}, "an underscore": {From: some, UserHeader: "X_User"},
		"an underscore in groups": {From: some, UserHeader: "X-User", GroupHeader: "X_Groups"},
	} {
		if f.Validate() == nil {
			t.Errorf("%s: it will do", name)
		}
	}
}

// TestDestination checks that signing in never leads to another site.
func TestDestination(t *testing.T) {
	o := public(t)
	o.Base = "/k8s"
	d := NewToken(o, nil)
	for to, want := range map[string]string{
		"/k8s/pods?q=a%20b&n=x": "/k8s/pods?q=a%20b&n=x", "/k8s/": "/k8s/",
		"": "/k8s/", "/pods": "/k8s/", "//evil.example/k8s/": "/k8s/", "https://evil.example/k8s/": "/k8s/", "/k8s//evil.example": "/k8s/", "/k8s/%2fevil.example": "/k8s/", "/%2fk8s/": "/k8s/", "/k8s/%5cevil.example": "/k8s/",
		"/k8s/../x": "/k8s/", "/k8s/-/logout": "/k8s/", "/k8s/\\evil.example": "/k8s/", "javascript:alert(1)": "/k8s/", "/k8s/pods#token=x": "/k8s/pods", "/k8s/%0d%0aX: y": "/k8s/%0D%0AX:%20y",
		"/k8s/%2e%2e/x": "/k8s/", "\t//evil.example": "/k8s/",
	} {
		if got := d.destination(to); got != want {
			t.Errorf("%q: %q, want %q", to, got, want)
		}
	}
}

// TestSignIn checks the sign-in page: parameters of its address are shown as text, it runs only
// our own scripts, and it signs nobody in without them.
func TestSignIn(t *testing.T) {
	d := NewToken(public(t), func(context.Context, string, string) (Who, error) { return Who{User: "ana"}, nil })
	v := newBrowser(t, d, there)
	hostile := url.Values{"to": {`/pods?q="><script>alert(1)</script>`}, "c": {`"><img src=x>`}, "why": {"over"}}.Encode()
	w := v.send(d.SignIn(), http.MethodGet, "/-/signin?"+hostile, "")
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "Your session has ended") || strings.Contains(body, "<script>") || strings.Contains(body, "<img src=x") {
		t.Errorf("%d %s", w.Code, body)
	}
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self';") || !strings.Contains(csp, "form-action 'none'") || !strings.Contains(csp, "trusted-types 'none'") {
		t.Error(csp)
	}
	form := url.Values{"token": {"good"}, "to": {"/pods"}, "key": {v.key.Public()}}.Encode()
	w = v.send(d.SignIn(), http.MethodPost, "/-/signin", form)
	if w.Code != http.StatusNotFound || len(w.Result().Cookies()) > 0 {
		t.Errorf("a form signs in: %d %v", w.Code, w.Header())
	}
	v.edit = func(r *http.Request) { r.Host = "evil.example" }
	v.want("another host", v.send(d.SignIn(), http.MethodGet, "/-/signin", "").Code, 421)
}

// TestWhose checks what a session is bound to besides its key.
func TestWhose(t *testing.T) {
	o := public(t)
	server := "https://one"
	o.Place = func(*http.Request) session.Place { return session.Place{Context: "prod", Server: server} }
	d := NewToken(o, func(_ context.Context, _, token string) (Who, error) { return Who{User: token + "'s"}, nil })
	v := newBrowser(t, d, there)
	v.want("in", v.login("ana"), 200)
	v.edit = func(r *http.Request) { r.Header.Set("Authorization", "Bearer bob") }
	code, _ := v.socket()
	v.want("a front that brings another's token", code, 401)
	v.edit = func(r *http.Request) { r.Header.Set("Authorization", "Bearer ana") }
	code, _ = v.socket()
	v.want("a front that brings the same", code, 418)
	v.edit = func(*http.Request) {}
	server = "https://two"
	code, _ = v.socket()
	v.want("the context's name, and another cluster", code, 401)
}

// TestLink checks that somebody else's link signs nobody in.
func TestLink(t *testing.T) {
	d := NewToken(public(t), func(_ context.Context, _, token string) (Who, error) { return Who{User: token + "'s"}, nil })
	v := newBrowser(t, d, there)
	v.edit = func(r *http.Request) { r.Header.Set(launchHeader, "1") }
	v.want("#token=mallory", v.login("mallory"), 401)
	v.edit = func(*http.Request) {}
	v.want("in", v.login("ana"), 200)
	v.edit = func(r *http.Request) { r.Header.Set(launchHeader, "1") }
	v.want("the same, signed in", v.login("mallory"), 200)
	if _, s := v.socket(); s.User != "ana's" {
		t.Errorf("it is %s", s.User)
	}
}
