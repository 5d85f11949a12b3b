package tabs

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// rollout is a balancer before two proxies of different builds. While it is replacing one by the other,
// the first request for each file goes to the old one, and everything else to the new one.
type rollout struct {
	mu       sync.Mutex
	old, new http.Handler
	asked    map[string]bool // nil: only the old one is there
}

func (r *rollout) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	to := r.old
	if r.asked != nil && (!strings.HasPrefix(req.URL.Path, "/-/files/") || r.asked[req.URL.Path]) {
		to = r.new
	}
	if r.asked != nil {
		r.asked[req.URL.Path] = true
	}
	r.mu.Unlock()
	to.ServeHTTP(w, req)
}

// TestTwoBuilds loads a page of a new build while its files are still asked of the old one, too: it tries
// again until it has all of them.
func TestTwoBuilds(t *testing.T) {
	stage.Grant(t, vera, "", stage.Reads, "pods", "namespaces")
	key, secret := filepath.Join(t.TempDir(), "key"), make([]byte, 32)
	_, _ = rand.Read(secret) // it does not fail
	write(t, key, secret)
	r := &rollout{}
	front := httptest.NewServer(r)
	t.Cleanup(front.Close)
	serve := func(binary string) http.Handler {
		to := &url.URL{Scheme: "http", Host: stage.FreePort(t)}
		stage.Serve(t, proxy.Options{Kubeconfig: stage.Kubeconfig(t, vera, cluster.KubeconfigOptions{}), Listen: to.Host, Binary: binary, Args: []string{"--auth", "token", "--public-url", front.URL, "--key-file", key}})
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }}
	}
	r.old, r.new = serve(""), serve(buildOther(t))

	e := stage.Open(t, front.URL+"/pods", notYet, `Failed to load resource|Refused to apply style|is not defined|the worker ended`)
	e.SignIn(vera.Token)
	e.AwaitState("live")
	r.mu.Lock()
	r.asked = make(map[string]bool)
	r.mu.Unlock()
	e.Must(e.Open(front.URL + "/pods"))
	e.Await(fmt.Sprintf(`document.documentElement.dataset.state === "live" && document.querySelector("script[data-worker]").dataset.worker.includes(%q)`, otherHash))
	e.AwaitCount(podsSeeded)
}
