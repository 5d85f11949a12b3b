package identity

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"watchglass/e2e/stage"
	"watchglass/internal/edge/edgetest"
)

func jsNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// front is what signs users in before they reach the proxy, as oauth2-proxy does: it
// knows them by a cookie of its own, and says in headers who they are.
func front(t *testing.T) (address string, before func(to string), forget func()) {
	t.Helper()
	var to *url.URL
	var forgets atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<main>The front's own sign-in page</main>")
	}))
	t.Cleanup(elsewhere.Close)
	// It comes from an address that nobody else comes from.
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 9)}}
	pass := &httputil.ReverseProxy{
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		}},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
			r.Out.Header.Del("X-Forwarded-User")
			r.Out.Header.Del("X-Forwarded-Groups")
			if c, err := r.In.Cookie("front"); err == nil {
				name, groups, _ := strings.Cut(c.Value, ":")
				r.Out.Header.Set("X-Forwarded-User", name)
				r.Out.Header.Set("X-Forwarded-Groups", groups)
			}
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/front/sign-in" {
			http.SetCookie(w, &http.Cookie{Name: "front", Value: r.URL.Query().Get("as"), Path: "/", HttpOnly: true})
			http.Redirect(w, r, "/configmaps", http.StatusSeeOther)
			return
		}
		if forgets.Load() {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func(address string) {
		u, err := url.Parse(address)
		must(t, err)
		to = u
	}, func() { forgets.Store(true) }
}

// TestFront shows users whom a front names, and that nobody else's headers count.
func TestFront(t *testing.T) {
	public, before, forget := front(t)
	p := serve(t, gate, public, "--auth", "proxy", "--front-cidr", "127.0.0.9/32", "--front-group-header", "X-Forwarded-Groups", "--session", "8s")
	before(p.Origin())
	e := person(t)
	e.Must(e.Open(public + "/configmaps"))
	e.Says("main", "sign in at the proxy in front of Watchglass")
	e.Keep("nobody")
	e.Must(e.Open(public + "/front/sign-in?as=ana:oidc:dev,system:masters"))
	e.sees("of-green")
	e.Says("#who", "as ana")
	e.Must(e.Click("#who"))
	e.Says("#whoami", "oidc:dev", "A reverse proxy in front of Watchglass signed you in")
	if strings.Contains(stage.Now[string](e, `document.querySelector("#whoami").innerText`), "masters") {
		t.Error("a front makes masters")
	}
	n := person(t)
	n.Must(n.Open(public + "/front/sign-in?as=nobody-knows:"))
	n.AwaitState("denied")
	n.Says("#who", "as nobody-knows")

	// The front's own session ends: it sends whoever asks elsewhere, and the page goes.
	forget()
	for _, tab := range []eyes{e, n} {
		tab.Says("main", "The front's own sign-in page")
	}
	for name, headers := range map[string]http.Header{
		"past the front":                {"X-Forwarded-User": {"vera"}},
		"past the front, as the front":  {"X-Forwarded-User": {"vera"}, "X-Forwarded-For": {"127.0.0.9"}, "X-Real-Ip": {"127.0.0.9"}, "Forwarded": {"for=127.0.0.9"}},
		"past the front, impersonating": {"Impersonate-User": {"vera"}},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Origin()+"/-/login", nil)
		must(t, err)
		r.Host = strings.TrimPrefix(public, "http://")
		r.Header = headers
		r.Header.Set("Origin", public)
		edgetest.NewKey().Sign(r)
		resp, err := http.DefaultTransport.RoundTrip(r)
		must(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) > 0 {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
}
