//lint:file-ignore SA1019 as in ../proxy/browser.go

package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os/exec"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"nhooyr.io/websocket"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/e2e/tools"
	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/oidc/oidctest"
	"watchglass/internal/wire"
)

const public = "https://watchglass.example.com"

// TestOAuth2Proxy runs the real oauth2-proxy and Watchglass with the arguments of their containers,
// as a pod does, in front of an apiserver with the shipped roles. It signs a user in at a provider,
// and shows that nobody can name another one.
func TestOAuth2Proxy(t *testing.T) {
	binary, err := tools.Build(t.Context(), "oauth2-proxy")
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{"chart-oauth2-proxy": chartToken, "overlay-proxy": overlayToken} {
		t.Run(name, func(t *testing.T) {
			r := renderingOf(t, name)
			var roles []any
			for _, x := range find[*rbacv1.ClusterRole](r) {
				roles = append(roles, x)
			}
			for _, x := range find[*rbacv1.ClusterRoleBinding](r) {
				roles = append(roles, x)
			}
			if name == "overlay-proxy" { // its viewer is bound to nobody
				roles = append(roles, bind("watchglass-viewer", "Group", "sso:developers"))
			}
			create(t, roles...)
			idp := oidctest.New(oidctest.Options{ClientSecret: "secret", Settings: oidctest.Settings{Redirects: []string{public + "/oauth2/callback"}}})
			t.Cleanup(idp.Close)
			idp.Set(oidctest.User{Subject: "ada", Email: "ada@example.com", Groups: []string{"developers"}})
			idp.Set(oidctest.User{Subject: "bob", Email: "bob@example.com", Groups: []string{"sales"}})
			front := runPod(t, r, token, binary, idp.Issuer())
			forged := http.Header{
				"X-Forwarded-Email": {"ada@example.com"}, "X-Forwarded-User": {"ada@example.com"}, "X-Forwarded-Groups": {"developers"},
				"X-Forwarded-Preferred-Username": {"ada"}, "Impersonate-User": {"sso:ada@example.com"}, "Impersonate-Group": {"sso:developers"},
			}
			for subject, header := range map[string]http.Header{"ada": {}, "bob": forged} {
				idp.Change(func(s *oidctest.Settings) { s.SignIn = subject })
				v := newVisitor(t, front, header)
				if code, text := v.login(t); code == http.StatusOK {
					t.Fatalf("somebody who has not signed in is %s", text)
				}
				if resp, text := v.send(t, http.MethodGet, "/pods"); resp.StatusCode != http.StatusOK || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "watchglass") {
					t.Fatalf("after signing in: %s from %s: %.300s", resp.Status, resp.Request.URL, text)
				}
				code, text := v.login(t)
				var who struct{ User string }
				if err := json.Unmarshal([]byte(text), &who); err != nil || code != http.StatusOK || who.User != "sso:"+subject+"@example.com" {
					t.Fatalf("%s signs in: %d %s", subject, code, text)
				}
				if f := v.list(t, "pods"); (f.Kind == wire.KindData) != (subject == "ada") {
					t.Errorf("%s lists pods: %s", subject, f.Body)
				}
				if f := v.list(t, "secrets"); f.Kind != wire.KindEnd || !strings.Contains(string(f.Body), "Forbidden") {
					t.Errorf("%s lists Secrets: %s", subject, f.Body)
				}
			}
		})
	}
}

// runPod runs both containers of a pod and returns the address of the front.
func runPod(t *testing.T, r rendering, token, oauth2Proxy, issuer string) (front string) {
	t.Helper()
	pod := pods(t, r)["deployment"]
	listen, front := stage.FreePort(t), stage.FreePort(t)
	p, err := proxy.Start(t.Context(), proxy.Options{Listen: listen, Args: append(localize(t, r, pod, token), "--listen="+listen, "--metrics-listen=127.0.0.1:0")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(p.Stderr())
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	var args []string
	for _, a := range pod.Spec.InitContainers[0].Args {
		args = append(args, strings.NewReplacer("https://sso.example.com", issuer, "0.0.0.0:4180", front, "127.0.0.1:7117", listen).Replace(a))
	}
	cmd := exec.Command(oauth2Proxy, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "OAUTH2_PROXY_CLIENT_ID=watchglass", "OAUTH2_PROXY_CLIENT_SECRET=secret", "OAUTH2_PROXY_COOKIE_SECRET=0123456789abcdefghijklmnopqrstuv"}
	stage.Run(t, cmd, "http://"+front+pod.Spec.InitContainers[0].ReadinessProbe.HTTPGet.Path)
	return front
}

// visitor is a browser. It reaches public through the front, which is behind an Ingress that ends TLS.
type visitor struct {
	front  string
	header http.Header // of each request
	jar    http.CookieJar
	key    *edgetest.Key
}

func newVisitor(t *testing.T, front string, header http.Header) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{front: front, header: header, jar: jar, key: edgetest.NewKey()}
}

// RoundTrip sends requests for public to the front.
func (v *visitor) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "watchglass.example.com" {
		r = r.Clone(r.Context())
		r.Host, r.URL.Scheme, r.URL.Host = r.URL.Host, "http", v.front
		maps.Copy(r.Header, v.header)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (v *visitor) client() *http.Client { return &http.Client{Transport: v, Jar: v.jar} }

func (v *visitor) send(t *testing.T, method, path string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, public+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Origin", public)
		v.key.Sign(r)
	}
	resp, err := v.client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(bytes.TrimSpace(text))
}

// login starts a session, as the page does. It doesn't follow redirects.
func (v *visitor) login(t *testing.T) (code int, text string) {
	t.Helper()
	resp, text := v.send(t, http.MethodPost, "/-/login")
	if resp.Request.URL.Path != "/-/login" {
		return http.StatusUnauthorized, "sent to " + resp.Request.URL.String()
	}
	return resp.StatusCode, text
}

// list opens a socket, asks for a kind, and returns the first frame of the answer.
func (v *visitor) list(t *testing.T, resource string) wire.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, public+"/-/socket", &websocket.DialOptions{HTTPClient: v.client(), HTTPHeader: http.Header{"Origin": {public}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(wire.MaxFrame)
	if err := conn.Write(ctx, websocket.MessageText, v.key.Hello(wire.Version, public, "", "", "")); err != nil {
		t.Fatal(err)
	}
	const stream = wire.EarlyStream + 1
	open := wire.JSONFrame(wire.KindOpen, stream, wire.Request{Verb: wire.List, Version: "v1", Resource: resource})
	if err := conn.Write(ctx, websocket.MessageBinary, open); err != nil {
		t.Fatal(err)
	}
	for {
		_, msg, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		f, err := wire.ParseFrame(msg)
		if err != nil {
			t.Fatal(err)
		}
		if f.Stream == stream && (f.Kind == wire.KindData || f.Kind == wire.KindEnd) {
			return f
		}
	}
}
