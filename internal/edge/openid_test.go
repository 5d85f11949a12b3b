//go:build !js

package edge

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/limit"
	"watchglass/internal/edge/oidc"
	"watchglass/internal/edge/oidc/oidctest"
	"watchglass/internal/edge/session"
)

// newOpenIDMode returns the authenticator of oidc mode and its provider.
func newOpenIDMode(t *testing.T, impersonate bool, verify Verify) (*Authenticator, *oidctest.Provider) {
	t.Helper()
	at := oidctest.New(oidctest.Options{Settings: oidctest.Settings{Redirects: []string{there + "/-/callback"}, IDFor: time.Hour, RefreshFor: time.Hour, CodeFor: time.Minute}})
	t.Cleanup(at.Close)
	at.Set(oidctest.User{Subject: "1", Email: "ana@example.com", Groups: []string{"dev", "system:masters"}})
	p, err := oidc.New(oidc.Options{Issuer: at.Issuer(), ClientID: "watchglass", Redirect: there + "/-/callback", UsernameClaim: "email", GroupsPrefix: ""})
	if err != nil {
		t.Fatal(err)
	}
	if impersonate {
		verify = nil
	}
	return NewOpenID(public(t), p, verify, there+"/-/signin?why=out", slog.New(slog.DiscardHandler)), at
}

// begin requests the provider's address as the page does.
func (v *browser) begin(to string) (address string, w *httptest.ResponseRecorder) {
	v.t.Helper()
	w = v.send(v.auth.SignIn(), http.MethodPost, "/-/signin?"+url.Values{"to": {to}}.Encode(), "")
	var answer struct{ To string }
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			v.t.Fatal(err)
		}
	}
	return answer.To, w
}

// provided returns the address at which the provider sends the browser back.
func (v *browser) provided(address string) (query string) {
	v.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(address)
	if err != nil {
		v.t.Fatal(err)
	}
	resp.Body.Close()
	back, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), there+"/-/callback?") {
		v.t.Fatalf("the provider sent the browser to %q", resp.Header.Get("Location"))
	}
	return back.RawQuery
}

// signIn signs a browser in at the provider, and returns the last response.
func (v *browser) signIn(to string) *httptest.ResponseRecorder {
	v.t.Helper()
	address, w := v.begin(to)
	if w.Code != http.StatusOK {
		return w
	}
	return v.send(v.auth.Callback(), http.MethodPost, "/-/callback?"+v.provided(address), "")
}

// sent returns the address in a response.
func sent(w *httptest.ResponseRecorder) string {
	var answer struct{ To string }
	_ = json.Unmarshal(w.Body.Bytes(), &answer) // none: nowhere
	return answer.To
}

// age makes a browser's session old enough to be due.
func (v *browser) age() {
	v.t.Helper()
	_, s := v.socket()
	s.Made = s.Made.Add(-time.Hour)
	w := httptest.NewRecorder()
	if err := v.auth.jar.Write(w, httptest.NewRequest(http.MethodGet, "/", nil), session.Place{Server: "https://"}, s, time.Now()); err != nil {
		v.t.Fatal(err)
	}
	for _, c := range w.Result().Cookies() {
		v.cookies[c.Name] = c
	}
}

// TestOpenID goes to the provider and back, renews, and signs out.
func TestOpenID(t *testing.T) {
	var seen []string
	d, at := newOpenIDMode(t, false, func(_ context.Context, _, token string) (Who, error) {
		seen = append(seen, token)
		return Who{User: "oidc:ana", Groups: []string{"dev"}}, nil
	})
	v := newBrowser(t, d, there)
	v.want("nobody", v.login(""), 401)
	w := v.signIn("/pods?q=x")
	if w.Code != http.StatusOK || sent(w) != "/pods?q=x" || len(v.cookies) != 1 {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	own := v.key
	v.key = edgetest.NewKey()
	v.want("with another key", v.login(""), 401)
	v.key = own
	v.want("in", v.login(""), 200)
	code, s := v.socket()
	if v.want("socket", code, 418); s.User != "oidc:ana" || s.Bearer == "" || s.Bearer != seen[0] || s.Refresh == "" {
		t.Errorf("%+v", s)
	}
	asked := at.Asked("/token")
	v.want("before it is due", v.login(""), 200)
	if at.Asked("/token") != asked {
		t.Error("the provider was asked before it was due")
	}
	v.age()
	v.want("renewed", v.login(""), 200)
	_, next := v.socket()
	if next.ID != s.ID || next.Bearer == s.Bearer || next.Refresh == s.Refresh || next.Key != own.Public() {
		t.Error("it was not renewed")
	}
	v.age()
	at.Change(func(s *oidctest.Settings) { s.Down = true })
	v.want("while the provider is away", v.login(""), 502)
	at.Change(func(s *oidctest.Settings) { s.Down = false })
	v.want("when it is back", v.login(""), 200)
	ctx, entered, err := d.o.Sessions.Enter(t.Context(), next)
	if err != nil {
		t.Fatal(err)
	}
	defer d.o.Sessions.Leave(entered)
	w = v.send(d.Logout(), http.MethodPost, "/-/logout", "")
	if w.Code != 200 || len(v.cookies) != 0 || !strings.Contains(w.Body.String(), at.Issuer()) || strings.Contains(w.Body.String(), "id_token") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if <-ctx.Done(); !errors.Is(context.Cause(ctx), session.SignedOut) {
		t.Error(context.Cause(ctx))
	}
	if at.Asked("/revoke") != 1 {
		t.Error("the provider was not told")
	}
}

// TestOpenIDAnother checks that a browser's pages end when another user signs in, and continue
// when the same user does.
func TestOpenIDAnother(t *testing.T) {
	d, at := newOpenIDMode(t, true, nil)
	at.Set(oidctest.User{Subject: "2", Email: "bob@example.com"})
	v := newBrowser(t, d, there)
	v.signIn("/")
	_, ana := v.socket()
	ctx, entered, err := d.o.Sessions.Enter(t.Context(), ana)
	if err != nil {
		t.Fatal(err)
	}
	defer d.o.Sessions.Leave(entered)
	v.signIn("/")
	if ctx.Err() != nil {
		t.Errorf("who signs in again ends pages of theirs: %v", context.Cause(ctx))
	}
	_, ana = v.socket()
	ctx, another, err := d.o.Sessions.Enter(t.Context(), ana)
	if err != nil {
		t.Fatal(err)
	}
	defer d.o.Sessions.Leave(another)
	at.Change(func(s *oidctest.Settings) { s.SignIn = "2" })
	v.signIn("/")
	if _, s := v.socket(); s.User != "bob@example.com" {
		t.Fatalf("%+v", s)
	}
	if !errors.Is(context.Cause(ctx), session.Over) {
		t.Errorf("ana's page goes on where bob has signed in: %v", context.Cause(ctx))
	}
}

// TestOpenIDImpersonates checks who is impersonated, and that the provider can end the session.
func TestOpenIDImpersonates(t *testing.T) {
	d, at := newOpenIDMode(t, true, nil)
	v := newBrowser(t, d, there)
	v.signIn("/")
	code, s := v.socket()
	if v.want("socket", code, 418); s.User != "ana@example.com" || strings.Join(s.Groups, ",") != "dev" || s.Bearer != "" {
		t.Errorf("%+v", s)
	}
	at.Set(oidctest.User{Subject: "1", Email: "ana@example.com", Disabled: true})
	v.age()
	v.want("disabled", v.login(""), 401)
}

// TestOpenIDRefused checks the errors of refused sign-ins.
func TestOpenIDRefused(t *testing.T) {
	unknown := func(context.Context, string, string) (Who, error) { return Who{}, ErrUnknown }
	for name, c := range map[string]struct {
		change func(*oidctest.Settings)
		user   string
		verify Verify
		code   int
		want   string
	}{
		"the provider says no":       {func(s *oidctest.Settings) { s.Deny, s.DenyWords = "access_denied", "ask <b>Eve</b>" }, "", nil, 401, "ask <b>Eve"},
		"the apiserver does not":     {nil, "", unknown, 403, "--oidc-impersonate"},
		"a name of the cluster's":    {nil, "system:admin@example.com", nil, 403, "cannot sign in as"},
		"the provider has gone away": {func(s *oidctest.Settings) { s.Down = true }, "", nil, 502, "provider"},
	} {
		d, at := newOpenIDMode(t, c.verify == nil, c.verify)
		if c.change != nil {
			at.Change(c.change)
		}
		if c.user != "" {
			at.Set(oidctest.User{Subject: "1", Email: c.user})
		}
		v := newBrowser(t, d, there)
		w := v.signIn("/")
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) || v.cookies["__Host-watchglass"] != nil {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	d, _ := newOpenIDMode(t, true, nil)
	v := newBrowser(t, d, there)
	for name, query := range map[string]string{"nothing begun": "code=x&state=y", "nothing": ""} {
		if w := v.send(d.Callback(), http.MethodPost, "/-/callback?"+query, ""); w.Code != 400 || !strings.Contains(w.Body.String(), "Sign in again") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	address, _ := v.begin("/")
	state, _ := url.Parse(address)
	for range 3 * limit.SignInBurst { // what anybody can write into an address costs nobody's sign-ins
		began := maps.Clone(v.cookies)
		v.send(d.Callback(), http.MethodPost, "/-/callback?error=server_error&state="+url.QueryEscape(state.Query().Get("state")), "")
		v.cookies = began
	}
	if w := newBrowser(t, d, there).signIn("/"); w.Code != 200 {
		t.Errorf("after errors that no provider said: %d %s", w.Code, w.Body)
	}
	v.cookies["p"] = &http.Cookie{Name: "__Host-watchglass-pending-" + session.ShortHash("y"), Value: "planted"}
	v.want("a planted cookie", v.send(d.Callback(), http.MethodPost, "/-/callback?code=x&state=y", "").Code, 400)
	local := NewLocal(listen, "t", Options{Key: session.NewKey(), Hosts: NewHosts(listen)})
	v.want("in another mode", newBrowser(t, local, here).send(local.Callback(), http.MethodGet, "/-/callback", "").Code, 404)
}

// TestOpenIDTwice signs in in two tabs of one browser at the same time.
func TestOpenIDTwice(t *testing.T) {
	d, _ := newOpenIDMode(t, true, nil)
	v := newBrowser(t, d, there)
	var back []string
	for range 2 {
		address, _ := v.begin("/pods")
		back = append(back, "/-/callback?"+v.provided(address))
	}
	for _, target := range back {
		v.want("each", v.send(d.Callback(), http.MethodPost, target, "").Code, 200)
	}
	v.want("the same again", v.send(d.Callback(), http.MethodPost, back[0], "").Code, 400)
}

// TestOpenIDPlanted plants the cookie of an attacker's sign-in in a victim's browser, by a page on
// another port of the host, and sends that browser to the provider. The victim's session must not
// be bound to the attacker's key.
func TestOpenIDPlanted(t *testing.T) {
	d, _ := newOpenIDMode(t, true, nil)
	mallory, ana := newBrowser(t, d, there), newBrowser(t, d, there)
	address, _ := mallory.begin("/pods")
	for name, c := range mallory.cookies {
		ana.cookies[name] = c
	}
	query := ana.provided(address)
	w := ana.send(d.Callback(), http.MethodPost, "/-/callback?"+query, "")
	if w.Code != http.StatusBadRequest || ana.cookies["__Host-watchglass"] != nil {
		t.Errorf("it is bound to a key of somebody else's: %d %s", w.Code, w.Body)
	}
	w = ana.send(d.Callback(), http.MethodGet, "/-/callback?"+query, "")
	if w.Code != http.StatusOK || len(w.Result().Cookies()) > 0 {
		t.Errorf("the page signs in by itself: %d %v", w.Code, w.Header())
	}
}

// TestPending checks the limits of a browser's cookies while it is at the provider: a view that is
// too long is left out, and so are sign-ins beyond the limit.
func TestPending(t *testing.T) {
	d, _ := newOpenIDMode(t, true, nil)
	v := newBrowser(t, d, there)
	w := v.signIn("/pods?q=" + strings.Repeat("x", 100_000))
	if w.Code != http.StatusOK || sent(w) != "/" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = v.send(d.SignIn(), http.MethodPost, "/-/signin?c="+strings.Repeat("x", 100_000), "")
	if w.Code != http.StatusRequestURITooLong || len(w.Result().Cookies()) > 0 {
		t.Errorf("%d %.100v", w.Code, w.Header())
	}
	for range 20 {
		v.begin("/pods?q=" + strings.Repeat("x", 2000))
	}
	size, n := 0, 0
	for name, c := range v.cookies {
		if strings.Contains(name, "-pending-") {
			n++
			size += len(name) + len(c.Value)
		}
	}
	if n == 0 || n > mostPending || size > mostPending*4096 {
		t.Errorf("%d cookies of %d bytes", n, size)
	}
}

// TestOpenIDSpent checks that a new refresh token is kept even if the renewal fails, since using
// the old one again would end the session.
func TestOpenIDSpent(t *testing.T) {
	var away error
	d, at := newOpenIDMode(t, false, func(context.Context, string, string) (Who, error) { return Who{User: "ana"}, away })
	v := newBrowser(t, d, there)
	v.signIn("/")
	for range 2 { // the second time with what was kept the first
		v.age()
		_, before := v.socket()
		away = errors.New("the apiserver does not answer")
		v.want("while the apiserver is away", v.login(""), 502)
		if _, after := v.socket(); after.Refresh == before.Refresh || after.Bearer != before.Bearer {
			t.Errorf("the new refresh token is not kept: %+v", after)
		}
		away = nil
		v.want("when it is back", v.login(""), 200)
	}
	v.age()
	_, before := v.socket()
	at.Change(func(s *oidctest.Settings) {
		s.Instead = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/keys" {
				http.Error(w, "not now", http.StatusInternalServerError)
			}
			return r.URL.Path == "/keys"
		}
	})
	at.Rotate()
	v.want("while its keys are not to be had", v.login(""), 502)
	_, after := v.socket()
	if after.Refresh == before.Refresh || after.ID != before.ID || !after.Made.Equal(before.Made) {
		t.Errorf("the new refresh token is not kept: %+v", after)
	}
	at.Change(func(s *oidctest.Settings) { s.Instead = nil })
	v.want("then", v.login(""), 200)
}
