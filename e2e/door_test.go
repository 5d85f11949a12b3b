package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/edge/edgetest"
)

// knock is a request that a person, a script or an attacker may send.
type knock struct {
	name   string
	method string // default: GET
	path   string
	host   string
	origin string
	cookie string
	body   string
	code   int
}

// TestDoor knocks in every way at the proxy as it is started by default.
func TestDoor(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	cookie := login(t, p)
	for _, k := range []knock{
		{name: "the page", path: "/pods", code: 200},
		{name: "the page by another name", path: "/pods", host: "rebound.example:" + p.Port(), code: 421},
		{name: "the page at another port", path: "/pods", host: "127.0.0.1:1", code: 421},
		{name: "the page by localhost", path: "/pods", host: "localhost:" + p.Port(), code: 200},
		{name: "a write to the page", method: http.MethodPost, path: "/pods", code: 405},
		{name: "no file of ours", path: "/-/files/..%2f..%2fgo.mod", code: 404},
		{name: "no such file", path: "/-/files/passwd", code: 404},
		{name: "no path of the apiserver's", path: "/api/v1/pods", code: 404},
		{name: "no robots.txt of go-app's", path: "/-/robots.txt", code: 404},
		{name: "alive", path: "/-/livez", code: 200},
		{name: "the socket, from nowhere", path: "/-/socket", cookie: cookie, code: 403},
		{name: "the socket, from another page", path: "/-/socket", cookie: cookie, origin: "http://evil.example", code: 403},
		{name: "the socket, from another port", path: "/-/socket", cookie: cookie, origin: "http://127.0.0.1:1", code: 403},
		{name: "the socket, from a file", path: "/-/socket", cookie: cookie, origin: "null", code: 403},
		{name: "the socket, by another name", path: "/-/socket", cookie: cookie, host: "rebound.example:" + p.Port(), origin: "http://rebound.example:" + p.Port(), code: 421},
		{name: "the socket, by nobody", path: "/-/socket", origin: p.Origin(), code: 401},
		{name: "the socket, with a forged cookie", path: "/-/socket", origin: p.Origin(), cookie: cookie[:len(cookie)-4] + "AAAA", code: 401},
		{name: "no socket but a plain request", path: "/-/socket", origin: p.Origin(), cookie: cookie, code: 426},
		{name: "a login from another page", method: http.MethodPost, path: "/-/login", origin: "http://evil.example", body: p.Token(), code: 403},
		{name: "a login with another token", method: http.MethodPost, path: "/-/login", origin: p.Origin(), body: strings.Repeat("A", 43), code: 401},
		{name: "a login with nothing", method: http.MethodPost, path: "/-/login", origin: p.Origin(), code: 401},
		{name: "a login with very much", method: http.MethodPost, path: "/-/login", origin: p.Origin(), body: strings.Repeat("A", 1<<20), code: 413},
		{name: "a login by GET", path: "/-/login", origin: p.Origin(), code: 405},
	} {
		t.Run(k.name, func(t *testing.T) { k.check(t, p) })
	}
}

func (k knock) check(t *testing.T, p *proxy.Proxy) {
	resp, body := k.send(t, p)
	if resp.StatusCode != k.code {
		t.Errorf("%d %q, want %d", resp.StatusCode, body, k.code)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if have := resp.Header.Get(name); have != want {
			t.Errorf("%s is %q, want %q", name, have, want)
		}
	}
	if have := resp.Header.Get("Access-Control-Allow-Origin"); have != "" {
		t.Errorf("another origin may read this: %q", have)
	}
	if strings.Contains(body, p.Token()) {
		t.Error("the answer has the token in it")
	}
}

func (k knock) send(t *testing.T, p *proxy.Proxy) (*http.Response, string) {
	t.Helper()
	if k.method == "" {
		k.method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(t.Context(), k.method, p.Origin()+k.path, strings.NewReader(k.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = k.host
	if k.origin != "" {
		req.Header.Set("Origin", k.origin)
	}
	if k.cookie != "" {
		req.Header.Set("Cookie", k.cookie)
	}
	if k.method == http.MethodPost {
		edgetest.NewKey().Sign(req)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// login exchanges the token for a cookie, and checks what the cookie promises.
func login(t *testing.T, p *proxy.Proxy) string {
	t.Helper()
	resp, body := knock{method: http.MethodPost, path: "/-/login", origin: p.Origin(), body: p.Token()}.send(t, p)
	cookies := resp.Cookies()
	if resp.StatusCode != http.StatusOK || len(cookies) != 1 {
		t.Fatalf("login: %d %q", resp.StatusCode, body)
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Name != "watchglass-"+p.Port() || strings.Contains(c.Value, p.Token()) {
		t.Errorf("the cookie: %+v", c)
	}
	return c.Name + "=" + c.Value
}

// policy is the strict page of the design.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types watchglass"

// TestPolicy shows that the page and the worker come with the policy, and that the
// browser holds them to it.
func TestPolicy(t *testing.T) {
	e := show(t, "/pods", "Content Security [Pp]olicy|Trusted(Script|HTML|TypePolicy)")
	worker := stage.Eval[string](e, `document.querySelector("script[data-worker]").dataset.worker`)
	for _, path := range []string{"/pods", worker} {
		if have := stage.Now[string](e, fmt.Sprintf(`fetch(%q).then(r => r.headers.get("Content-Security-Policy"))`, path)); have != policy {
			t.Errorf("%s: %s", path, have)
		}
	}
	for what, script := range map[string]string{
		"eval":             `new Promise(r => setTimeout(() => { try { r(String(eval("1+1"))) } catch { r("") } }))`,
		"markup":           `(() => { try { document.createElement("p").innerHTML = "<b>x</b>"; return "markup" } catch { return "" } })()`,
		"another policy":   `(() => { try { trustedTypes.createPolicy("other", {}); return "made" } catch { return "" } })()`,
		"the policy again": `(() => { try { trustedTypes.createPolicy("watchglass", {createScriptURL: u => u}); return "made" } catch { return "" } })()`,
		"another origin":   `fetch("http://127.0.0.1:1/").then(() => "fetched", () => "")`,
	} {
		if got := stage.Now[string](e, script); got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// TestOtherPage is a page of another port of this machine, in a browser that holds
// our cookie: it is of the same site, but not of the same origin.
func TestOtherPage(t *testing.T) {
	p := page.Proxy(t)
	e := show(t, "/pods")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<iframe src="%s/pods"></iframe>`, p.Origin())
	}))
	defer other.Close()
	evil := e.Another("frame-ancestors 'none'", "response code: 403", "blocked by CORS policy", "net::ERR_FAILED", "NotSameOrigin")
	evil.Must(evil.Open(other.URL))
	stage.WaitFor(t, "the browser refuses the frame", func() bool {
		return strings.Contains(strings.Join(evil.Console(), "\n"), "frame-ancestors 'none'")
	})
	before := strings.Count(p.Stderr(), "signed in")
	socket := strings.Replace(p.Origin(), "http", "ws", 1) + "/-/socket"
	for what, script := range map[string]string{
		"socket": fmt.Sprintf(`new Promise(r => { const s = new WebSocket(%q); s.onopen = () => r("open"); s.onclose = () => r("") })`, socket),
		"read":   fmt.Sprintf(`fetch("%s/pods", {credentials: "include"}).then(r => r.text(), () => "")`, p.Origin()),
		"login":  fmt.Sprintf(`fetch("%s/-/login", {method: "POST", credentials: "include", mode: "no-cors", body: %q}).then(() => "", () => "")`, p.Origin(), p.Token()),
	} {
		if got := stage.Now[string](evil, script); got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
	if after := strings.Count(p.Stderr(), "signed in"); after != before {
		t.Error("another page has signed in") // its answer cannot be read
	}
}
