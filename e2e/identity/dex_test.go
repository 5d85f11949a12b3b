package identity

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/e2e/tools"
)

// The users of Dex, who have one password: ada signs in at Watchglass, and ben at oauth2-proxy.
const (
	ada         = "ada@example.com"
	ben         = "ben@example.com"
	dexPassword = "password"
)

// idTokensFor is how long Dex's ID tokens are valid. A page of Watchglass has to be there before its first one expires.
const idTokensFor = 15 * time.Second

// dexConfig has refresh tokens that can be used once and don't expire: on a slow machine they could expire
// before they are used.
const dexConfig = `
issuer: %s
storage: {type: memory}
web: {http: %q}
oauth2: {skipApprovalScreen: true, passwordConnector: local}
expiry: {idTokens: %s}
staticClients:
- {id: watchglass, name: Watchglass, secret: %[4]s, redirectURIs: [%[5]q]}
- {id: oauth2-proxy, name: oauth2-proxy, secret: %[4]s, redirectURIs: [%[6]q]}
enablePasswordDB: true
staticPasswords:
- {email: ada@example.com, username: ada, userID: "1", hash: &hash $2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W}
- {email: ben@example.com, username: ben, userID: "2", hash: *hash}
`

const dexSecret = "secret-of-a-client"

func dexIssuer() string { return dex.URL + "/dex" }

// startDex runs the real Dex behind its ingress, with the addresses to which its clients are sent back.
func startDex(t *testing.T, watchglass, oauth2Proxy string) {
	t.Helper()
	binary, err := tools.Build(t.Context(), "dex")
	must(t, err)
	listen, config := stage.FreePort(t), filepath.Join(t.TempDir(), "dex.yaml")
	must(t, os.WriteFile(config, fmt.Appendf(nil, dexConfig, dexIssuer(), listen, idTokensFor, dexSecret, watchglass, oauth2Proxy), 0o600))
	stage.Run(t, exec.Command(binary, "serve", config), "http://"+listen+"/dex/healthz")
	dex.before(t, "http://"+listen)
}

// awaitDexKnown waits until the apiserver accepts Dex's ID tokens: it looks every 10 s for a provider
// that did not answer.
func awaitDexKnown(t *testing.T) {
	t.Helper()
	var token string
	var asked time.Time
	stage.WaitFor(t, "the apiserver accepts Dex's ID tokens", func() bool {
		if time.Since(asked) > 5*time.Second {
			token, asked = dexToken(t), time.Now()
		}
		config := rest.AnonymousClientConfig(stage.Cluster.Config())
		config.BearerToken = token
		client, err := kubernetes.NewForConfig(config)
		must(t, err)
		who, err := client.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		return err == nil && who.Status.UserInfo.Username == "dex:"+ada
	})
}

// dexToken returns an ID token of ada.
func dexToken(t *testing.T) string {
	t.Helper()
	form := url.Values{"grant_type": {"password"}, "username": {ada}, "password": {dexPassword}, "scope": {"openid email"}, "client_id": {"watchglass"}, "client_secret": {dexSecret}}
	resp, err := dex.Client().PostForm(dexIssuer()+"/token", form)
	must(t, err)
	defer resp.Body.Close()
	var answer struct {
		ID string `json:"id_token"`
	}
	must(t, json.NewDecoder(resp.Body).Decode(&answer))
	if answer.ID == "" {
		t.Fatalf("Dex answered %s without an ID token", resp.Status)
	}
	return answer.ID
}

// atDex signs in on Dex's own page.
func (e eyes) atDex(user string) {
	e.T.Helper()
	e.Says("h2", "Log in to Your Account")
	e.Await(`document.readyState === "complete"`)
	e.Must(e.Type("#login", user))
	e.Must(e.Type("#password", dexPassword))
	e.Press("\r")
}

// atDexByOAuth2Proxy is the same for oauth2-proxy, which has Dex ask for the user's consent each time.
func (e eyes) atDexByOAuth2Proxy(user string) {
	e.T.Helper()
	e.atDex(user)
	e.Says("h2", "Grant Access")
	e.Await(`document.readyState === "complete"`)
	stage.Eval[bool](e, `document.querySelector("button[type=submit]").focus(), true`) // a click could miss it, when a style sheet comes late
	e.Press("\r")
}

// notesStates makes a page note each change of its list's state, and when.
const notesStates = `globalThis.states = [], new MutationObserver(() => states.push([document.documentElement.dataset.state, Math.round(performance.now())]))
	.observe(document.documentElement, { attributeFilter: ["data-state"] }), true`

// undisturbed checks that the page that notes its states was not left and lost nothing. A renewal
// reconnects, so the list may be stale for a moment. It is live then, and so is one that is opened now.
func (e eyes) undisturbed(fresh string) {
	e.T.Helper()
	must(e.T, configMap(e.T.Context(), "green", fresh))
	e.sees(fresh)
	e.AwaitState("live")
	if stage.Now[bool](e, `!globalThis.states || states.some(([state]) => state !== "live" && state !== "stale")`) {
		e.T.Errorf("the page was left, or its list was gone: %s", stage.Eval[string](e, `JSON.stringify(globalThis.states ?? null)`))
	}
	e.T.Logf("the list was stale for %s ms", stage.Eval[string](e, `states.flatMap(([state, at], i) => state === "live" && states[i-1]?.[0] === "stale" ? [at - states[i-1][1]] : []).join(", ")`))
	e.AwaitSource(func(s stage.Source) bool { return s.Relists == 0 }) // a refresh does not list anew
	e.GoTo("/namespaces")
	e.Await(`watchglass.rows({offset: 0, limit: 1e6}).then(r => r.rows.some(r => r.key === "green"))`)
	e.AwaitState("live")
}

// outlives waits until the session of a client that has just signed in was refreshed after its first ID token had
// expired, and checks that nothing was lost.
func (e eyes) outlives(id, fresh string) {
	e.T.Helper()
	stage.Eval[bool](e, notesStates)
	stage.WaitFor(e.T, "a refresh after the first ID token has expired", func() bool { c := dex.client(id); return c.expires > 0 && c.renewed >= c.expires })
	e.undisturbed(fresh)
}

// refused has Dex refuse a client's next refresh, which somebody else has used before, and waits until the page says that
// the session has ended.
func (e eyes) refused(id, in string, says ...string) {
	e.T.Helper()
	before := dex.client(id).refused
	dex.update(id, func(c *client) { c.stolen = true })
	defer dex.update(id, func(c *client) { c.stolen = false })
	e.Says(in, says...)
	if dex.client(id).refused == before {
		e.T.Error("the session has ended, but Dex has not refused a refresh")
	}
}

// TestDex signs users in at the real Dex, and follows them until it refuses to refresh their sessions.
func TestDex(t *testing.T) {
	listen, front := stage.FreePort(t), newIngress()
	t.Cleanup(front.Close)
	startDex(t, "http://"+listen+"/-/callback", front.URL+"/oauth2/callback")
	t.Run("Watchglass", func(t *testing.T) {
		t.Parallel()
		testDex(t, listen)
	})
	t.Run("oauth2-proxy", func(t *testing.T) {
		t.Parallel()
		testOAuth2Proxy(t, front)
	})
}

// testDex has the apiserver accept Dex's ID tokens. They are refreshed without the user. When a refresh
// is refused, the page says so, and the user signs in again and out.
func testDex(t *testing.T, listen string) {
	awaitDexKnown(t)
	dir := t.TempDir()
	ca, secret := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "client-secret")
	must(t, os.WriteFile(ca, dex.ca(), 0o600))
	must(t, os.WriteFile(secret, []byte(dexSecret), 0o600))
	p := stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig(t, gate), Listen: listen, Args: []string{
		"--auth", "oidc", "--public-url", "http://" + listen, "--oidc-issuer-url", dexIssuer(), "--oidc-ca-file", ca,
		"--oidc-client-id", "watchglass", "--oidc-client-secret-file", secret, "--revoke-within", "4s",
	}})
	e := person(t)
	e.Must(e.Open(p.At("/configmaps?q=of")))
	e.atDex(ada)
	e.sees("of-green")
	e.Says("#who", "as dex:"+ada)
	e.at("/configmaps?q=of")
	e.AwaitState("live")
	e.outlives("watchglass", "of-dex")
	e.refused("watchglass", "main", "Your session has ended", "Sign in with "+host(t, dexIssuer()))
	e.Keep("over")
	e.Must(e.Click("main button"))
	e.atDex(ada)
	e.Says("#who", "as dex:"+ada)
	e.at("/namespaces")
	e.SignOut()
	e.Says("main", "You have signed out", "Sign in with "+host(t, dexIssuer()))
	e.Keep("out")
	// Dex ends no session at a client's request: it has neither endpoint. It keeps none in the browser either.
	for _, name := range []string{"end_session_endpoint", "revocation_endpoint"} {
		if dexOffers(t, name) {
			t.Errorf("Dex has an %s now: check that it is used, and correct SECURITY.md", name)
		}
	}
	e.Must(e.Click("main button"))
	e.Says("h2", "Log in to Your Account")
}

// at waits until the page has an address.
func (e eyes) at(want string) {
	e.T.Helper()
	stage.Is(e, "location.pathname + location.search", want)
}

// dexOffers reports whether Dex's discovery document has an entry.
func dexOffers(t *testing.T, name string) bool {
	t.Helper()
	resp, err := dex.Client().Get(dexIssuer() + "/.well-known/openid-configuration")
	must(t, err)
	defer resp.Body.Close()
	var doc map[string]any
	must(t, json.NewDecoder(resp.Body).Decode(&doc))
	if doc["issuer"] != dexIssuer() {
		t.Fatalf("the discovery document is %v", doc)
	}
	return doc[name] != nil
}

// testOAuth2Proxy runs the real oauth2-proxy as proxy/deploy/values has it. It refreshes its session at Dex
// without the user. When a refresh is refused, the user signs in again at Dex, and continues.
func testOAuth2Proxy(t *testing.T, front *ingress) {
	const sessionFor, refreshedAfter = "6s", "3s"
	p := serve(t, gate, front.URL, "--auth", "proxy", "--front-cidr", "127.0.0.1/32", "--front-user-header", "X-Forwarded-Email", "--front-user-prefix", "sso:",
		"--front-group-header", "X-Forwarded-Groups", "--front-group-prefix", "sso:", "--session", sessionFor)
	listen := stage.FreePort(t)
	startOAuth2Proxy(t, listen, map[string]string{
		"https://sso.example.com": dexIssuer(), "https://watchglass.example.com": front.URL, "0.0.0.0:4180": listen, "127.0.0.1:7117": strings.TrimPrefix(p.Origin(), "http://"),
		"--cookie-refresh=10m": "--cookie-refresh=" + refreshedAfter, "email profile groups": "email profile groups offline_access",
	})
	front.before(t, "http://"+listen)

	e := person(t)
	e.Must(e.Open(front.URL + "/configmaps?q=of"))
	e.atDexByOAuth2Proxy(ben)
	e.sees("of-green")
	e.Says("#who", "as sso:"+ben)
	e.at("/configmaps?q=of")
	e.AwaitState("live")
	e.outlives("oauth2-proxy", "of-oauth2-proxy")
	e.refused("oauth2-proxy", "h2", "Log in to Your Account")
	e.again()

	// Signing out at oauth2-proxy, in another tab, ends the session in all.
	beside := e.beside()
	beside.Must(beside.Open(front.URL + "/oauth2/sign_out"))
	for _, tab := range []eyes{beside, e} {
		tab.Says("h2", "Log in to Your Account")
	}
	e.again()
	e.SignOut()
	e.Says("main", "You have signed out", "Open Watchglass again")
	e.Keep("out")
}

// again signs in again at Dex, after oauth2-proxy's session has ended, and continues at the same list.
func (e eyes) again() {
	e.T.Helper()
	e.atDexByOAuth2Proxy(ben)
	e.Says("main", "Your session has ended", "Open Watchglass again")
	e.Keep("over")
	e.Must(e.Click("main a"))
	e.Says("#who", "as sso:"+ben)
	e.AwaitState("live")
	e.at("/namespaces")
}

// startOAuth2Proxy runs it with the shipped arguments, in which texts are replaced.
func startOAuth2Proxy(t *testing.T, listen string, replace map[string]string) {
	t.Helper()
	binary, err := tools.Build(t.Context(), "oauth2-proxy")
	must(t, err)
	doc, err := os.ReadFile("../../proxy/deploy/values/oauth2-proxy.yaml")
	must(t, err)
	var values struct {
		Proxy struct{ Sidecar struct{ Args []string } }
	}
	must(t, yaml.Unmarshal(doc, &values))
	args := strings.Join(values.Proxy.Sidecar.Args, "\n")
	for old, text := range replace {
		if !strings.Contains(args, old) {
			t.Fatalf("%s is not in the shipped arguments:\n%s", old, args)
		}
		args = strings.ReplaceAll(args, old, text)
	}
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.crt")
	must(t, os.WriteFile(ca, dex.ca(), 0o600))
	cmd := exec.Command(binary, append(strings.Split(args, "\n"), "--provider-ca-file="+ca)...)
	cmd.Env = []string{"HOME=" + dir, "OAUTH2_PROXY_CLIENT_ID=oauth2-proxy", "OAUTH2_PROXY_CLIENT_SECRET=" + dexSecret, "OAUTH2_PROXY_COOKIE_SECRET=0123456789abcdefghijklmnopqrstuv"}
	stage.Run(t, cmd, "http://"+listen+"/ping")
}
