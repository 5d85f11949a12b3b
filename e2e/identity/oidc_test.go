package identity

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/edge/oidc/oidctest"
)

// withOIDC serves users of the provider.
func withOIDC(t *testing.T, as cluster.User, args ...string) *proxy.Proxy {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "provider.pem")
	must(t, os.WriteFile(ca, provider.CA(), 0o600))
	p := serve(t, as, "", append([]string{"--auth", "oidc", "--oidc-issuer-url", provider.Issuer(), "--oidc-client-id", "watchglass", "--oidc-ca-file", ca}, args...)...)
	provider.Change(func(s *oidctest.Settings) { s.Redirects = append(s.Redirects, p.Origin()+"/-/callback") })
	return p
}

// signedInAs makes a user of the provider the one who signs in, until the test ends.
func signedInAs(t *testing.T, u oidctest.User) {
	provider.Set(u)
	provider.Change(func(s *oidctest.Settings) { s.SignIn = u.Subject })
}

// TestOIDC goes to the provider and back, and is who the apiserver's own authenticator
// says; the session goes on without the person, and ends in all tabs when the provider
// says so.
func TestOIDC(t *testing.T) {
	ana := oidctest.User{Subject: "ana", Email: "ana@example.com", Groups: []string{"dev"}}
	signedInAs(t, ana)
	p := withOIDC(t, gate, "--session", "12s")
	e := person(t)
	e.Must(e.Open(p.At("/configmaps?q=of")))
	e.sees("of-green")
	e.Says("#who", "as oidc:ana@example.com")
	e.at("/configmaps?q=of")
	beside := e.beside()
	beside.Must(beside.Open(p.At("/configmaps")))
	beside.sees("of-green")
	// Two tabs, one session: it is renewed once each time, and both learn of it.
	before := provider.Asked("/token")
	renewed := `JSON.parse(localStorage.getItem(Object.keys(localStorage).find(k => k.includes("session")))).at`
	at := stage.Eval[float64](e, renewed)
	for range 2 {
		e.Await(renewed + " > " + jsNumber(at))
		at = stage.Eval[float64](e, renewed)
	}
	if asked := provider.Asked("/token") - before; asked < 2 || asked > 3 {
		t.Errorf("two renewals by two tabs asked the provider %d times", asked)
	}
	must(t, configMap(t.Context(), "green", "of-renewal"))
	for _, tab := range []eyes{e, beside} {
		tab.sees("of-renewal")
		tab.AwaitSource(func(s stage.Source) bool { return s.Relists == 0 }) // a renewal does not list anew
	}
	ana.Disabled = true
	signedInAs(t, ana)
	for _, tab := range []eyes{e, beside} {
		tab.Says("main", "Your session has ended", "Sign in with "+host(t, provider.Issuer()))
	}
	e.Keep("over")
}

// TestOIDCTwoNames checks two tabs that name the default context differently, and have one cookie: both go on after
// renewals, though the provider ends a session whose refresh token is used twice.
func TestOIDCTwoNames(t *testing.T) {
	signedInAs(t, oidctest.User{Subject: "ana", Email: "ana@example.com", Groups: []string{"dev"}})
	p := withOIDC(t, gate, "--session", "12s")
	e := person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.sees("of-green")
	stage.Eval[bool](e, `localStorage["watchglass:contexts:"] = '["shop"]', true`) // it is not asked whether to open it
	beside := e.beside()
	beside.Must(beside.Open(p.At("/configmaps?c=shop")))
	beside.sees("of-green")
	before := provider.Asked("/token")
	renewed := `Math.min(...["", "shop"].map(name => JSON.parse(localStorage["watchglass:session::" + name]).at))`
	for range 2 {
		e.Await(renewed + " > " + jsNumber(stage.Eval[float64](e, renewed)))
	}
	if asked := provider.Asked("/token") - before; asked < 1 || asked > 3 {
		t.Errorf("two renewals by two tabs asked the provider %d times", asked)
	}
	must(t, configMap(t.Context(), "green", "of-two-names"))
	for _, tab := range []eyes{e, beside} {
		tab.sees("of-two-names")
	}
}

func host(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	return u.Host
}

// TestOIDCImpersonates shows users of a provider that the apiserver need not know: they
// are impersonated, and cannot be who the cluster itself is.
func TestOIDCImpersonates(t *testing.T) {
	p := withOIDC(t, gate, "--oidc-impersonate", "--oidc-username-claim", "email", "--oidc-groups-prefix", "oidc:")
	signedInAs(t, oidctest.User{Subject: "ben", Email: "ben@example.com", Groups: []string{"dev"}})
	e := person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.sees("of-green")
	e.Says("#who", "as ben@example.com")
	signedInAs(t, oidctest.User{Subject: "mallory", Email: "system:admin", Groups: []string{"dev"}})
	m := person(t)
	m.Must(m.Open(p.At("/configmaps")))
	m.Says("[role=alert]", `annot sign in as "system:admin"`)
	m.Keep("reserved")
}

// TestOIDCNot shows what somebody sees whom the provider does not let in, and what who
// is let in and has no rights.
func TestOIDCNot(t *testing.T) {
	p := withOIDC(t, gate)
	signedInAs(t, oidctest.User{Subject: "eve", Email: "eve@example.com"})
	e := person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.AwaitState("denied")
	e.Says(".panel", "oidc:eve@example.com")
	provider.Change(func(s *oidctest.Settings) { s.Deny = "access_denied" })
	defer provider.Change(func(s *oidctest.Settings) { s.Deny = "" })
	m := person(t)
	m.Must(m.Open(p.At("/configmaps")))
	m.Says("[role=alert]", "access_denied")
	m.Keep("refused")
}
